import { expect, test } from 'vitest';
import { removeItem, takeSnapshot } from '../builder/built-index.ts';
import { createGraphScratch } from '../graph/search-graph.ts';
import { buildIndex, linkUntil } from '../testing/built-index.ts';
import { createRandom, drawClusters } from '../testing/random.ts';
import { dot } from '../vectors.ts';
import { findNearestOfEach } from './find-nearest-of-each.ts';
import { readIndex } from './index-reader.ts';

const dimensions = 24;

test.each([300, 9000])(
  'of %i chunks the nearest to each vector are found, without deleted ones and those left out',
  async (count) => {
    const random = createRandom(5);
    const vectors = drawClusters(random, { count, clusters: 40, dimensions });
    const index = await buildIndex(
      vectors.map((vector, i) => (i % 50 === 3 ? null : vector)),
      dimensions,
    );
    linkUntil(index);
    for (let i = 0; i < count; i += 7) removeItem(index, `item-${i}`);
    const reader = readIndex(takeSnapshot(index), 1);
    // Of the cluster of the first, more than are asked for.
    const asked = [1, 2, 4].map((i) => vectors[i] as Float32Array);
    const leftOut = [1, 2, ...[...vectors.keys()].filter((i) => i % 2 === 0), count + 5];
    const options = { count: 20, least: 0.5, leftOut };
    const lists = findNearestOfEach(reader, createGraphScratch(), asked, options);
    expect(lists).toHaveLength(asked.length);
    for (const [i, list] of lists.entries()) {
      const similarityTo = (number: number) => dot(vectors[number] as Float32Array, asked[i] as Float32Array);
      const exact = [...vectors.keys()]
        .filter((number) => number % 7 !== 0 && number % 50 !== 3 && !leftOut.includes(number))
        .filter((number) => similarityTo(number) >= options.least)
        .toSorted((a, b) => similarityTo(b) - similarityTo(a))
        .slice(0, options.count);
      const found = list.map(({ number }) => number);
      expect(found.filter((number) => exact.includes(number)).length).toBeGreaterThanOrEqual(0.95 * exact.length);
      expect(found.length).toBe(exact.length);
      expect(found.filter((number) => leftOut.includes(number) || number % 7 === 0)).toEqual([]);
      for (const { number, similarity } of list) expect(similarity).toBeCloseTo(similarityTo(number), 2);
      expect(list.map(({ similarity }) => similarity)).toEqual(
        list.map(({ similarity }) => similarity).toSorted((a, b) => b - a),
      );
    }
    expect(findNearestOfEach(reader, createGraphScratch(), asked, { ...options, least: 1.01 })).toEqual([[], [], []]);
  },
);
