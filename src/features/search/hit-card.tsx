import { clsx } from 'clsx';
import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatPercent, formatSpan } from '../../lib/format.ts';
import { momentOfText } from '../../lib/found-text.ts';
import { CardImage } from '../../ui/card-image.tsx';
import { HoverClip } from '../../ui/hover-clip.tsx';
import { TextMatch } from '../../ui/text-match.tsx';
import type { ShownHit } from './shown-hit.ts';

/** A hit in a list, with the text that it was found by; in its corner and below it what else can be done with it. */
export const HitCard = ({
  corner,
  children,
  ...props
}: HitButtonProps & { corner?: ReactNode; children?: ReactNode }) => (
  <div className="group/card relative flex flex-col overflow-hidden rounded-card border border-line bg-surface transition-colors hover:border-quiet">
    <HitButton {...props} />
    <BestMatch {...props} />
    {corner}
    {children}
  </div>
);

type HitButtonProps = {
  hit: ShownHit;
  /** What the score says of a hit. */
  scoreName?: string;
  /** @param moment seconds, where it plays from; its start where none is given */
  onOpen: (moment?: number) => void;
};

/** The text that answers the query best. It leads to the moment at which it is said or shown. */
function BestMatch({ hit, onOpen }: HitButtonProps) {
  const match = hit.signals?.matches?.[0];
  if (!match) return null;
  return (
    <div className="px-2.5 pb-2">
      <TextMatch short match={match} type={hit.type} onShow={() => onOpen(momentOfText(match, hit) ?? undefined)} />
    </div>
  );
}

/** Its text stands first for those who listen, its image for those who look. */
function HitButton({ hit, scoreName, onOpen }: HitButtonProps) {
  const [pointed, setPointed] = useState(false);
  const plays = pointed && hit.type === 'video' && !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  return (
    <button
      type="button"
      data-chunk={hit.chunk_id}
      onClick={() => onOpen()}
      onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
      onPointerLeave={() => setPointed(false)}
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setPointed(true)}
      onBlur={() => setPointed(false)}
      // The card cuts off what is outside.
      className={clsx(
        'group flex flex-col rounded-card text-left -outline-offset-2',
        // Where a text follows, it follows at once.
        !hit.signals?.matches?.length && 'flex-1',
      )}
    >
      <span className="order-2 block w-full px-2.5 py-2">
        <span className="flex items-baseline gap-2">
          <span className="sr-only">{hit.type === 'video' ? 'Play' : 'Show'}</span>
          <span className="min-w-0 flex-1 truncate text-label" title={hit.filename}>
            {hit.filename}
          </span>
          {hit.score === undefined ? null : (
            <span className="text-xs text-quiet tabular-nums" title={scoreName}>
              {formatPercent(hit.score)}
            </span>
          )}
        </span>
      </span>
      <span className="relative order-1 block aspect-video w-full bg-raised">
        <CardImage
          thumbnail={hit.thumbnail}
          thumbnails={hit.thumbnails}
          className={clsx('absolute inset-0 size-full object-cover', hit.weak && 'opacity-70 group-hover:opacity-100')}
        />
        {plays ? <HoverClip url={hit.url} start={hit.start} end={hit.end} /> : null}
        {hit.type === 'video' ? (
          <>
            <span className="absolute right-1.5 bottom-1.5 rounded bg-black/70 px-1.5 py-0.5 text-xs font-medium text-white tabular-nums">
              {formatSpan(hit)}
            </span>
            <span className="absolute top-1.5 left-1.5 grid size-7 place-items-center rounded-full bg-black/60 text-white opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100">
              <Play className="size-3.5 translate-x-px" aria-hidden />
            </span>
          </>
        ) : null}
      </span>
    </button>
  );
}
