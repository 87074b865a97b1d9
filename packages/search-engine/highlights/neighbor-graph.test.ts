import { describe, expect, test } from 'vitest';
import { toUnit } from '../vectors.ts';
import { dotProducts } from './dot-products.ts';
import { emptyGraph, type Member, type NeighborGraph, updateGraph } from './neighbor-graph.ts';
import { scoreOutliers } from './outliers.ts';

/** Pseudo-random numbers in 0..1, the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Chunks of items of different lengths, their vectors in a few clusters, some of them copies of others. */
function createPopulation(seed: number) {
  const random = createRandom(seed);
  const vectors = new Map<number, Float32Array>();
  const members: Member[] = [];
  let next = 1;
  return {
    members,
    random,
    read: (numbers: number[]) =>
      Promise.resolve(new Map(numbers.map((number) => [number, vectors.get(number) as Float32Array]))),
    addItem: (length: number) => {
      for (let position = 0; position < length; position++) {
        const copied = random() < 0.1 ? vectors.get(Math.ceil(random() * (next - 1))) : undefined;
        const heap = Math.floor(random() * 5);
        const raw = Array.from({ length: 16 }, (_, axis) => Math.sin(heap * 7 + axis) + 0.4 * (random() - 0.5));
        vectors.set(next, copied ?? toUnit(raw));
        members.push({ number: next, media_id: `item ${seed} ${members.length - position}`, position });
        next += 1;
      }
    },
  };
}

/** The neighbours of each chunk that are always exact. */
const sureRowsOf = ({ numbers, neighbors, distances }: NeighborGraph) =>
  Array.from(numbers, (number, row) => ({
    number,
    neighbors: Array.from(neighbors.subarray(row * 32, row * 32 + 20)),
    distances: Array.from(distances.subarray(row * 32, row * 32 + 20)),
  }));

describe('a graph that is updated', () => {
  test.each([1, 2, 3])(
    'equals the one computed from all chunks at once, after any additions and deletions (%i)',
    async (seed) => {
      const { members, random, read, addItem } = createPopulation(seed);
      for (let i = 0; i < 60; i++) addItem(5);
      let graph = await updateGraph(emptyGraph(), members, read);
      for (let round = 0; round < 12; round++) {
        for (let i = 0; i < random() * 8; i++) addItem(1 + Math.floor(random() * 6));
        const gone = new Set(members.filter(() => random() < 0.1).map(({ media_id }) => media_id));
        if (round % 2 === 1) {
          members.splice(0, members.length, ...members.filter(({ media_id }) => !gone.has(media_id)));
        }
        graph = await updateGraph(graph, members, read);
        const whole = await updateGraph(emptyGraph(), members, read);
        expect(sureRowsOf(graph)).toEqual(sureRowsOf(whole));
        for (const method of ['knn', 'lof', 'centroid'] as const) {
          expect(await scoreOutliers(method, graph, read)).toEqual(await scoreOutliers(method, whole, read));
        }
      }
    },
  );

  test('holds the same nearest neighbours as pairwise comparison', async () => {
    const { members, read, addItem } = createPopulation(4);
    for (let i = 0; i < 40; i++) addItem(7);
    const { numbers, neighbors, distances } = await updateGraph(emptyGraph(), members, read);
    const vectors = await read(Array.from(numbers));
    for (const [row, member] of members.entries()) {
      const expected = members
        .filter(
          ({ number, media_id, position }) =>
            number !== member.number && (media_id !== member.media_id || Math.abs(position - member.position) > 2),
        )
        .map(({ number }) => ({ number, distance: distanceOf(vectors.get(number), vectors.get(member.number)) }))
        .toSorted((a, b) => a.distance - b.distance || a.number - b.number)
        .slice(0, 32);
      expect(Array.from(neighbors.subarray(row * 32, (row + 1) * 32))).toEqual(expected.map(({ number }) => number));
      expect(Array.from(distances.subarray(row * 32, (row + 1) * 32))).toEqual(
        expected.map(({ distance }) => distance),
      );
    }
  });

  test('ignores vectors that are deleted while it reads', async () => {
    const { members, read, addItem } = createPopulation(5);
    for (let i = 0; i < 30; i++) addItem(1);
    const partial = async (numbers: number[]) => read(numbers.filter((number) => number % 3 !== 0));
    const graph = await updateGraph(emptyGraph(), members, partial);
    const left = members.filter(({ number }) => number % 3 !== 0);
    expect(sureRowsOf(await updateGraph(graph, left, read))).toEqual(
      sureRowsOf(await updateGraph(emptyGraph(), left, read)),
    );
  });
});

const distanceOf = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  Math.sqrt(Array.from(a ?? [], (value, i) => (value - (b?.[i] ?? 0)) ** 2).reduce((sum, each) => sum + each, 0));

test('many dot products at once equal those computed in small batches', async () => {
  const random = createRandom(6);
  const dimensions = 96;
  const matrix = (rows: number) => ({ rows, values: Float32Array.from({ length: rows * dimensions }, random) });
  const [a, b] = [matrix(600), matrix(300)];
  const products = await dotProducts(a, b, dimensions);
  for (const i of [0, 1, 333, 599]) {
    const row = { rows: 1, values: a.values.subarray(i * dimensions, (i + 1) * dimensions) };
    for (const [j, value] of (await dotProducts(row, b, dimensions)).entries()) {
      expect(products[i * b.rows + j]).toBeCloseTo(value, 3);
    }
  }
});
