import { expect, test } from 'vitest';
import { dot } from '../vectors.ts';
import { deduplicate, type Span } from './deduplicate.ts';

const thresholds = { copy: 0.95, continuation: 0.8 };

const chunk = (slot: number, item: string, start: number): Span => ({
  slot,
  item: item.charCodeAt(0),
  start,
  end: start + 4,
});

/** A unit vector at this angle: the cosine of two is that of the angle between them. */
const at = (degrees: number) => {
  const angle = (degrees * Math.PI) / 180;
  return new Float32Array([Math.cos(angle), Math.sin(angle)]);
};

function kept(
  chunks: Span[],
  angles: number[],
  count = 10,
  saysMore: (kept: number, other: number) => boolean = () => false,
) {
  const vectors = new Map(chunks.map(({ slot }, i) => [slot, at(angles[i] as number)]));
  const compare = (slot: number, others: number[]) =>
    others.map((other) => dot(vectors.get(slot) as Float32Array, vectors.get(other) as Float32Array));
  const slotAt = (place: number) => chunks[place]?.slot;
  return deduplicate(chunks, compare, saysMore, thresholds, count).map(({ place, duplicates }) =>
    [place, ...duplicates].map(slotAt),
  );
}

test('copies in other items are dropped, chunks that are merely similar stay', () => {
  const chunks = [chunk(1, 'a', 0), chunk(2, 'b', 0), chunk(3, 'c', 0)];
  expect(kept(chunks, [0, 10, 30])).toEqual([[1, 2], [3]]);
});

test('consecutive chunks need a lower similarity than chunks far apart', () => {
  expect(kept([chunk(1, 'a', 0), chunk(2, 'a', 4)], [0, 30])).toEqual([[1, 2]]);
  expect(kept([chunk(1, 'a', 0), chunk(2, 'a', 40)], [0, 30])).toEqual([[1], [2]]);
});

test('what looks the same and says something else stays; what is said again does not', () => {
  const chunks = [chunk(1, 'a', 0), chunk(2, 'a', 4), chunk(3, 'a', 8)];
  expect(kept(chunks, [0, 1, 2], 10, (first, other) => first === 0 && other === 1)).toEqual([[1, 3], [2]]);
});

test('chains do not merge: each is compared with the kept hit, not with those dropped before', () => {
  const chunks = [0, 1, 2, 3].map((i) => chunk(i + 1, 'a', 4 * i));
  expect(kept(chunks, [0, 30, 60, 90])).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('the list ends at the count; duplicates after the last hit are still added to their hits', () => {
  const chunks = [chunk(1, 'a', 0), chunk(2, 'b', 0), chunk(3, 'c', 0), chunk(4, 'd', 0)];
  expect(kept(chunks, [0, 40, 80, 1], 2)).toEqual([[1, 4], [2]]);
});
