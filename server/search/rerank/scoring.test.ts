import { expect, test } from 'vitest';
import type { EngineHit } from '../hits.ts';
import { reorder } from './scoring.ts';

const hit = (number: number, score: number, text?: number) =>
  ({ chunk: { number }, score, weak: false, signals: text === undefined ? {} : { text } }) as unknown as EngineHit;

const order = (hits: EngineHit[]) => hits.map(({ chunk }) => chunk.number);

test('hits are sorted by their verdicts, the scores stay at their positions', () => {
  const hits = reorder([hit(1, 0.9), hit(2, 0.8), hit(3, 0.7)], [0.2, 0.9, 0.5]);
  expect(order(hits)).toEqual([2, 3, 1]);
  expect(hits.map(({ score }) => score)).toEqual([0.9, 0.8, 0.7]);
  expect(hits.map(({ signals }) => signals.rerank)).toEqual([0.9, 0.5, 0.2]);
});

test('a hit without a verdict keeps its position', () => {
  const hits = reorder([hit(1, 0.9), hit(2, 0.8), hit(3, 0.7), hit(4, 0.6)], [0.1, null, 0.9]);
  expect(order(hits)).toEqual([3, 2, 1, 4]);
  expect(hits[1]?.signals.rerank).toBeUndefined();
});

test('matched words weigh as before', () => {
  expect(order(reorder([hit(1, 0.95, 4), hit(2, 0.5)], [0.1, 0.6]))).toEqual([1, 2]);
});

test('weak stays at its position like the score, and never applies to a text that matches', () => {
  const weak = (each: EngineHit): EngineHit => ({ ...each, weak: true });
  const hits = reorder([hit(1, 0.9), weak(hit(2, 0.4)), hit(3, 0.3, 5)], [0.1, 0.9, 0.2]);
  expect(order(hits)).toEqual([2, 3, 1]);
  expect(hits.map((each) => each.weak)).toEqual([false, false, false]);
  // One that holds almost nothing of the query was weak already.
  const little = reorder([hit(1, 0.9), weak(hit(2, 0.4)), weak(hit(3, 0.3, 5))], [0.1, 0.9, 0.2]);
  expect(little.map((each) => each.weak)).toEqual([false, true, true]);
});
