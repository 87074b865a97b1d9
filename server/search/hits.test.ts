import { expect, test } from 'vitest';
import { type EngineHit, mergeHits, standFor } from './hits.ts';

const hit = (number: number, score: number, duplicates?: number[]): EngineHit =>
  ({
    chunk: { number },
    score,
    weak: false,
    signals: { visual: score },
    ...(duplicates && { duplicates: duplicates.map((other) => ({ number: other })) }),
  }) as EngineHit;

test('a chunk that several searches found is there once, with its best score', () => {
  const merged = mergeHits([[hit(1, 0.5), hit(2, 0.4)], [hit(3, 0.9), hit(2, 0.6)], []]);
  expect(merged.map(({ chunk, score }) => [chunk.number, score])).toEqual([
    [3, 0.9],
    [2, 0.6],
    [1, 0.5],
  ]);
});

test('a hit stands for others and for what they stand for, each once and never for itself', () => {
  const { duplicates } = standFor(hit(1, 0.9, [2]), [hit(3, 0.5, [1, 2, 4])]);
  expect(duplicates?.map(({ number }) => number)).toEqual([2, 3, 4]);
});
