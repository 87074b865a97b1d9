import { clsx } from 'clsx';
import { type ReactNode, type Ref, useRef } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';
import type { FoundText } from '../../lib/found-text.ts';
import { readItemQuery } from '../../lib/search-in.ts';
import { paths } from '../../paths.ts';
import { groupByItem, runsOf } from './group-by-item.ts';
import { HitRows } from './hit-rows.tsx';
import { HitTile } from './hit-tile.tsx';
import { HitViewer } from './hit-viewer.tsx';
import type { ShownHit } from './shown-hit.ts';
import { SimilarButton, SimilarClips, useSimilar } from './similar-clips.tsx';
import { TileMenu } from './tile-menu.tsx';
import { WeakerMatches } from './weaker-matches.tsx';

type Unfolding = {
  /** Chunk of the hit whose near-duplicates are shown, from the URL. */
  unfoldedId?: string | null;
  onUnfold?: ((chunkId: string | undefined) => void) | undefined;
};

/** What an opened hit is played with: the way to the next one, null at the end; and what takes the player. */
export type Playing = { onNext: (() => void) | null; ref: Ref<{ showText: (text: FoundText) => void }> };

/** What other features offer for a hit. */
export type HitControls = {
  /** What stands in the corner of a picture. */
  renderCorner: (hit: ShownHit) => ReactNode;
  /** Entries in the menu of a picture, with the class that they have. */
  renderEntries: (hit: ShownHit, className: string) => ReactNode;
  /** What can be done with the opened hit. */
  renderActions: (hit: ShownHit) => ReactNode;
  /** Where the opened hit lies. */
  renderPlace: (hit: ShownHit) => ReactNode;
};

type HitResultsProps = {
  hits: SearchHit[];
  /** Whether these are the hits of before, while the next are on their way. */
  stale: boolean;
  /** Whether the hits of an item stand together. */
  grouped?: boolean;
  /** What the score says of a hit, where that is not how well it matches. */
  scoreName?: string;
  /** A hit that can be opened without being among the cards. */
  outside?: SearchHit | undefined;
  openedId: string | null;
  /** @param how `replace`: in the same entry of the history; `moment`: seconds, where it plays from */
  onOpen: (chunkId: string | undefined, how?: { replace?: boolean; moment?: number | undefined }) => void;
  renderHit: (hit: ShownHit, playing: Playing) => ReactNode;
  controls: HitControls;
  /** What leads to more hits. Where there are weak ones, more are weak as well: then it follows them. */
  more?: ReactNode;
} & Unfolding;

/**
 * Hits in rows of pictures, the weak ones folded, and the one that is opened.
 * @param openedId chunk of the opened hit, from the address
 * @param renderHit shows a hit's clip or image
 */
