import { expect, test } from 'vitest';
import { createRandom } from '../../../packages/search-engine/testing/random.ts';
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

test('weak stays at its position like the score, and a text that matches never comes to a weak one', () => {
  const weak = (each: EngineHit): EngineHit => ({ ...each, weak: true });
  const hits = reorder([hit(1, 0.9), hit(2, 0.4, 5), weak(hit(3, 0.2))], [0.1, 0.2, 0.9]);
  expect(order(hits)).toEqual([3, 2, 1]);
  expect(hits.map((each) => each.weak)).toEqual([false, false, true]);
  // One that holds almost nothing of the query was weak already.
  const little = reorder([hit(1, 0.9), weak(hit(2, 0.2)), weak(hit(3, 0.1, 5))], [0.1, 0.9, 0.2]);
  expect(little.map((each) => each.weak)).toEqual([false, true, true]);
});

test('whatever the verdicts are, no weak hit stands above a clear one and no clear text becomes weak', () => {
  const { next: random } = createRandom(7);
  for (let round = 0; round < 500; round++) {
    const count = 1 + Math.floor(12 * random());
    const clear = Math.floor((count + 1) * random());
    const before = Array.from({ length: count }, (_, i) => ({
      ...hit(i, 1 - i / count, random() < 0.4 ? 3 : undefined),
      weak: i >= clear,
    }));
    const after = reorder(
      before,
      before.map(() => (random() < 0.2 ? null : random())),
    );
    expect(after.map(({ weak }) => weak)).toEqual(before.map(({ weak }) => weak));
    const texts = before.filter(({ weak, signals }) => !weak && signals.text !== undefined).map((each) => each.chunk);
    for (const chunk of texts) expect(after.find((each) => each.chunk === chunk)?.weak).toBe(false);
  }
});
