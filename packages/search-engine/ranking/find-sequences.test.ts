import { expect, test } from 'vitest';
import { findSequences } from './find-sequences.ts';

/** Chunks of two seconds, ten an item; slots count on. */
const spans = Array.from({ length: 20 }, (_, slot) => ({
  slot,
  item: Math.floor(slot / 10),
  start: 2 * (slot % 10),
  end: 2 * (slot % 10) + 2,
}));
const step = (scores: Record<number, number>) =>
  new Map(Object.entries(scores).map(([slot, score]) => [Number(slot), score]));
const sorted = (found: number[][]) => found.toSorted((a, b) => (a[0] as number) - (b[0] as number));

test('steps follow each other in an item, in their order and within some seconds', () => {
  const [dog, man] = [step({ 1: 0.9, 12: 0.9 }), step({ 0: 0.9, 4: 0.8, 9: 0.8, 13: 0.7 })];
  expect(sorted(findSequences(spans, [dog, man], 30))).toEqual([
    [1, 4],
    [12, 13],
  ]);
  // Slot 4 begins four seconds after slot 1 has ended.
  expect(sorted(findSequences(spans, [dog, man], 3.9))).toEqual([[12, 13]]);
  expect(findSequences(spans, [man, step({ 10: 1 })], 30)).toEqual([]);
});

test('of an item the best sequences that do not overlap are kept, however the spans come', () => {
  const dog = step({ 0: 0.5, 1: 0.9, 5: 0.6 });
  const man = step({ 2: 0.9, 3: 0.2, 6: 0.6 });
  for (const order of [spans, spans.toReversed()])
    expect(sorted(findSequences(order, [dog, man], 30))).toEqual([
      [1, 2],
      [5, 6],
    ]);
});

test('three steps are those with the best product, not the best of each pair', () => {
  const first = step({ 0: 0.9, 2: 0.8 });
  const second = step({ 1: 0.1, 3: 0.9 });
  const third = step({ 2: 1, 4: 0.9 });
  expect(findSequences(spans, [first, second, third], 4)).toEqual([[0, 3, 4]]);
});

test('one chunk is no two steps, and spans that meet may overlap by a frame', () => {
  const same = step({ 3: 1 });
  expect(findSequences(spans, [same, same], 30)).toEqual([]);
  const frames = [
    { slot: 0, item: 0, start: 0, end: 2.04 },
    { slot: 1, item: 0, start: 2, end: 4 },
  ];
  expect(findSequences(frames, [step({ 0: 1 }), step({ 1: 1 })], 30)).toEqual([[0, 1]]);
});
