import { useState } from 'react';

/** How much waited to be read at a time, milliseconds: a number of items, or a part of one. */
type Sample = { at: number; waiting: number };

/** Speeds are measured over this time, and not told before the second one has passed. */
const windowMs = 30 * 60_000;
const minMs = 20_000;

/** The samples with one more; those before are dropped where more came in, whose times say nothing. */
export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  const last = samples.at(-1);
  if (last && sample.waiting > last.waiting) return [sample];
  return [...samples.filter(({ at }) => sample.at - at <= windowMs), sample];
}

/** Seconds until nothing waits any more, at the speed of the samples; null while that cannot be known. */
export function secondsLeft(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < minMs || first.waiting === last.waiting) return null;
  return (last.waiting * (last.at - first.at)) / (first.waiting - last.waiting) / 1000;
}

/**
 * Seconds until nothing waits any more; null while that cannot be known.
 * @param waiting null while nothing is read
 * @param at when this was so, milliseconds
 */
export function useSecondsLeft(waiting: number | null, at: number): number | null {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const last = samples.at(-1)?.waiting ?? null;
  if (last !== waiting) setSamples(waiting === null ? [] : addSample(samples, { at, waiting }));
  return secondsLeft(samples);
}
