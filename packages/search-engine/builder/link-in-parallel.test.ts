import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { beforeAll, expect, test } from 'vitest';
import { findNearest } from '../graph/find-nearest.ts';
import { baseOf, isUpper, upperOf, upperSlot } from '../graph/layers.ts';
import { createGraphWriter, listLinks } from '../graph/link-slot.ts';
import { createGraphScratch } from '../graph/search-graph.ts';
import { maxLinks, readLinked, upperEvery } from '../index/index-memory.ts';
import { addRange, wordsFor } from '../index/slot-set.ts';
import { buildIndex, itemOf, linkUntil } from '../testing/built-index.ts';
import { createRandom, drawClusters, drawVector } from '../testing/random.ts';
import { dot } from '../vectors.ts';
import { type BuiltIndex, putItem } from './built-index.ts';
import { linkInParallel } from './link-in-parallel.ts';
import type { LinkThreadData } from './link-thread.ts';

const dimensions = 32;
const count = 12_000;
const random = createRandom(33);
const { signal } = new AbortController();
/** As items are: rows of chunks that are alike, each row drawn from a cluster, and copies among them. */
const vectors = drawClusters(random, { count: count / 10, clusters: 120, dimensions }).flatMap((first) =>
  Array.from({ length: 10 }, (_, i) => (i < 3 ? first : drawVector(random, dimensions, first))),
);
const queries = Array.from({ length: 60 }, () => drawVector(random, dimensions, random.pick(vectors)));
let expected: number[][];

beforeAll(() => {
  expected = queries.map((query) => vectors.map((vector) => dot(vector, query)).toSorted((a, b) => b - a));
});

/** The share of the first ten that are as near as the exact first ten, by the graph. @param first the slot of the first vector */
function recall(index: BuiltIndex, first = 0): number {
  const { slotCount } = index;
  const words = new Uint32Array(wordsFor(slotCount));
  addRange(words, first, slotCount);
  const scratch = createGraphScratch();
  let right = 0;
  for (const [i, query] of queries.entries()) {
    const parts = { selected: { words, size: slotCount - first }, slotCount, count: 10 };
    const least = (expected[i]?.[9] as number) - 1e-3;
    right += findNearest(index.open, scratch, query, parts).filter(({ similarity }) => similarity >= least).length;
  }
  return right / (10 * queries.length);
}

/** Each link leads to another slot of the layer, and none twice. */
function expectSound(index: BuiltIndex): void {
  expect(readLinked(index.open.header)).toBe(index.slotCount);
  const slots = [...Array(index.slotCount).keys()];
  for (const [layer, those] of [
    [baseOf(index.open), slots],
    [upperOf(index.open), slots.filter(isUpper)],
  ] as const) {
    const inLayer = new Set(those);
    let links = 0;
    for (const slot of those) {
      const own = listLinks(layer, slot);
      links += own.length;
      if (own.includes(slot) || new Set(own).size < own.length || own.some((near) => !inLayer.has(near))) {
        expect.unreachable(`${slot} links to ${own.join(' ')}`);
      }
    }
    expect(links / those.length).toBeGreaterThan(10);
  }
  expect(index.open.locks.every((holder) => holder === 0)).toBe(true);
}

test('a graph by several threads finds as many as one by one thread', async () => {
  const alone = await buildIndex(vectors, dimensions);
  linkUntil(alone);
  const together = await buildIndex(vectors, dimensions);
  await linkInParallel(together, signal, { threads: 4 });
  expectSound(together);
  expect(together.unsaved).toBeGreaterThanOrEqual(2 * count);
  expect(recall(together)).toBeGreaterThan(Math.max(0.95, recall(alone) - 0.01));
});

test('slots that are added meanwhile, and make its memory grow, are linked as well; what is below `linked` has its links', async () => {
  const index = await buildIndex(vectors.slice(0, 3000), dimensions);
  let isGrowing = true;
  const linking = linkInParallel(index, signal, { threads: 3, isGrowing: () => isGrowing });
  for (let place = 3000; place < count; place++) {
    const found = new Map([[place, vectors[place] as Float32Array]]);
    await putItem(index, itemOf(`item-${place}`, [place]), () => Promise.resolve(found));
    if (place % 500 > 0) continue;
    await sleep(1);
    const linked = readLinked(index.open.header);
    for (let slot = 0; slot < linked; slot++)
      if (listLinks(baseOf(index.open), slot).length === 0) expect.unreachable(`${slot}`);
  }
  isGrowing = false;
  await linking;
  expectSound(index);
  expect(recall(index)).toBeGreaterThan(0.95);
});

test('a thread that dies in the middle is replaced, and its slots are linked by others', async () => {
  const index = await buildIndex(vectors, dimensions);
  let started = 0;
  const startThread = (workerData: LinkThreadData) => {
    const worker = new Worker(new URL('./link-thread.ts', import.meta.url), { workerData });
    started += 1;
    // The first dies while it works, with a lock that nobody else would open.
    if (started === 1) {
      worker.once('message', () => {
        index.open.locks[77] = workerData.thread + 1;
        void worker.terminate();
      });
    }
    return worker;
  };
  await linkInParallel(index, signal, { threads: 2, startThread });
  expect(started).toBe(3);
  expectSound(index);
  expect(recall(index)).toBeGreaterThan(0.95);
});

test('it ends soon when it is aborted, with a graph that one thread goes on with', async () => {
  const index = await buildIndex(vectors, dimensions);
  const stop = new AbortController();
  const linking = linkInParallel(index, stop.signal, { threads: 2 });
  while (readLinked(index.open.header) < 3000) await sleep(2);
  stop.abort();
  await linking;
  expect(readLinked(index.open.header)).toBeLessThan(count);
  linkUntil(index);
  expectSound(index);
  expect(recall(index)).toBeGreaterThan(0.95);
});

test('where the first chunks have no vector, threads have something to link to', async () => {
  const early = 3000;
  const index = await buildIndex([...Array.from({ length: early }, () => null), ...vectors], dimensions);
  await linkInParallel(index, signal, { threads: 4 });
  expect(recall(index, early)).toBeGreaterThan(0.95);
});

test('a thread that sees less of the upper layer than of the base links to nothing beyond', async () => {
  const index = await buildIndex(vectors.slice(0, 2000), dimensions);
  linkUntil(index, 1024);
  const groups = 1024 / upperEvery;
  // As a view is that was made before both had grown.
  const upperLinks = index.open.upperLinks.subarray(0, (groups + 1) * maxLinks);
  const beyond = upperSlot(groups + 2);
  // Another thread has linked that one meanwhile.
  for (let at = 0; at < groups * maxLinks; at++) if (upperLinks[at] === 0) upperLinks[at] = beyond + 1;
  const added = upperSlot(groups);
  createGraphWriter(1).link({ ...index.open, upperLinks }, added);
  const links = listLinks(upperOf({ upperLinks }), added);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((slot) => !isUpper(slot) || slot >= 1024)).toEqual([]);
});
