import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, test } from 'vitest';
import { type BuiltIndex, removeItem } from '../builder/built-index.ts';
import { maxLinks, type OpenIndex, openIndex, readLinked } from '../index/index-memory.ts';
import { addRange, hasSlot, type SlotSet, withoutDeleted, wordsFor } from '../index/slot-set.ts';
import { buildIndex, linkUntil } from '../testing/built-index.ts';
import { createRandom, drawClusters, drawVector } from '../testing/random.ts';
import { dot } from '../vectors.ts';
import { findNearest, type Neighbor } from './find-nearest.ts';
import { baseOf, isUpper, type Layer, upperOf } from './layers.ts';
import { listLinks } from './link-slot.ts';
import { createGraphScratch } from './search-graph.ts';

const dimensions = 32;
/** Enough that the graph is searched; see `graphCost`. */
const count = 12_000;
const random = createRandom(7);
const scratch = createGraphScratch();

/** Slots that pass a condition and are not deleted. */
function select({ open, slotCount }: BuiltIndex, passes: (slot: number) => boolean = () => true): SlotSet {
  const words = new Uint32Array(wordsFor(slotCount));
  for (let slot = 0; slot < slotCount; slot++) if (passes(slot)) addRange(words, slot, slot + 1);
  return withoutDeleted(words, open.deleted);
}

/** Searches, and counts the vectors that are compared. */
function search(
  index: BuiltIndex,
  query: Float32Array,
  selected: SlotSet,
  wanted: number,
  open: OpenIndex = index.open,
) {
  let compared = 0;
  const vectors: OpenIndex['vectors'] = {
    ...open.vectors,
    estimate: (some) => {
      compared += some;
      open.vectors.estimate(some);
    },
    compare: (some) => {
      compared += some;
      open.vectors.compare(some);
    },
  };
  const parts = { selected, slotCount: index.slotCount, count: wanted };
  return { found: findNearest({ ...open, vectors }, scratch, query, parts), compared };
}

type Vectors = (Float32Array | null)[];

/** Checks what was found against all that there is. @returns the share of the nearest that were found: of equally near ones any count */
function recall(vectors: Vectors, query: Float32Array, selected: SlotSet, found: Neighbor[], wanted: number): number {
  const similarities = vectors
    .flatMap((vector, slot) => (vector && hasSlot(selected, slot) ? [dot(vector, query)] : []))
    .sort((a, b) => b - a);
  const least = similarities[Math.min(wanted, similarities.length) - 1] ?? 1;
  expect(found.length).toBe(Math.min(wanted, similarities.length));
  expect(new Set(found.map(({ slot }) => slot)).size).toBe(found.length);
  for (const [i, { slot, similarity }] of found.entries()) {
    expect(hasSlot(selected, slot)).toBe(true);
    expect(similarity).toBeCloseTo(dot(vectors[slot] as Float32Array, query), 3);
    if (i > 0) expect(similarity).toBeLessThanOrEqual(found[i - 1]?.similarity as number);
  }
  // Rounding to 16 bits exchanges what is as good as equal.
  const right = found.filter(({ slot }) => dot(vectors[slot] as Float32Array, query) >= least - 1e-3).length;
  return found.length === 0 ? 1 : right / found.length;
}

const average = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Queries near some of the vectors. */
const drawQueries = (vectors: Vectors, queries = 30): Float32Array[] =>
  Array.from({ length: queries }, () => drawVector(random, dimensions, random.pick(vectors) ?? undefined));

/** Searches without a filter, and says that the graph was used. */
function expectGraph(index: BuiltIndex, vectors: Vectors, least: number): void {
  const selected = select(index);
  for (const wanted of [10, 100]) {
    const recalls = drawQueries(vectors).map((query) => {
      const { found, compared } = search(index, query, selected, wanted);
      expect(compared).toBeLessThan(count / 2);
      return recall(vectors, query, selected, found, wanted);
    });
    expect(average(recalls)).toBeGreaterThan(least);
  }
}

