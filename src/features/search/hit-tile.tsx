import { clsx } from 'clsx';
import { type ReactNode, useState } from 'react';
import { formatSpan, formatTime } from '../../lib/format.ts';
import { canShowText, describeFoundText, momentOfText } from '../../lib/found-text.ts';
import { HoverClip } from '../../ui/hover-clip.tsx';
import { StackBadge } from '../../ui/stack-badge.tsx';
import { StrengthBars, strengthOf } from '../../ui/strength.tsx';
import { MeaningNote, Passage, SourceIcon } from '../../ui/text-match.tsx';
import type { ShownHit } from './shown-hit.ts';

type HitTileProps = {
  hit: ShownHit;
  /** Size of its picture, CSS pixels. */
  width: number;
  height: number;
  /** Whether the reason stands below its picture, as on a phone, and not over it. */
  narrow: boolean;
  /** Whether its score says how well it matches. */
  rated: boolean;
  /** @param moment seconds, where it plays from; its start where none is given */
  onOpen: (moment?: number) => void;
  /** What can be done with it, over its picture. */
  children?: ReactNode;
};

/** The picture of a hit, whole, with the reason why it was found: over the picture, and below it on a phone. */
export function HitTile({ hit, width, height, narrow, rated, onOpen, children }: HitTileProps) {
  return (
    <div className="group/card relative" style={{ width }}>
      <div className="relative overflow-hidden rounded-control bg-raised" style={{ height }}>
        <PictureButton hit={hit} width={width} rated={rated} onOpen={onOpen} />
        {narrow && hit.stack ? (
          <StackBadge stack={hit.stack} className="pointer-events-none absolute right-1 bottom-1" />
        ) : null}
        {narrow ? null : <Caption hit={hit} rated={rated} onOpen={onOpen} />}
        {children}
      </div>
      {narrow ? (
        <div className="flex h-6 items-center gap-1.5 overflow-hidden text-xs text-quiet">
          {rated ? <StrengthBars hit={hit} className="text-ink" /> : null}
          <Reason hit={hit} onOpen={onOpen} className="truncate" markClass="bg-transparent font-semibold text-ink" />
          {hit.type !== 'image' && !hit.signals?.matches?.length ? <Span hit={hit} /> : null}
        </div>
      ) : null}
    </div>
  );
}

/** Its words stand first for those who listen, its picture for those who look. */
function PictureButton({ hit, width, rated, onOpen }: Pick<HitTileProps, 'hit' | 'width' | 'rated' | 'onOpen'>) {
  const [pointed, setPointed] = useState(false);
  const plays = pointed && hit.type === 'video' && !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const words = [
    hit.type !== 'image' ? 'Play' : 'Show',
    hit.filename,
    ...(rated ? [strengthOf(hit)?.text] : []),
    ...(hit.type !== 'image' ? [formatSpan(hit)] : []),
  ];
  return (
    <button
      type="button"
      data-chunk={hit.chunk_id}
      title={hit.filename}
      onClick={() => onOpen()}
      onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
      onPointerLeave={() => setPointed(false)}
      onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && setPointed(true)}
      onBlur={() => setPointed(false)}
      // The tile cuts off what is outside.
      className="absolute inset-0 rounded-control -outline-offset-2"
    >
      <span className="sr-only">{words.filter(Boolean).join(' ')}</span>
      <img
        alt=""
        loading="lazy"
        decoding="async"
        src={hit.thumbnail}
        srcSet={hit.thumbnails.map((size) => `${size.url} ${size.width}w`).join(', ')}
        sizes={`${width}px`}
        className="size-full object-cover"
      />
      {plays ? <HoverClip url={hit.url} start={hit.start} end={hit.end} /> : null}
    </button>
  );
}

/** Over the lower end of the picture: how well it matches, why, and when; under the pointer the name as well. */
const Caption = ({ hit, rated, onOpen }: Pick<HitTileProps, 'hit' | 'rated' | 'onOpen'>) => (
  <div
    className={clsx(
      'dark pointer-events-none absolute inset-x-0 bottom-0 px-2 pt-8 pb-1.5 text-xs text-white',
      // Little text needs little shade.
      hit.signals?.matches?.length && 'bg-linear-to-t from-black/80 via-black/50 to-transparent',
    )}
  >
    <Shade />
    <p className="relative truncate font-medium opacity-0 transition-opacity duration-quick group-focus-within/card:opacity-100 group-hover/card:opacity-100">
      {hit.filename}
    </p>
    <div className="relative flex items-end gap-2">
      {rated ? <StrengthBars hit={hit} className="mb-0.5 drop-shadow-[0_0_2px_rgb(0_0_0/0.9)]" /> : null}
      <Reason
        hit={hit}
        onOpen={onOpen}
        className="pointer-events-auto line-clamp-2"
        markClass="bg-transparent font-semibold text-warm"
      />
      <span className="ml-auto flex shrink-0 items-center gap-1">
        {hit.stack ? <StackBadge stack={hit.stack} /> : null}
        {hit.type !== 'image' ? <Span hit={hit} className="rounded bg-black/60 px-1.5 py-0.5 font-medium" /> : null}
      </span>
    </div>
  </div>
);

/** Behind the name, where it shows. */
const Shade = () => (
  <span
    className="absolute inset-0 bg-linear-to-t from-black/80 via-black/50 to-transparent opacity-0 transition-opacity duration-quick group-focus-within/card:opacity-100 group-hover/card:opacity-100"
    aria-hidden
  />
);

/** When it is; of several steps when each begins. */
const Span = ({ hit, className }: { hit: ShownHit; className?: string }) => (
  <span className={clsx('shrink-0 tabular-nums', className)} aria-hidden>
    {hit.steps?.map(({ start }) => formatTime(start)).join(' → ') ??
      `${formatTime(hit.start)} – ${formatTime(hit.end)}`}
  </span>
);

/** The text that answers the query best. It leads to the moment at which it is said or shown. */
function Reason({
  hit,
  onOpen,
  className,
  markClass,
}: Pick<HitTileProps, 'hit' | 'onOpen'> & { className: string; markClass: string }) {
  const match = hit.signals?.matches?.[0];
  if (!match) return null;
  const isSaid = match.source === 'speech' || match.source === 'subtitle';
  const passage = <Passage parts={match.excerpt} markClass={markClass} />;
  const content = (
    <>
      <SourceIcon source={match.source} className="mr-1 inline size-3.5 align-[-2px]" />
      <span className="font-medium tabular-nums">{describeFoundText(match, hit.type)}</span>{' '}
      <MeaningNote match={match} />
      <span lang={match.language ?? undefined} dir="auto" className="wrap-anywhere">
        {isSaid ? <>“{passage}”</> : passage}
      </span>
    </>
  );
  if (!canShowText(match, hit.type)) return <p className={clsx('min-w-0', className)}>{content}</p>;
  return (
    <button
      type="button"
      onClick={() => onOpen(momentOfText(match, hit) ?? undefined)}
      className={clsx('min-w-0 rounded-xs text-left hover:underline', className)}
    >
      {content}
    </button>
  );
}
