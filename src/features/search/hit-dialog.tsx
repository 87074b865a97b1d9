import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatCount, formatPercent, formatSpan } from '../../lib/format.ts';
import { type TextMatch as Match, momentOfText } from '../../lib/found-text.ts';
import { trailOfHits, trailState } from '../../lib/item-trail.ts';
import { readItemQuery } from '../../lib/search-in.ts';
import { paths } from '../../paths.ts';
import { IconButton } from '../../ui/button.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { TextMatch } from '../../ui/text-match.tsx';
import { type ShownHit, isScored } from './shown-hit.ts';

/** Open the hits before and after this one; null at the ends of the list. */
type Neighbours = { onPrevious: (() => void) | null; onNext: (() => void) | null };

/** One hit, large. Arrow keys go to its neighbours in the list; Escape closes. */
export function HitDialog({
  hit,
  list,
  scoreName,
  actions,
  children,
  onShowText,
  onClose,
  onPrevious,
  onNext,
}: {
  hit: ShownHit;
  /** The hits among which it stands, in their order. */
  list: readonly ShownHit[];
  /** What the score measures. */
  scoreName: string;
  /** What else can be done with the hit. */
  actions: ReactNode;
  children: ReactNode;
  /** Plays where a text of the hit is said or shown, or shows where it is in the picture. */
  onShowText: (match: Match) => void;
  onClose: () => void;
} & Neighbours) {
  const content = useRef<HTMLDivElement>(null);
  // The card of the hit that is shown by now, also where the URL opened the dialog.
  const focus = useReturnFocus(() => document.querySelector(`[data-chunk="${hit.chunk_id}"]`));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    // In a full screen the arrows go through the clip, and with Shift they always do.
    const isArrow = !event.shiftKey && document.fullscreenElement === null;
    if ((isArrow && event.key === 'ArrowLeft') || event.key === 'N') onPrevious?.();
    if ((isArrow && event.key === 'ArrowRight') || event.key === 'n') onNext?.();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/70" />
        <Dialog.Content
          ref={content}
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onCloseAutoFocus={focus.onCloseAutoFocus}
          onOpenAutoFocus={(event) => {
            // The dialog itself, not its first button: the space bar plays the clip and must not press a button.
            focus.onOpenAutoFocus();
            event.preventDefault();
            content.current?.focus();
          }}
          className="fixed top-1/2 left-1/2 z-40 max-h-[96dvh] w-[min(60rem,100vw)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto border border-line bg-surface shadow-float outline-none sm:w-[min(60rem,calc(100vw-2rem))] sm:rounded-card"
        >
          <Header filename={hit.filename} onPrevious={onPrevious} onNext={onNext} />
          {children}
          {isScored(hit) ? <WhyMatched hit={hit} scoreName={scoreName} onShowText={onShowText} /> : null}
          <Footer hit={hit} list={list}>
            {actions}
          </Footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A finger meets what is at least 44 px wide. */
const touchSize = 'max-sm:size-11 pointer-coarse:size-11';

/** File name, the ways to the neighbours, close. */
function Header({ filename, onPrevious, onNext }: { filename: string } & Neighbours) {
  return (
    <header className="flex items-center gap-1 py-2 pr-2 pl-4">
      <Dialog.Title className="min-w-0 flex-1 truncate font-semibold">{filename}</Dialog.Title>
      <IconButton
        icon={ChevronLeft}
        label="Previous result"
        className={touchSize}
        disabled={!onPrevious}
        onClick={() => onPrevious?.()}
      />
      <IconButton
        icon={ChevronRight}
        label="Next result"
        className={touchSize}
        disabled={!onNext}
        onClick={() => onNext?.()}
      />
      <Dialog.Close asChild>
        <IconButton icon={X} label="Close" className={touchSize} />
      </Dialog.Close>
    </header>
  );
}

/** The span of the hit, and links from it. */
function Footer({ hit, list, children }: { hit: ShownHit; list: readonly ShownHit[]; children: ReactNode }) {
  const { pathname, search } = useLocation();
  const match = hit.signals?.matches?.[0];
  const moment = (match && momentOfText(match, hit)) ?? hit.start;
  return (
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-quiet">
      <span className="tabular-nums">{formatSpan(hit)}</span>
      <span className="ml-auto" />
      {children}
      <Link to={paths.searchLike(hit.id, { chunk: hit.chunk_id })} className="font-medium text-accent hover:underline">
        Find similar
      </Link>
      <Link
        to={paths.media(hit.id, {
          ...(hit.type === 'video' ? { t: moment } : {}),
          ...readItemQuery(new URLSearchParams(search)),
        })}
        state={trailState(trailOfHits(pathname + search, list))}
        className="font-medium text-accent hover:underline"
      >
        Open item
      </Link>
    </footer>
  );
}

/** Why a hit was found: its score, what each part of the search gave for it, and the texts that answer the query. */
function WhyMatched({
  hit,
  scoreName,
  onShowText,
}: {
  hit: SearchHit;
  scoreName: string;
  /** Plays where a text is said or shown, or shows where it is in the picture. */
  onShowText: (match: Match) => void;
}) {
  const { visual, text, rerank, matches = [] } = hit.signals;
  const copies = hit.duplicates?.length ?? 0;
  return (
    <>
      <dl className="flex flex-wrap gap-x-6 gap-y-1.5 border-t border-line px-4 py-2.5 text-label">
        <Reason name={scoreName}>
          {formatPercent(hit.score)}
          {hit.weak ? <span className="text-quiet"> · weak match</span> : null}
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
      {matches.length > 0 ? (
        <ul aria-label="Texts that match" className="space-y-1 px-4 pb-2.5 text-label">
          {matches.map((match, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- the texts of a hit never change places
            <li key={i}>
              <TextMatch match={match} type={hit.type} onShow={() => onShowText(match)} />
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

const Reason = ({ name, title, children }: { name: string; title?: string; children: ReactNode }) => (
  <div className="flex gap-1.5" title={title}>
    <dt className="text-quiet">{name}</dt>
    <dd className="tabular-nums">{children}</dd>
  </div>
);
