import { ArrowUpRight, ScanSearch, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatCount, formatPercent, formatSpan } from '../../lib/format.ts';
import { type TextMatch as Match, momentOfText } from '../../lib/found-text.ts';
import { trailOfHits, trailState } from '../../lib/item-trail.ts';
import { readItemQuery } from '../../lib/search-in.ts';
import { useDarkPage } from '../../lib/theme.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { clearFrom, strengthOf, strongFrom } from '../../ui/strength.tsx';
import { TextMatch } from '../../ui/text-match.tsx';
import { touchSize } from '../../ui/viewer-bar.tsx';
import { ViewerFrame } from '../../ui/viewer-frame.tsx';
import { type ShownHit, isScored } from './shown-hit.ts';

type HitViewerProps = {
  hit: ShownHit;
  /** The hits among which it stands, in their order. */
  list: readonly ShownHit[];
  /** What the score measures. */
  scoreName: string;
  /** What else can be done with the hit. */
  actions: ReactNode;
  /** Where it lies. */
  place: ReactNode;
  children: ReactNode;
  /** Plays where a text of the hit is said or shown, or shows where it is in the picture. */
  onShowText: (match: Match) => void;
  onClose: () => void;
  /** Open the hits before and after this one; null at the ends of the list. */
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
};

/** One hit over the whole window, above its results. Arrow keys and swipes go to its neighbours in the list; Escape closes. */
export function HitViewer({ hit, list, scoreName, actions, place: location, children, ...ways }: HitViewerProps) {
  const { onShowText, onClose, onPrevious, onNext } = ways;
  const content = useRef<HTMLDivElement>(null);
  useDarkPage();
  // The card of the hit that is shown by now, also where the URL opened the viewer.
  const focus = useReturnFocus(() => document.querySelector(`[data-chunk="${hit.chunk_id}"]`));
  useKeys({ n: () => onNext?.(), 'Shift+n': () => onPrevious?.() }, content);
  const place = list.findIndex(({ chunk_id: id }) => id === hit.chunk_id);
  const pictureAt = (at: number) => list[at]?.thumbnail ?? null;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          ref={content}
          aria-describedby={undefined}
          onCloseAutoFocus={focus.onCloseAutoFocus}
          onOpenAutoFocus={(event) => {
            // The viewer itself, not its first button: the space bar plays the clip and must not press a button.
            focus.onOpenAutoFocus();
            event.preventDefault();
            content.current?.focus();
          }}
          // Notices lie outside of it.
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed inset-0 z-40 outline-none"
        >
          <ViewerFrame
            ways={{
              previous: onPrevious && { label: names.previous, go: onPrevious },
              next: onNext && { label: names.next, go: onNext },
              names,
            }}
            onClose={onClose}
            beside={{
              previous: onPrevious ? pictureAt(place - 1) : null,
              next: onNext ? pictureAt(place + 1) : null,
            }}
            bar={
              <Bar name={hit.filename} place={place === -1 ? null : [place + 1, list.length]}>
                {actions}
              </Bar>
            }
            foot={
              <Foot hit={hit} list={list} scoreName={scoreName} onShowText={onShowText}>
                {location}
              </Foot>
            }
          >
            {children}
          </ViewerFrame>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const names = { previous: 'Previous result', next: 'Next result' };

/** The way back to the results, the file name, and what can be done with the hit. @param place in the list, from 1, and its length */
const Bar = ({ name, place, children }: { name: string; place: [number, number] | null; children: ReactNode }) => (
  <header className="flex h-14 items-center gap-0.5 px-1.5 sm:gap-1 sm:px-3">
    <Dialog.Close asChild>
      <IconButton icon={X} label="Close" title="Close (Esc)" className={touchSize} />
    </Dialog.Close>
    <Dialog.Title className="min-w-0 flex-1 truncate px-1 text-title font-semibold" title={name}>
      {name}
    </Dialog.Title>
    {place ? (
      <span className="shrink-0 px-1.5 text-label whitespace-nowrap text-quiet tabular-nums max-sm:sr-only">
        {formatCount(place[0])} of {formatCount(place[1])}
      </span>
    ) : null}
    {children}
  </header>
);

type FootProps = {
  hit: ShownHit;
  list: readonly ShownHit[];
  scoreName: string;
  onShowText: (match: Match) => void;
  /** Where it lies. */
  children: ReactNode;
};

/** Why the hit was found, the span of it, and the ways on from it. */
function Foot({ hit, list, scoreName, onShowText, children }: FootProps) {
  const matches = hit.signals?.matches ?? [];
  return (
    <footer className="max-h-[38dvh] shrink-0 overflow-y-auto border-t border-line bg-surface px-3 py-2 sm:px-4">
      {matches.length > 0 ? (
        <ul aria-label="Texts that match" className="space-y-1 pb-1 text-label">
          {matches.map((match, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- the texts of a hit never change places
            <li key={i}>
              <TextMatch match={match} type={hit.type} onShow={() => onShowText(match)} />
            </li>
          ))}
        </ul>
      ) : null}
      <div className="flex flex-wrap items-center gap-x-3">
        {hit.type !== 'image' ? <span className="text-label text-quiet tabular-nums">{formatSpan(hit)}</span> : null}
        {isScored(hit) ? <Scores hit={hit} scoreName={scoreName} /> : null}
        {children}
        <span className="ml-auto" />
        <WaysOn hit={hit} list={list} />
      </div>
    </footer>
  );
}

const wayLook = 'max-sm:h-11 max-sm:px-2 pointer-coarse:h-11';

function WaysOn({ hit, list }: Pick<FootProps, 'hit' | 'list'>) {
  const { pathname, search } = useLocation();
  const match = hit.signals?.matches?.[0];
  const moment = (match && momentOfText(match, hit)) ?? hit.start;
  return (
    <>
      <Button asChild variant="quiet" className={wayLook}>
        <Link to={paths.searchLike(hit.id, { chunk: hit.chunk_id })}>
          <ScanSearch aria-hidden />
          Find similar
        </Link>
      </Button>
      <Button asChild variant="quiet" className={wayLook}>
        <Link
          to={paths.media(hit.id, {
            ...(hit.type !== 'image' ? { t: moment } : {}),
            ...readItemQuery(new URLSearchParams(search)),
          })}
          state={trailState(trailOfHits(pathname + search, list))}
        >
          <ArrowUpRight aria-hidden />
          Open item
        </Link>
      </Button>
    </>
  );
}

/** What each part of the search gave for a hit, folded: numbers that few people read. */
function Scores({ hit, scoreName }: { hit: SearchHit; scoreName: string }) {
  const { visual, text, rerank } = hit.signals;
  const copies = hit.duplicates?.length ?? 0;
  return (
    <details className="text-label open:order-last open:basis-full">
      <summary className="inline-flex min-h-9 cursor-pointer items-center text-quiet hover:text-ink pointer-coarse:min-h-11">
        Details
      </summary>
      <dl className="flex flex-wrap gap-x-6 gap-y-1.5 pb-1">
        <Reason name={scoreName}>
          {formatPercent(hit.score)}
          {scoreName === 'Relevance' ? <MeaningOfScore hit={hit} /> : null}
        </Reason>
        {visual === undefined ? null : (
          <Reason name="Visual match" title="Similarity of image and query, from -1 to 1">
            {visual.toFixed(2)}
          </Reason>
        )}
        {text === undefined ? null : (
          <Reason name="Text match" title="How well the text matches (BM25)">
            {text.toFixed(1)}
          </Reason>
        )}
        {rerank === undefined ? null : <Reason name="Rerank">{formatPercent(rerank)}</Reason>}
        {copies > 0 ? <Reason name="Duplicates">{formatCount(copies)} similar</Reason> : null}
      </dl>
    </details>
  );
}

/** What a relevance says, in words: people know no percentages of matches. */
const MeaningOfScore = ({ hit }: { hit: SearchHit }) => (
  <span className="text-quiet">
    {` · ${strengthOf(hit)?.text.toLowerCase()} (good from ${formatPercent(clearFrom)}, strong from ${formatPercent(strongFrom)})`}
  </span>
);

const Reason = ({ name, title, children }: { name: string; title?: string; children: ReactNode }) => (
  <div className="flex gap-1.5" title={title}>
    <dt className="text-quiet">{name}</dt>
    <dd className="tabular-nums">{children}</dd>
  </div>
);
