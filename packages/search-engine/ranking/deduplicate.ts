import { calibrateDuplicates } from './calibration.ts';
import type { DuplicateThresholds } from './score-traits.ts';
import type { HitOptions } from './search-tasks.ts';

  /** From this one on two chunks of one item do that follow each other closely. */
  continuation: number;
};

/** A chunk by its slot, its item and its span in it, in seconds. */
export type Span = { slot: number; item: number; start: number; end: number };

/** A chunk that is kept, and those that it stands for, by their places in the list. */
export type Distinct = { place: number; duplicates: number[] };

/** What near-duplicates are found by. */
export type Comparable = {
  /** Some chunks, the best first; undefined for those that are gone. */
  spans: (Span | undefined)[];
  /** The cosines of a chunk to some others; NaN where one of them has no vector. */
  compare: (slot: number, others: number[]) => ArrayLike<number>;
  thresholds: DuplicateThresholds;
};

/** How many chunks are compared with each other: one of each item; with few items several of each; at most so many. */
const minChunks = 40;
const maxChunks = 140;

/** Chunks of one item follow each other closely when at most this many seconds lie between them. */
const maxNeighborGap = 1;

/**
 * Keeps the first of the chunks that show the same event. Each is compared with those kept, never with those dropped, so that a slowly
 * changing scene does not collapse into one hit by a chain of small steps.
 * @param chunks the best first
 * @param compare the cosines of a chunk to some others; NaN where one of them has no vector
 * @param saysMore whether the chunk at the second place says something that the one at the first does not, so that both are kept
 * @param count how many are kept at most
 */
export function deduplicate(
  chunks: Span[],
  compare: (slot: number, others: number[]) => ArrayLike<number>,
  saysMore: (kept: number, other: number) => boolean,
  thresholds: DuplicateThresholds,
  count: number,
): Distinct[] {
  const kept: (Distinct & { chunk: Span })[] = [];
  const keptSlots: number[] = [];
  for (const [place, chunk] of chunks.entries()) {
    const cosines = compare(chunk.slot, keptSlots);
    const original = kept.find(
      (other, i) =>
        areDuplicates(other.chunk, chunk, cosines[i] as number, thresholds) && !saysMore(other.place, place),
    );
    if (original) original.duplicates.push(place);
    else if (kept.length < count) {
      kept.push({ place, duplicates: [], chunk });
      keptSlots.push(chunk.slot);
    }
  }
  return kept.map(({ place, duplicates }) => ({ place, duplicates }));
}

function areDuplicates(a: Span, b: Span, cosine: number, { copy, continuation }: DuplicateThresholds): boolean {
  const gap = Math.max(a.start, b.start) - Math.min(a.end, b.end);
  const close = a.item === b.item && gap <= maxNeighborGap;
  return cosine >= (close ? continuation : copy);
}

/**
 * Keeps the first of some chunks that show the same event; without `dedupe` only of those that are copies of one another. Those that are gone are left out.
 * @param saysMore whether the chunk at the second place says something that the one at the first does not
 * @returns places among the spans
 */
export function findDistinct(
  { spans, compare, thresholds }: Comparable,
  { count, dedupe }: HitOptions,
  saysMore: (kept: number, other: number) => boolean = () => false,
): Distinct[] {
  const places = spans.flatMap((span, place) => (span ? [place] : []));
  const placeOf = (i: number) => places[i] as number;
  const distinct = deduplicate(
    places.map((place) => spans[place] as Span),
    compare,
    (kept, other) => saysMore(placeOf(kept), placeOf(other)),
    dedupe ? thresholds : { ...thresholds, continuation: Infinity },
    count,
  );
  return distinct.map(({ place, duplicates }) => ({ place: placeOf(place), duplicates: duplicates.map(placeOf) }));
}

const calibrated = new WeakMap<object, DuplicateThresholds>();

/**
 * The thresholds of near-duplicates for an embedder that was not measured beforehand: they are calibrated by how similar the chunks of different items
 * are. A film with many similar chunks counts as one item; otherwise its pairs would count as ordinary ones.
 * @param sample chunks spread over a workspace; the thresholds are kept as long as this array is
 */
export function calibrateBySample<Chunk>(
  sample: Chunk[],
  itemOf: (chunk: Chunk) => unknown,
  compare: (chunk: Chunk, others: Chunk[]) => ArrayLike<number>,
  expected: DuplicateThresholds,
): DuplicateThresholds {
  const known = calibrated.get(sample);
  if (known) return known;
  const chosen = spreadOverItems(sample, itemOf);
  const cosines = chosen.flatMap((chunk, i) => Array.from(compare(chunk, chosen.slice(i + 1))));
  const thresholds = calibrateDuplicates(cosines, expected);
  calibrated.set(sample, thresholds);
  return thresholds;
}

/** One chunk of each item, then another one of each, until there are enough. */
function spreadOverItems<Chunk>(sample: Chunk[], itemOf: (chunk: Chunk) => unknown): Chunk[] {
  const items = Map.groupBy(sample, itemOf);
  const chosen: Chunk[] = [];
  for (let round = 0; chosen.length < minChunks; round++) {
    const next = [...items.values()].flatMap((chunks) => chunks[round] ?? []);
    if (next.length === 0) break;
    chosen.push(...next);
  }
  return chosen.slice(0, maxChunks);
}
