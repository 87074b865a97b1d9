import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useMemo, useRef } from 'react';
import { mediaItemOptions } from '../../api/queries.ts';
import { waveformOptions } from '../../api/waveform.ts';
import { useElementSize } from '../../lib/use-element-size.ts';
import { fractionOfSpan, type Span, timeAtFraction } from './span.ts';
import { barsOfSpan } from './waveform-bars.ts';

/** From one bar to the next, and how wide one is, CSS pixels. */
const pitch = 5;
const barWidth = 3;

type SoundStageProps = {
  mediaId: string;
  /** What stands for it until its cover is known. */
  poster: string;
  span: Span;
  time: number;
  onSeek: (time: number) => void;
};

/**
 * What is shown while a recording plays: its cover and title where it has them, and its waveform, which leads to any of its times. The slider below
 * is for keys, so the waveform is for the pointer alone. It is dark in both themes, as the stage of a video is.
 */
export function SoundStage({ mediaId, poster, ...position }: SoundStageProps) {
  const { data: item } = useQuery(mediaItemOptions(mediaId));
  const { data: peaks } = useQuery(waveformOptions(item?.waveform ?? null));
  const { title, artist, album, cover } = item?.details ?? {};
  return (
    <div className="pointer-events-none absolute inset-0 overflow-hidden bg-[#121718] text-white">
      <img src={poster} alt="" className="absolute inset-0 size-full scale-125 object-cover opacity-25 blur-3xl" />
      <div className="absolute inset-x-0 top-14 bottom-24 flex flex-col items-center justify-center gap-4 px-4 sm:gap-6 sm:px-10">
        {cover ? (
          <img src={poster} alt="" className="max-h-[48%] min-h-0 max-w-full rounded-md object-contain shadow-float" />
        ) : null}
        {title || artist ? (
          <p className="max-w-full shrink-0 text-center">
            {title ? <span className="block truncate text-lg font-medium">{title}</span> : null}
            {artist ? (
              <span className="block truncate text-label text-white/75">
                {[artist, album].filter(Boolean).join(' · ')}
              </span>
            ) : null}
          </p>
        ) : null}
        <Waveform peaks={peaks ?? noPeaks} duration={item?.duration ?? 0} {...position} />
      </div>
    </div>
  );
}

const noPeaks: readonly number[] = [];

/** How loud each part is. What was played is bright. */
function Waveform({
  peaks,
  duration,
  span,
  time,
  onSeek,
}: { peaks: readonly number[]; duration: number } & Pick<SoundStageProps, 'span' | 'time' | 'onSeek'>) {
  const place = useRef<HTMLDivElement>(null);
  const { width } = useElementSize(place);
  const { start, end } = span;
  const path = useMemo(
    () => toPath(barsOfSpan(peaks, duration, { start, end }, Math.floor(width / pitch))),
    [peaks, duration, start, end, width],
  );
  const played = fractionOfSpan(span, time);
  const onPointerDown = (event: PointerEvent) => {
    const { left, width: whole } = event.currentTarget.getBoundingClientRect();
    event.stopPropagation();
    onSeek(timeAtFraction(span, Math.min(1, Math.max(0, (event.clientX - left) / whole))));
  };
  return (
    <div
      ref={place}
      aria-hidden
      data-waveform
      onPointerDown={onPointerDown}
      className="pointer-events-auto relative h-24 w-full max-w-5xl shrink-0 cursor-pointer sm:h-32"
    >
      <Bars path={path} className="text-white/35" />
      <div className="absolute inset-0" style={{ clipPath: `inset(0 ${100 * (1 - played)}% 0 0)` }}>
        <Bars path={path} className="text-[#62cabd] forced-colors:text-[Highlight]" />
      </div>
    </div>
  );
}

const Bars = ({ path, className }: { path: string; className: string }) => (
  <svg viewBox="0 0 1 100" preserveAspectRatio="none" className={`absolute inset-0 size-full ${className}`}>
    <path
      d={path}
      stroke="currentColor"
      strokeWidth={barWidth}
      strokeLinecap="round"
      vectorEffect="non-scaling-stroke"
    />
  </svg>
);

/** Bars from left to right in a picture that is 1 wide and 100 high, around its middle; silence is a dot. */
const toPath = (bars: readonly number[]): string =>
  bars
    .map((bar, i) => {
      const half = Math.max(0.5, 0.46 * bar);
      return `M${((i + 0.5) / bars.length).toFixed(5)} ${(50 - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
    })
    .join('');
