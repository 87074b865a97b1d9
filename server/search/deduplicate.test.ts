import { expect, test } from 'vitest';
import type { FoundChunk } from '../catalog/chunks.ts';
import { dot } from '../vectors.ts';
import { deduplicate } from './deduplicate.ts';

const thresholds = { copy: 0.95, continuation: 0.8 };

const chunk = (number: number, media: string, start: number): FoundChunk => ({
  number,
  id: `chunk ${number}`,
  media_id: media,
  position: 0,
  start_time: start,
  end_time: start + 4,
  thumbnail_file: '',
  filename: '',
  type: 'video',
  mime_type: 'video/mp4',
  creator_id: null,
  category_id: null,
  rendition_file: null,
  renditions_token: null,
});

/** A unit vector at this angle: the cosine of two is that of the angle between them. */
const at = (degrees: number) => {
  const angle = (degrees * Math.PI) / 180;
  return new Float32Array([Math.cos(angle), Math.sin(angle)]);
};

function kept(chunks: FoundChunk[], angles: number[], count = 10) {
  const vectors = new Map(chunks.map(({ number }, i) => [number, at(angles[i] as number)]));
  return deduplicate(
    chunks.map((each) => ({ chunk: each })),
    (a, b) => dot(vectors.get(a) as Float32Array, vectors.get(b) as Float32Array),
    thresholds,
    count,
  ).map(({ chunk: { number }, duplicates }) => [number, ...duplicates.map((each) => each.number)]);
}

test('copies in other items are dropped, chunks that are merely similar stay', () => {
  const chunks = [chunk(1, 'a', 0), chunk(2, 'b', 0), chunk(3, 'c', 0)];
  expect(kept(chunks, [0, 10, 30])).toEqual([[1, 2], [3]]);
});

test('consecutive chunks need a lower similarity than chunks far apart', () => {
  expect(kept([chunk(1, 'a', 0), chunk(2, 'a', 4)], [0, 30])).toEqual([[1, 2]]);
  expect(kept([chunk(1, 'a', 0), chunk(2, 'a', 40)], [0, 30])).toEqual([[1], [2]]);
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
