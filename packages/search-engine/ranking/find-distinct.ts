import { calibrateDuplicates } from './calibration.ts';
import { deduplicate, type Distinct, type DuplicateThresholds, type Span } from './deduplicate.ts';
import type { IndexReader } from './index-reader.ts';
import type { ScoreTraits } from './score-traits.ts';
import type { HitOptions } from './search-tasks.ts';

/** How many chunks are compared with each other: one of each item; with few items several of each; at most so many. */
const minChunks = 40;
const maxChunks = 140;

/**
 * Keeps the first of some slots that show the same event; without `dedupe` only of those that are copies of one another.
 * @param slots the best first
 * @param saysMore whether the slot at the second place says something that the one at the first does not
 */
export function findDistinct(
  reader: IndexReader,
  slots: number[],
  { count, dedupe }: HitOptions,
  traits: ScoreTraits,
  saysMore: (kept: number, other: number) => boolean = () => false,
): Distinct[] {
  const { items, times } = reader.index;
  const spans = slots.map((slot): Span => ({
    slot,
    item: items[slot] as number,
    start: times[2 * slot] as number,
    end: times[2 * slot + 1] as number,
  }));
  const thresholds = readThresholds(reader, traits);
  return deduplicate(
    spans,
    (slot, others) => reader.compareSlot(slot, others),
    saysMore,
    dedupe ? thresholds : { ...thresholds, continuation: Infinity },
    count,
  );
}

const calibrated = new WeakMap<IndexReader, DuplicateThresholds>();

/**
 * The thresholds of near-duplicates in a workspace. For an embedder that was not measured beforehand they are calibrated by how similar the
 * chunks of different items are. A film with many similar chunks counts as one item; otherwise its pairs would count as ordinary ones.
 */
function readThresholds(reader: IndexReader, traits: ScoreTraits): DuplicateThresholds {
  if (traits.hasMeasuredThresholds) return traits.duplicateThresholds;
  const known = calibrated.get(reader);
  if (known) return known;
  const { items } = reader.index;
  const chosen = spreadOverItems(reader.sample(), (slot) => items[slot] as number);
  const cosines = chosen.flatMap((slot, i) => [...reader.compareSlot(slot, chosen.slice(i + 1))]);
  const thresholds = calibrateDuplicates(cosines, traits.duplicateThresholds);
  calibrated.set(reader, thresholds);
  return thresholds;
}

/** Those of a sample whose pairs calibrate the thresholds: one chunk of each item, then another one of each, until there are enough. */
export function spreadOverItems<Chunk, Item>(sample: Chunk[], itemOf: (chunk: Chunk) => Item): Chunk[] {
  const items = new Map<Item, Chunk[]>();
  for (const chunk of sample) {
    const item = itemOf(chunk);
    items.set(item, [...(items.get(item) ?? []), chunk]);
  }
  const chosen: Chunk[] = [];
  for (let round = 0; chosen.length < minChunks; round++) {
    const next = [...items.values()].flatMap((chunks) => chunks[round] ?? []);
    if (next.length === 0) break;
    chosen.push(...next);
  }
  return chosen.slice(0, maxChunks);
}
