import { clsx } from 'clsx';
import { type ReactNode, type Ref, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';
import type { FoundText } from '../../lib/found-text.ts';
import { readItemQuery } from '../../lib/search-in.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { cardGrid } from '../../ui/card-grid.ts';
import { groupByItem, runsOf } from './group-by-item.ts';
import { HitCard } from './hit-card.tsx';
import { HitViewer } from './hit-viewer.tsx';
import type { ShownHit } from './shown-hit.ts';
import { SimilarButton, SimilarClips, useSimilar } from './similar-clips.tsx';

type Unfolding = {
  /** Chunk of the hit whose near-duplicates are shown, from the URL. */
  unfoldedId?: string | null;
  onUnfold?: ((chunkId: string | undefined) => void) | undefined;
};

/** What an opened hit is played with: the way to the next one, null at the end; and what takes the player. */
export type Playing = { onNext: (() => void) | null; ref: Ref<{ showText: (text: FoundText) => void }> };

type HitResultsProps = {
  hits: SearchHit[];
  /** Whether these are the hits of before, while the next are on their way. */
  stale: boolean;
  /** Whether the hits of an item stand together. */
  grouped?: boolean;
  /** What the score says of a hit. */
  scoreName?: string;
  /** A hit that can be opened without being among the cards. */
  outside?: SearchHit | undefined;
  openedId: string | null;
  /** @param how `replace`: in the same entry of the history; `moment`: seconds, where it plays from */
  onOpen: (chunkId: string | undefined, how?: { replace?: boolean; moment?: number | undefined }) => void;
  renderHit: (hit: ShownHit, playing: Playing) => ReactNode;
  /** What stands in the corner of a card. */
  renderCorner?: (hit: ShownHit) => ReactNode;
  /** What can be done with the opened hit. */
  renderActions?: (hit: ShownHit) => ReactNode;
} & Unfolding;

/**
 * Hits as cards, the weak ones folded, and the one that is opened.
 * @param openedId chunk of the opened hit, from the address
 * @param renderHit shows a hit's clip or image
 */
export function HitResults({
  hits,
  stale,
  grouped = false,
  scoreName = 'Relevance',
  outside,
  openedId,
  onOpen,
  unfoldedId = null,
  onUnfold,
  renderHit,
  renderCorner,
  renderActions,
}: HitResultsProps) {
  // A near-duplicate that a link opens is shown with its like.
  const unfolded =
    hits.find((hit) => hit.chunk_id === unfoldedId && standsForOthers(hit)) ??
    hits.find(({ duplicates = [] }) => duplicates.some(({ chunk_id: id }) => id === openedId));
  const similar = useSimilar(unfolded);
  const player = useRef<{ showText: (text: FoundText) => void }>(null);
  const [strong, weak] = [hits.filter((hit) => !hit.weak), hits.filter((hit) => hit.weak)];
  const List = grouped ? GroupedCards : Cards;
  // As they stand on the page, which groups change.
  const ranked = grouped ? [strong, weak].flatMap((part) => groupByItem(part).flatMap((group) => group.hits)) : hits;
  const order = ranked.flatMap((hit): ShownHit[] => (hit === unfolded ? [hit, ...(similar.data ?? [])] : [hit]));
  const open = order.findIndex((hit) => hit.chunk_id === openedId);
  const opened = order[open] ?? (outside?.chunk_id === openedId ? outside : undefined);
  const goTo = (place: number) => {
    const hit = order[place];
    return open !== -1 && hit ? () => onOpen(hit.chunk_id, { replace: true }) : null;
  };
  const cards = { scoreName, onOpen, unfolded, similar, onUnfold, renderCorner };
  return (
    <div className={clsx('transition-opacity', stale && 'opacity-60')}>
      {/* The files have headings of their own. */}
      {grouped ? <h2 className="sr-only">Results</h2> : null}
      <List {...cards} hits={strong} label="Results" />
      {weak.length > 0 ? (
        <WeakerMatches count={weak.length} followsOthers={strong.length > 0} isOpened={opened?.weak === true}>
          <List {...cards} hits={weak} label="Weaker matches" />
        </WeakerMatches>
      ) : null}
      {opened ? (
        <HitViewer
          hit={opened}
          list={order}
          scoreName={scoreName}
          actions={renderActions?.(opened)}
          onShowText={(match) => player.current?.showText(match)}
          onClose={() => onOpen(undefined, { replace: true })}
          onPrevious={goTo(open - 1)}
          onNext={goTo(open + 1)}
        >
          {renderHit(opened, { onNext: goTo(open + 1), ref: player })}
        </HitViewer>
      ) : null}
    </div>
  );
}

/** A row of weak hits hides nothing, and in a library of a few items it may be what one looks for; more are folded. */
const mostWeakShown = 5;

/** The weak hits, folded where they are many. When one is opened, by a link or as the next in the player, they stay on the page after it. */
function WeakerMatches({
  count,
  followsOthers,
  isOpened,
  children,
}: {
  count: number;
  /** Whether clear hits stand above them. */
  followsOthers: boolean;
  isOpened: boolean;
  children: ReactNode;
}) {
  const query = useSearchParams()[0].get('q') ?? '';
  const [shownFor, setShownFor] = useState<string | null>(null);
  const isFolded = count > mostWeakShown;
  const isShown = !isFolded || shownFor === query;
  if (isOpened && !isShown) setShownFor(query);
  return (
    <>
      {isFolded || followsOthers ? (
        <div className="my-5 flex items-center gap-3 text-quiet after:h-px after:flex-1 after:bg-line">
          {isFolded ? (
            <Button
              variant="quiet"
              className="-ml-3"
              aria-expanded={isShown}
              onClick={() => setShownFor(isShown ? null : query)}
            >
              {isShown ? 'Hide weaker matches' : `Show ${formatCount(count)} weaker matches`}
            </Button>
          ) : (
            <h2 className="text-xs font-medium">Weaker matches</h2>
          )}
        </div>
      ) : null}
      {isShown ? children : null}
    </>
  );
}

const standsForOthers = ({ duplicates = [] }: SearchHit): boolean => duplicates.length > 0;

type CardProps = {
  scoreName: string;
  onOpen: (chunkId: string, how?: { moment?: number | undefined }) => void;
  /** The hit whose near-duplicates are shown. */
  unfolded: SearchHit | undefined;
  similar: ReturnType<typeof useSimilar>;
  onUnfold: Unfolding['onUnfold'];
  renderCorner: ((hit: ShownHit) => ReactNode) | undefined;
};

type CardsProps = CardProps & { hits: SearchHit[]; label: string };

function Cards({ hits, label, ...props }: CardsProps) {
  if (hits.length === 0) return null;
  return (
    // Dense: the cards that follow a row of near-duplicates fill the row above it.
    <ul className={clsx(cardGrid, 'grid-flow-dense')} aria-label={label}>
      {hits.map((hit) => (
        <CardWithSimilar key={hit.chunk_id} {...props} hit={hit} />
      ))}
    </ul>
  );
}

/** The card of a hit, and in the row below it what is nearly the same, where that is unfolded. */
function CardWithSimilar({ hit, ...props }: CardProps & { hit: SearchHit }) {
  const { scoreName, onOpen, unfolded, similar, onUnfold, renderCorner } = props;
  const button = useRef<HTMLButtonElement>(null);
  const isUnfolded = hit === unfolded;
  const fold = () => {
    onUnfold?.(undefined);
    button.current?.focus();
  };
  return (
    <>
      <li className="grid">
        <HitCard
          hit={hit}
          scoreName={scoreName}
          onOpen={(moment) => onOpen(hit.chunk_id, { moment })}
          corner={renderCorner?.(hit)}
        >
          {standsForOthers(hit) ? (
            <div className="px-1.5 pb-1.5">
              <SimilarButton
                ref={button}
                hit={hit}
                count={hit.duplicates?.length ?? 0}
                isUnfolded={isUnfolded}
                onClick={() => onUnfold?.(isUnfolded ? undefined : hit.chunk_id)}
              />
            </div>
          ) : null}
        </HitCard>
      </li>
      {isUnfolded ? (
        <li className="col-span-full">
          <SimilarClips hit={hit} similar={similar} onOpen={onOpen} onFold={fold} />
        </li>
      ) : null}
    </>
  );
}

/** Items with several hits have a row of their own; those with one stand together. */
function GroupedCards({ hits, ...props }: CardsProps) {
  const [search] = useSearchParams();
  return runsOf(groupByItem(hits)).map((run) => {
    const [first] = run;
    if (!first || first.hits.length === 1) {
      return (
        <div key={first?.id} className="mb-6">
          <Cards {...props} hits={run.flatMap((group) => group.hits)} />
        </div>
      );
    }
    return (
      <section key={first.id} className="mb-6" aria-label={first.filename}>
        <h3 className="mb-2 flex items-baseline gap-2">
          <Link
            to={paths.media(first.id, { t: first.hits[0]?.start ?? 0, ...readItemQuery(search) })}
            className="min-w-0 truncate font-medium hover:underline"
          >
            {first.filename}
          </Link>
          <span className="shrink-0 text-xs text-quiet tabular-nums">{formatCount(first.hits.length)} results</span>
        </h3>
        <Cards {...props} hits={first.hits} />
      </section>
    );
  });
}

/** Stands where hits will be. */
export function HitSkeletons() {
  return (
    <div className={cardGrid} role="status" aria-busy="true" aria-label="Searching">
      {Array.from({ length: 10 }, (_, i) => (
        <div key={i} className="aspect-[4/3] animate-pulse rounded-card bg-raised" />
      ))}
    </div>
  );
}
