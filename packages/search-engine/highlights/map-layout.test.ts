import { describe, expect, test } from 'vitest';
import { computeLayout } from './map-layout.ts';
import { emptyGraph, updateGraph } from './neighbor-graph.ts';
import { type Neighbors, pickNeighbors } from './neighbor-layout.ts';

/** The neighbours of vectors that are all of other items. */
async function neighborsOf(vectors: number[][]): Promise<Neighbors> {
  const members = vectors.map((_, i) => ({ number: i + 1, media_id: `item ${i}`, position: 0 }));
  const read = (numbers: number[]) =>
    Promise.resolve(new Map(numbers.map((number) => [number, Float32Array.from(vectors[number - 1] as number[])])));
  const graph = await updateGraph(emptyGraph(), members, read);
  return pickNeighbors(
    graph,
    members.map(({ number }) => number),
  );
}

/** A map by principal components, or by neighbours. */
const layOut = async (wanted: 'pca' | 'umap', vectors: number[][]) =>
  computeLayout(vectors, wanted === 'umap' ? await neighborsOf(vectors) : null);

/** Vectors in three clusters far from each other, in 24 dimensions. */
function heaps(each: number): { vectors: number[][]; heapOf: (i: number) => number } {
  const vectors = Array.from({ length: 3 * each }, (_, i) =>
    Array.from({ length: 24 }, (_unused, axis) => (axis === i % 3 ? 10 : 0) + Math.sin(i * 7.3 + axis * 1.7) / 2),
  );
  return { vectors, heapOf: (i) => i % 3 };
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);

describe('a map', () => {
  test.each(['pca', 'umap'] as const)('%s keeps similar vectors together and different ones apart', async (wanted) => {
    const { vectors, heapOf } = heaps(20);
    const { layout, points } = await layOut(wanted, vectors);
    expect(layout).toBe(wanted);
    expect(points).toHaveLength(60);
    for (const [i, a] of points.entries()) {
      const others = points.map((b, j) => ({ j, gap: distance(a, b) })).filter(({ j }) => j !== i);
      const nearest = others.toSorted((b, c) => b.gap - c.gap).slice(0, 5);
      expect(nearest.map(({ j }) => heapOf(j))).toEqual(Array(5).fill(heapOf(i)));
    }
  });

  test('principal components of points in a plane restore the plane, scaled to the unit square', () => {
    // The corners and the centre of a 4 by 1 rectangle, rotated into five dimensions.
    const plane: [number, number][] = [
      [-2, -0.5],
      [2, -0.5],
      [-2, 0.5],
      [2, 0.5],
      [0, 0],
    ];
    const along = [0.5, 0.5, 0.5, 0.5, 0];
    const across = [0.5, -0.5, 0.5, -0.5, 0];
    const vectors = plane.map(([u, v]) => along.map((value, i) => 3 + u * value + v * (across[i] as number)));
    const { points } = computeLayout(vectors, null);
    for (const [i, a] of points.entries()) {
      for (const [j, b] of points.entries()) {
        const [[u, v], [s, t]] = [plane[i]!, plane[j]!];
        expect(distance(a, b)).toBeCloseTo(Math.hypot(u - s, v - t) / 4, 9);
      }
    }
    expect(points[4]!.x).toBeCloseTo(0.5, 9);
    expect(Math.min(...points.map(({ x }) => x))).toBeCloseTo(0, 9);
    expect(Math.max(...points.map(({ x }) => x))).toBeCloseTo(1, 9);
  });

  test.each(['pca', 'umap'] as const)('%s is deterministic', async (layout) => {
    const { vectors } = heaps(10);
    expect(await layOut(layout, vectors)).toEqual(await layOut(layout, vectors));
  });

  test.each([0, 1, 2, 3])('%d vectors have a map', async (count) => {
    const { layout, points } = await layOut('umap', heaps(1).vectors.slice(0, count));
    expect(layout).toBe('pca');
    expect(points).toHaveLength(count);
    for (const { x, y } of points) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(1);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(1);
    }
  });

  test('copies have the same position', () => {
    const { points } = computeLayout(
      Array.from({ length: 9 }, () => [1, 2, 3]),
      null,
    );
    expect(points).toEqual(points.map(() => ({ x: 0.5, y: 0.5 })));
  });

  test('thousands of vectors have groups too', async () => {
    const { vectors, heapOf } = heaps(800);
    const { layout, points } = await layOut('umap', vectors);
    expect(layout).toBe('umap');
    const middles = [0, 1, 2].map((heap) => {
      const own = points.filter((_, i) => heapOf(i) === heap);
      const mean = (axis: 'x' | 'y') => own.reduce((sum, point) => sum + point[axis], 0) / own.length;
      return { x: mean('x'), y: mean('y') };
    });
    const strays = points.filter((point, i) => {
      const gaps = middles.map((middle) => distance(point, middle));
      return gaps.indexOf(Math.min(...gaps)) !== heapOf(i);
    });
    expect(strays.length).toBeLessThan(0.01 * points.length);
  });
});

test('no rounding puts a point beyond the square', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const vectors = Array.from({ length: 7 }, (_, i) =>
      Array.from({ length: 6 }, (_unused, axis) => 3 * Math.sin(seed * 31 + i * 7.3 + axis * 1.7)),
    );
    for (const { x, y } of (await layOut('umap', vectors)).points) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(Math.max(x, y)).toBeLessThanOrEqual(1);
    }
  }
});
