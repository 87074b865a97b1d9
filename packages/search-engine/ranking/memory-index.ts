import { findNearest } from '../graph/find-nearest.ts';
import type { GraphScratch } from '../graph/search-graph.ts';
import { isIn, type SlotSet } from '../index/slot-set.ts';
import type { Accumulator } from '../text/accumulator.ts';
import { findExcluded } from '../text/find-excluded.ts';
import { createTextLoader } from '../text/phrases.ts';
import { searchTexts } from '../text/search-texts.ts';
import { type Background, measureBackground } from './calibration.ts';
import { calibrateBySample, type Comparable, type Span } from './deduplicate.ts';
import { findLabelled } from './find-labelled.ts';
import { findMeant } from './find-meant.ts';
import type { IndexReader } from './index-reader.ts';
import { type SearchIndex, timed } from './run-search.ts';
import type { ScoreTraits } from './score-traits.ts';
import type { SearchReader, SearchTask, StageTimes } from './search-tasks.ts';

/** What a thread needs for searches, reused between them. */
export type SearchParts = {
  scratch: GraphScratch;
  accumulator: Accumulator;
  /** For the texts that may hold a phrase, and the names of labels. */
  catalog: SearchReader;
};

/** An index in memory as one search sees it: chunks go by their slots. */
export async function openMemoryIndex(
  reader: IndexReader,
  task: SearchTask,
  { scratch, accumulator, catalog }: SearchParts,
  times: StageTimes,
): Promise<SearchIndex<SlotSet>> {
  const { filter, only, vector, meaning, text, sources, traits } = task;
  const { textSegments, slotCount } = reader.snapshot;
  const numberOf = (slot: number): number => reader.index.numbers[slot] as number;
  const selected = await timed(times, 'vector', () =>
    only === null ? reader.select(filter) : reader.selectOnly(only, filter),
  );
  const sampled = await timed(times, 'vector', () => vector && reader.compare(vector, reader.sample()));
  const labelled = await timed(times, 'text', () => findLabelled(reader, task, catalog));
  const readTexts = createTextLoader((slots) => catalog.readTexts(task.workspaceId, slots.map(numberOf)), sources);
  return {
    isLabelled: labelled.some(({ length }) => length > 0),
    numberOf,
    measure: (other) => (other === vector && sampled ? measureSample(sampled, traits) : measure(reader, other, traits)),

    findNear(count, among = selected) {
      if (!vector || !sampled) return new Map();
      const found = findNearest(reader.index, scratch, vector, { selected: among, slotCount, count });
      return new Map(found.map(({ slot, similarity }) => [slot, similarity]));
    },

    compare: (other, slots) => compareSlots(reader, other, slots),

    findTexts: (depth) =>
      searchTexts(textSegments, text, {
        ...depth,
        selected: selected.words,
        sources,
        labelled,
        readTexts,
        accumulator,
      }),

    findMeant(count) {
      if (!meaning || !reader.passages) return new Map();
      const asked = { live: reader.select({}), chunks: selected, sources, count };
      const found = findMeant(reader.passages, scratch, meaning, asked);
      // Where images are compared, the nearest of all is shown as a weak hit. Where only texts are looked at, a hit has to be one.
      return vector ? found : new Map([...found].filter(([, { isClear }]) => isClear));
    },

    findExcluded: (slots) => findExcluded(textSegments, text.excluded, slots, readTexts, sources),
    async openTexts(slots) {
      const texts = await readTexts(slots);
      const found = new Map(slots.map((slot, i) => [slot, texts[i]]));
      return (slot) => found.get(slot);
    },
    openComparable: (slots) => openComparable(reader, slots, traits),
    findAround: (slots, seconds) => findAround(reader, selected, slots, seconds),
  };
}

/** The cosines of a vector and some slots; none for those without a vector. */
function compareSlots(reader: IndexReader, vector: Float32Array, slots: number[]): Map<number, number> {
  const cosines = reader.compare(vector, slots);
  const found = new Map<number, number>();
  for (const [i, slot] of slots.entries()) {
    const cosine = cosines[i] as number;
    if (!Number.isNaN(cosine)) found.set(slot, cosine);
  }
  return found;
}

/** What finds near-duplicates among some slots of an index; undefined stands for one that is gone. */
export function openComparable(reader: IndexReader, slots: (number | undefined)[], traits: ScoreTraits): Comparable {
  const { items, times } = reader.index;
  const itemOf = (slot: number) => items[slot] as number;
  const compare = (slot: number, others: number[]) => reader.compareSlot(slot, others);
  const toSpan = (slot: number): Span => ({
    slot,
    item: itemOf(slot),
    start: times[2 * slot] as number,
    end: times[2 * slot + 1] as number,
  });
  return {
    spans: slots.map((slot) => (slot === undefined ? undefined : toSpan(slot))),
    compare,
    thresholds: traits.hasMeasuredThresholds
      ? traits.duplicateThresholds
      : calibrateBySample(reader.sample(), itemOf, compare, traits.duplicateThresholds),
  };
}

/** Some slots, and those of their items that lie at most so many seconds before or after one of them. */
function findAround({ index }: IndexReader, { words }: SlotSet, slots: number[], seconds: number): Span[] {
  const { items, ranges, times } = index;
  const found = new Map<number, Span>();
  for (const slot of slots) {
    const item = items[slot] as number;
    const [from, to] = [(times[2 * slot] as number) - seconds, (times[2 * slot + 1] as number) + seconds];
    for (let other = ranges[2 * item] as number; other < (ranges[2 * item + 1] as number); other++) {
      const [start, end] = [times[2 * other] as number, times[2 * other + 1] as number];
      if (end >= from && start <= to && isIn(words, other)) found.set(other, { slot: other, item, start, end });
    }
  }
  return [...found.values()];
}

/** Measures how similar chunks are to a query in general, by the sample of an index. */
export const measure = (reader: IndexReader, vector: Float32Array, traits: ScoreTraits): Background =>
  measureSample(reader.compare(vector, reader.sample()), traits);

const measureSample = (sampled: Float64Array, { mean, spread }: ScoreTraits): Background =>
  measureBackground(sampled, { mean, deviation: spread });
