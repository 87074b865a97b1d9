import type { Span } from './span.ts';

/**
 * The bars of a part of a recording, as high as the loudest that each stands for.
 * @param peaks of all of it, 0..255, in equal parts of its time
 * @param duration of all of it, seconds
 * @param span the part, seconds
 * @returns `count` numbers from 0 to 100; none where nothing is known
 */
export function barsOfSpan(peaks: readonly number[], duration: number, { start, end }: Span, count: number): number[] {
  if (peaks.length === 0 || duration <= 0 || end <= start) return [];
  const placeOf = (bar: number) => ((start + ((end - start) * bar) / count) / duration) * peaks.length;
  return Array.from({ length: count }, (_, bar) => {
    const first = Math.min(peaks.length - 1, Math.floor(placeOf(bar)));
    const after = Math.max(first + 1, Math.floor(placeOf(bar + 1)));
    const loudest = peaks.slice(first, after).reduce((most, peak) => Math.max(most, peak), 0);
    return Math.min(100, Math.max(0, (100 * loudest) / 255));
  });
}
