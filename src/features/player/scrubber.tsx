import { clsx } from 'clsx';
import { type KeyboardEvent, memo, type PointerEvent, type ReactNode, useState } from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import { fractionOfSpan, type Span, timeAtFraction } from './span.ts';

/** A part of the video that answers a query, or that somebody commented on. */
export type Mark = Span & { id: string; weak: boolean; kind?: 'comment' };

/** A mark that answers a query is what the eye looks for; a weak one stands back. */
const lookOfMark = ({ kind, weak }: Mark): string =>
  kind === 'comment' ? 'bg-accent' : weak ? 'bg-quiet' : 'bg-warm forced-colors:bg-[Mark]';

/** Width of the handle, pixels: its middle goes from half of it to half of it before the end. */
const handleWidth = 14;
/** More scenes than these are not told apart on the slider. */
const maxTicks = 200;
/** Seconds that the arrow keys go. */
const arrowSeconds = 5;

const placeOf = (fraction: number) => `calc(${handleWidth / 2}px + ${fraction} * (100% - ${handleWidth}px))`;

type ScrubberProps = {
  span: Span;
  time: number;
  /** Where scenes begin, with their images; none where the span is one scene. */
  chunks: readonly Chunk[];
  marks: readonly Mark[];
  onSeek: (time: number) => void;
  onSeekBy: (seconds: number) => void;
  /** What else stands on it at its times, such as comments. */
  children?: ReactNode;
};

/** The position in a clip: a slider over its scenes and over what answers a query. Under the pointer it shows the time and the scene. */
export function Scrubber({ span, time, chunks, marks, onSeek, onSeekBy, children }: ScrubberProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const length = span.end - span.start;
  const onPointerMove = ({ currentTarget, clientX, pointerType }: PointerEvent) => {
    if (pointerType === 'touch') return;
    const { left, width } = currentTarget.getBoundingClientRect();
    setPointed(Math.min(1, Math.max(0, (clientX - left - handleWidth / 2) / (width - handleWidth))));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -arrowSeconds, ArrowRight: arrowSeconds }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onSeekBy(step);
  };
  return (
    <div
      className="group relative h-6 w-full pointer-coarse:h-11"
      onPointerMove={onPointerMove}
      onPointerLeave={() => setPointed(null)}
    >
      <Track span={span} time={time} chunks={chunks} marks={marks} />
      <input
        type="range"
        aria-label="Position in the clip"
        aria-valuetext={formatTime(time, true)}
        min={0}
        max={length}
        step={length / Math.max(1, Math.round(length * 100))}
        value={Math.min(length, Math.max(0, time - span.start))}
        onChange={(event) => onSeek(span.start + Number(event.target.value))}
        onKeyDown={onKeyDown}
        className="absolute inset-0 size-full cursor-pointer appearance-none rounded-control bg-transparent [&::-moz-range-thumb]:size-3.5 [&::-moz-range-thumb]:rounded-full [&::-moz-range-thumb]:border-0 [&::-moz-range-thumb]:bg-accent [&::-webkit-slider-thumb]:size-3.5 [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:rounded-full [&::-webkit-slider-thumb]:bg-accent [&::-webkit-slider-thumb]:shadow-float"
      />
      {children}
      {pointed === null ? null : <Preview at={timeAtFraction(span, pointed)} place={pointed} chunks={chunks} />}
    </div>
  );
}

/** What lies under the handle. */
function Track({ span, time, chunks, marks }: Omit<ScrubberProps, 'onSeek' | 'onSeekBy' | 'children'>) {
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0">
      <div className="absolute inset-x-0 top-1/2 h-1.5 -translate-y-1/2 overflow-hidden rounded-full bg-line forced-colors:border">
        <div
          className="h-full bg-accent/45 forced-colors:bg-[Highlight]"
          style={{ width: placeOf(fractionOfSpan(span, time)) }}
        />
      </div>
      <Ticks start={span.start} end={span.end} chunks={chunks} marks={marks} />
    </div>
  );
}

/** Apart from the position, which changes with each frame: a film has thousands of scenes. */
const Ticks = memo(function Ticks({ start, end, chunks, marks }: Span & Pick<ScrubberProps, 'chunks' | 'marks'>) {
  const span = { start, end };
  // More would be closer together than can be seen.
  const scenes = chunks.length > maxTicks ? [] : chunks.slice(1);
  return (
    <>
      {scenes.map(({ id, start: begin }) => (
        <div
          key={id}
          className="absolute top-1/2 h-1.5 w-px -translate-y-1/2 bg-surface"
          style={{ left: placeOf(fractionOfSpan(span, begin)) }}
        />
      ))}
      {marks.map((mark) => {
        const from = fractionOfSpan(span, mark.start);
        const to = fractionOfSpan(span, mark.end);
        return (
          <div
            key={mark.id}
            data-mark={mark.id}
            className={clsx(
              'absolute top-1/2 h-3 min-w-1 -translate-y-1/2 rounded-sm border border-surface',
              lookOfMark(mark),
            )}
            style={{ left: placeOf(from), width: `calc(${to - from} * (100% - ${handleWidth}px))` }}
          />
        );
      })}
    </>
  );
});

/** The scene and the time under the pointer. */
function Preview({ at, place, chunks }: { at: number; place: number; chunks: readonly Chunk[] }) {
  const chunk = chunks.findLast(({ start }) => start <= at + 0.01);
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute bottom-full z-10 mb-1 -translate-x-1/2 overflow-hidden rounded-md border border-line bg-surface text-center shadow-float"
      style={{ left: `clamp(4rem, ${placeOf(place)}, calc(100% - 4rem))` }}
    >
      {chunk ? <img src={chunk.thumbnail} alt="" className="aspect-video w-32 bg-raised object-contain" /> : null}
      <span className="block px-2 py-0.5 text-xs tabular-nums">{formatTime(at, true)}</span>
    </div>
  );
}