/** Each link leads to another slot of the graph that has a vector, and none twice. */
function expectSoundLinks({ open }: BuiltIndex): void {
  const linked = readLinked(open.header);
  const isSound = (near: number) => near >= 0 && near < linked && open.embedded[near] === 1;
  const check = (layer: Layer, slot: number, isInLayer: (near: number) => boolean) => {
    const links = listLinks(layer, slot);
    expect(links.length).toBeLessThanOrEqual(maxLinks);
    expect(new Set(links).size).toBe(links.length);
    if (open.embedded[slot] === 0) expect(links).toEqual([]);
    for (const near of links) {
      if (!isSound(near) || near === slot || !isInLayer(near))
        expect.unreachable(`${slot} links to ${near} of ${linked}`);
    }
  };
  for (let slot = 0; slot < linked; slot++) {
    check(baseOf(open), slot, () => true);
    if (isUpper(slot)) check(upperOf(open), slot, isUpper);
  }
}

describe('of vectors in clusters', () => {
  const vectors = drawClusters(random, { count, clusters: 150, dimensions });
  let index: BuiltIndex;

  beforeAll(async () => {
    index = await buildIndex(vectors, dimensions);
    for (const end of [1, 2, 40, 3000, count]) {
      linkUntil(index, end);
      expectSoundLinks(index);
    }
  });

  test('nearly all of the nearest are found', () => expectGraph(index, vectors, 0.95));

  test.each([0.0001, 0.001, 0.01, 0.1, 0.4])(
    'behind a filter of %f at random exactly the nearest are found',
    (share) => {
      const selected = select(index, () => random.next() < share);
      for (const query of drawQueries(vectors, 10)) {
        const { found, compared } = search(index, query, selected, 50);
        expect(recall(vectors, query, selected, found, 50)).toBe(1);
        // Each by a part of its bits, and the best again.
        expect(compared - selected.size).toBeLessThanOrEqual(100);
      }
    },
  );

  test.each([0.75, 0.9, 0.99, 0.9999])(
    'behind a filter of %f at random nearly all are found, with less work',
    (share) => {
      const selected = select(index, () => random.next() < share);
      const results = drawQueries(vectors).map((query) => {
        const { found, compared } = search(index, query, selected, 50);
        return { recall: recall(vectors, query, selected, found, 50), compared };
      });
      expect(average(results.map(({ recall }) => recall))).toBeGreaterThan(0.95);
      expect(average(results.map(({ compared }) => compared))).toBeLessThan(selected.size / 2);
    },
  );

  test('where all that passes is far from the query, it is found all the same, in bounded work', () => {
    const recalls = drawQueries(vectors, 10).map((query) => {
      const sorted = vectors.map((vector) => dot(vector, query)).sort((a, b) => b - a);
      // The third of all that is nearest does not pass: whole clusters, and nothing is left of the graph around the query.
      const most = sorted[Math.floor(0.28 * count)] as number;
      const selected = select(index, (slot) => dot(vectors[slot] as Float32Array, query) < most);
      const { found, compared } = search(index, query, selected, 20);
      expect(compared).toBeLessThanOrEqual(3 * selected.size);
      return recall(vectors, query, selected, found, 20);
    });
    expect(average(recalls)).toBeGreaterThan(0.9);
  });

  test('a filter that nothing passes, and more hits than there are', () => {
    const [query] = drawQueries(vectors, 1);
    expect(
      search(
        index,
        query as Float32Array,
        select(index, () => false),
        10,
      ).found,
    ).toEqual([]);
    const few = select(index, (slot) => slot >= count - 3);
    expect(search(index, query as Float32Array, few, 10).found).toHaveLength(3);
    const all = search(index, query as Float32Array, select(index), 2 * count).found;
    expect(new Set(all.map(({ slot }) => slot)).size).toBe(count);
  });

  test('slots that are not in the graph yet are found as well', () => {
    const [query = new Float32Array()] = drawQueries(vectors, 1);
    // As a thread sees it that was sent fewer slots, and as one sees it while the graph is built.
    for (const linked of [0, 1, 100, count - 2000, count - 1]) {
      const header = new Int32Array(new SharedArrayBuffer(4)).fill(linked);
      const selected = select(index);
      const { found } = search(index, query, selected, 50, { ...index.open, header });
      expect(recall(vectors, query, selected, found, 50)).toBeGreaterThanOrEqual(0.9);
    }
    const before = { ...index, slotCount: count - 3000 };
    const selected = select(before);
    const { found } = search(before, query, selected, 50);
    expect(recall(vectors.slice(0, count - 3000), query, selected, found, 50)).toBeGreaterThanOrEqual(0.9);
  });
});

