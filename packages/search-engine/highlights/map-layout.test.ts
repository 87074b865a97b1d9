import { describe, expect, test } from 'vitest';
import { computeLayout } from './map-layout.ts';

/** Vectors in three clusters far from each other, in 24 dimensions. */
function heaps(each: number): { vectors: number[][]; heapOf: (i: number) => number } {
  const vectors = Array.from({ length: 3 * each }, (_, i) =>
    Array.from({ length: 24 }, (_unused, axis) => (axis === i % 3 ? 10 : 0) + Math.sin(i * 7.3 + axis * 1.7) / 2),
  );
  return { vectors, heapOf: (i) => i % 3 };
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);

describe('a map', () => {
  test.each(['pca', 'umap'] as const)('%s keeps similar vectors together and different ones apart', (wanted) => {
    const { vectors, heapOf } = heaps(20);
    const { layout, points } = computeLayout(wanted, vectors);
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
    const { points } = computeLayout('pca', vectors);
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

  test.each(['pca', 'umap'] as const)('%s is deterministic', (layout) => {
    const { vectors } = heaps(10);
    expect(computeLayout(layout, vectors)).toEqual(computeLayout(layout, vectors));
  });

  test.each([0, 1, 2, 3])('%d vectors have a map', (count) => {
    const { points } = computeLayout('umap', heaps(1).vectors.slice(0, count));
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
      'pca',
      Array.from({ length: 9 }, () => [1, 2, 3]),
    );
    expect(points).toEqual(points.map(() => ({ x: 0.5, y: 0.5 })));
  });

  test('too many vectors for UMAP are laid out by principal components', () => {
    const { layout, points } = computeLayout('umap', heaps(1400).vectors);
    expect(layout).toBe('pca');
    expect(points).toHaveLength(4200);
  });
});

test('no rounding puts a point beyond the square', () => {
  for (let seed = 0; seed < 20; seed++) {
    const vectors = Array.from({ length: 7 }, (_, i) =>
      Array.from({ length: 6 }, (_unused, axis) => 3 * Math.sin(seed * 31 + i * 7.3 + axis * 1.7)),
    );
    for (const { x, y } of computeLayout('umap', vectors).points) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(Math.max(x, y)).toBeLessThanOrEqual(1);
    }
  }
});