export function HitResults({
  hits,
  stale,
  grouped = false,
  scoreName,
  outside,
  openedId,
  onOpen,
  unfoldedId = null,
  onUnfold,
  renderHit,
  controls,
  more,
}: HitResultsProps) {
  const unfolded = findUnfolded(hits, unfoldedId, openedId);
  const similar = useSimilar(unfolded);
  const player = useRef<{ showText: (text: FoundText) => void }>(null);
  const [strong, weak] = [hits.filter((hit) => !hit.weak), hits.filter((hit) => hit.weak)];
  const List = grouped ? GroupedRows : Rows;
  // As they stand on the page, which groups change.
  const ranked = grouped ? [strong, weak].flatMap((part) => groupByItem(part).flatMap((group) => group.hits)) : hits;
  const order = ranked.flatMap((hit): ShownHit[] => (hit === unfolded ? [hit, ...(similar.data ?? [])] : [hit]));
  const open = order.findIndex((hit) => hit.chunk_id === openedId);
  const opened = order[open] ?? (outside?.chunk_id === openedId ? outside : undefined);
  const goTo = (place: number) => {
    const hit = order[place];
    return open !== -1 && hit ? () => onOpen(hit.chunk_id, { replace: true }) : null;
  };
  const rows = { rated: scoreName === undefined, onOpen, unfolded, similar, onUnfold, controls };
  return (
    <div className={clsx('transition-opacity duration-quick', stale && 'opacity-50')} aria-busy={stale}>
      {/* The files have headings of their own. */}
      {grouped ? <h2 className="sr-only">Results</h2> : null}
      <List {...rows} hits={strong} label="Results" />
      {weak.length > 0 ? (
        <WeakerMatches count={weak.length} followsOthers={strong.length > 0} isOpened={opened?.weak === true}>
          <List {...rows} hits={weak} label="Weaker matches" />
          {more}
        </WeakerMatches>
      ) : (
        more
      )}
      {opened ? (
        <HitViewer
          hit={opened}
          list={order}
          scoreName={scoreName ?? 'Relevance'}
          actions={controls.renderActions(opened)}
          place={controls.renderPlace(opened)}
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

/** The hit whose near-duplicates are shown. One that a link opens is shown with its like. */
const findUnfolded = (hits: readonly SearchHit[], unfoldedId: string | null, openedId: string | null) =>
  hits.find((hit) => hit.chunk_id === unfoldedId && standsForOthers(hit)) ??
  hits.find(({ duplicates = [] }) => duplicates.some(({ chunk_id: id }) => id === openedId));

const standsForOthers = ({ duplicates = [] }: SearchHit): boolean => duplicates.length > 0;

type RowProps = {
  rated: boolean;
  onOpen: (chunkId: string, how?: { moment?: number | undefined }) => void;
  /** The hit whose near-duplicates are shown. */
  unfolded: SearchHit | undefined;
  similar: ReturnType<typeof useSimilar>;
  onUnfold: Unfolding['onUnfold'];
  controls: HitControls;
};

type RowsProps = RowProps & { hits: SearchHit[]; label: string };

/** Hits in rows; what is nearly the same as one is below its row, where that is unfolded. */
function Rows({ hits, label, unfolded, similar, onUnfold, ...props }: RowsProps) {
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  if (hits.length === 0) return null;
  return (
    <HitRows
      hits={hits}
      label={label}
      isUnfolded={(hit) => hit === unfolded}
      renderUnfolded={(hit) => (
        <SimilarClips
          hit={hit}
          similar={similar}
          onOpen={props.onOpen}
          onFold={() => {
            onUnfold?.(undefined);
            buttons.current.get(hit.chunk_id)?.focus();
          }}
        />
      )}
      renderTile={(hit, size) => {
        const count = hit.duplicates?.length ?? 0;
        const isUnfolded = hit === unfolded;
        const toggle = onUnfold && (() => onUnfold(isUnfolded ? undefined : hit.chunk_id));
        return (
          <HitTile {...size} hit={hit} rated={props.rated} onOpen={(moment) => props.onOpen(hit.chunk_id, { moment })}>
            {standsForOthers(hit) && toggle ? (
              <SimilarButton
                ref={(button) => {
                  if (button) buttons.current.set(hit.chunk_id, button);
                  else buttons.current.delete(hit.chunk_id);
                }}
                hit={hit}
                count={count}
                isUnfolded={isUnfolded}
                onClick={toggle}
              />
            ) : null}
            <TileMenu
              hit={hit}
              similar={isUnfolded ? 0 : count}
              onUnfold={toggle ?? null}
              renderEntries={props.controls.renderEntries}
            />
            {props.controls.renderCorner(hit)}
          </HitTile>
        );
      }}
    />
  );
}

/** Items with several hits have a row of their own; those with one stand together. */
function GroupedRows({ hits, ...props }: RowsProps) {
  const [search] = useSearchParams();
  return runsOf(groupByItem(hits)).map((run) => {
    const [first] = run;
    if (!first || first.hits.length === 1) {
      return (
        <div key={first?.id} className="mb-6">
          <Rows {...props} hits={run.flatMap((group) => group.hits)} />
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
        <Rows {...props} hits={first.hits} />
      </section>
    );
  });
}