test('where there are hundreds of each scene, the nearest are found behind filters by date, by scene and at random', async () => {
  const size = 2 * count;
  const scenes = 40;
  const centres = Array.from({ length: scenes }, () => drawVector(random, dimensions));
  const vectors = Array.from({ length: size }, (_, slot) => drawVector(random, dimensions, centres[slot % scenes]));
  const index = await buildIndex(vectors, dimensions);
  linkUntil(index);
  expectSoundLinks(index);
  const passing: Record<string, (slot: number) => boolean> = {
    // When they came there were enough of each scene that all their links stay in it.
    late: (slot) => slot >= size / 2,
    scenes: (slot) => slot % scenes < scenes / 2,
    random: () => random.next() < 0.4,
  };
  for (const [name, passes] of Object.entries(passing)) {
    const selected = select(index, passes);
    const results = drawQueries(vectors, 40).map((query) => {
      const { found, compared } = search(index, query, selected, 20);
      return { recall: recall(vectors, query, selected, found, 20), compared };
    });
    expect(average(results.map(({ recall }) => recall)), name).toBeGreaterThan(0.97);
    expect(average(results.map(({ compared }) => compared)), name).toBeLessThan(selected.size / 4);
  }
});

test('with thousands of exact copies of one vector, and many of others, nearly all of the nearest are found', async () => {
  const originals = drawClusters(random, { count: 6000, clusters: 60, dimensions });
  const vectors = Array.from({ length: count }, (_, i) => {
    // A black frame in a third of all films, a title in each series, and what is unique.
    if (i % 3 === 0) return originals[0] as Float32Array;
    if (i % 3 === 1) return originals[1 + (i % 40)] as Float32Array;
    return originals[i % 6000] as Float32Array;
  });
  const index = await buildIndex(vectors, dimensions);
  linkUntil(index);
  expectSoundLinks(index);
  expectGraph(index, vectors, 0.95);
  // The copies themselves are found, and what is next to them.
  const selected = select(index);
  for (const query of [originals[0], originals[1], originals[2]] as Float32Array[]) {
    for (const wanted of [50, 300]) {
      const { found } = search(index, query, selected, wanted);
      expect(recall(vectors, query, selected, found, wanted)).toBeGreaterThan(0.95);
    }
  }
});

test('chunks without a vector and deleted ones are never found, and hide no other', async () => {
  const vectors = drawClusters(random, { count: 1.6 * count, clusters: 150, dimensions }).map((vector, i) =>
    i % 10 < 2 || (i > 5000 && i < 6000) ? null : vector,
  );
  const index = await buildIndex(vectors, dimensions);
  linkUntil(index, 10_000);
  for (let i = 0; i < vectors.length; i++) if (i % 9 === 5) removeItem(index, `item-${i}`);
  linkUntil(index);
  // A whole row of neighbours in time.
  for (let i = 9000; i < 10_500; i++) removeItem(index, `item-${i}`);
  expectSoundLinks(index);
  expectGraph(index, vectors, 0.95);
});

test('an index without any vector, or without any slot, finds nothing', async () => {
  for (const vectors of [[], [null, null, null]]) {
    const index = await buildIndex(vectors, dimensions);
    linkUntil(index);
    expect(search(index, drawVector(random, dimensions), select(index), 10).found).toEqual([]);
  }
});

test('a search finds nearly all of the nearest at any moment while another thread builds the graph', async () => {
  const vectors = drawClusters(random, { count, clusters: 150, dimensions });
  const index = await buildIndex(vectors, dimensions);
  const open = openIndex(index.memory, 1);
  const worker = new Worker(new URL('../testing/link-in-thread.ts', import.meta.url), {
    workerData: { memory: index.memory, slotCount: count },
  });
  const ended = once(worker, 'exit');
  const selected = select(index);
  const queries = drawQueries(vectors);
  const recalls: number[] = [];
  const linkedAt = new Set<number>();
  while (readLinked(open.header) < count) {
    const linked = readLinked(open.header);
    const query = random.pick(queries);
    const { found } = search(index, query, selected, 20, open);
    if (linked > 0 && linked < count) {
      linkedAt.add(linked);
      recalls.push(recall(vectors, query, selected, found, 20));
    }
    await nextTurn();
  }
  expect(await ended).toEqual([0]);
  expect(linkedAt.size).toBeGreaterThan(20);
  expect(Math.min(...recalls)).toBeGreaterThanOrEqual(0.8);
  expect(average(recalls)).toBeGreaterThan(0.95);
  expectSoundLinks(index);
});
