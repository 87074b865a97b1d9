import { expect, test } from 'vitest';
import type { Span } from './deduplicate.ts';
import { findSequences, type StepScores } from './find-sequences.ts';

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

test('what lacks a step is no sequence, and takes no chunk from one', () => {
  expect(findSequences(spans, [step({ 0: 0.9, 4: 0.8 }), step({ 2: 0, 6: 0 })], 30)).toEqual([]);
  expect(findSequences(spans, [step({ 0: 0.9, 4: 0 }), step({ 2: 0, 6: 0.5 })], 30)).toEqual([[0, 6]]);
});

test('where the best sequence takes a chunk, the next ones do without it', () => {
  // All three chunks of the man are best after slot 0.
  const dog = step({ 0: 0.9, 3: 0.5, 6: 0.4 });
  const man = step({ 2: 0.9, 4: 0.8, 8: 0.7 });
  expect(sorted(findSequences(spans, [dog, man], 30))).toEqual([
    [0, 2],
    [3, 4],
    [6, 8],
  ]);
});

/** Numbers in 0..1 that are the same at each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** All sequences, by trying each chunk for each step. */
function tryAll(of: Span[], steps: StepScores[], within: number): { spans: Span[]; product: number }[] {
  return steps.reduce<{ spans: Span[]; product: number }[]>(
    (begun, scores) =>
      begun.flatMap((each) =>
        of.flatMap((span) => {
          const last = each.spans.at(-1);
          const fits = !last || (last.start < span.start && isNear(span.start - last.end, within));
          const product = each.product * (scores.get(span.slot) ?? 0);
          return fits && product > 0 ? [{ spans: [...each.spans, span], product }] : [];
        }),
      ),
    [{ spans: [], product: 1 }],
  );
}

const isNear = (gap: number, within: number) => gap >= -0.05 && gap <= within;

/** Whether a chunk lies wholly before or behind a sequence. */
const isClear = (span: Span, of: Span[]) => {
  const [first, last] = [of[0] as Span, of.at(-1) as Span];
  return (
    (span.start < first.start && span.end <= first.start + 0.05) ||
    (span.start > last.start && span.start >= last.end - 0.05)
  );
};

test('each sequence found is the best of those that overlap none before it', () => {
  const random = createRandom(7);
  const pick = (most: number) => Math.floor(random() * (most + 1));
  let found = 0;
  for (let round = 0; round < 400; round++) {
    // Chunks that meet, overlap, or last for a frame or not at all; scores are often the same, and often 0.
    const lengths = round % 2 === 0 ? [1, 2, 3, 5] : [0, 0.04, 1, 4];
    const some = Array.from({ length: 4 + pick(10) }, (_, slot) => {
      const start = pick(20) + (pick(2) === 0 ? 0.03 : 0);
      return { slot, item: 0, start, end: start + (lengths[pick(3)] as number) };
    });
    const steps = Array.from({ length: 2 + pick(1) }, () => new Map(some.map(({ slot }) => [slot, pick(5) / 5])));
    const within = 1 + pick(9);
    const sequences = findSequences(some, steps, within);
    let left = tryAll(some, steps, within);
    for (const slots of sequences) {
      const best = Math.max(...left.map(({ product }) => product));
      const own = left.find((each) => each.spans.every(({ slot }, at) => slot === slots[at]));
      expect(own?.product).toBeCloseTo(best, 12);
      const taken = own?.spans as Span[];
      left = left.filter((each) => {
        const [first, last] = [each.spans[0] as Span, each.spans.at(-1) as Span];
        const liesBefore = (span: Span) => isClear(span, taken) && span.start < (taken[0] as Span).start;
        return each.spans.every((span) => isClear(span, taken)) && liesBefore(first) === liesBefore(last);
      });
    }
    expect(left).toEqual([]);
    found += sequences.length;
  }
  expect(found).toBeGreaterThan(400);
});

test.each([
  ['equal', () => 0.5],
  ['falling', (slot: number) => 1 - slot / 4000],
  ['rising', (slot: number) => (slot + 1) / 4000],
])('of thousands of chunks with %s evidence each is looked at a few times', (_, evidence) => {
  let looks = 0;
  const count = 3000;
  const many = Array.from({ length: count }, (__, slot) => ({
    slot,
    item: 0,
    get start() {
      looks++;
      return 4 * slot;
    },
    get end() {
      looks++;
      return 4 * slot + 4;
    },
  }));
  const scores = new Map(many.map(({ slot }) => [slot, evidence(slot)]));
  expect(findSequences(many, [scores, scores, scores], 30)).toHaveLength(count / 3);
  expect(looks).toBeLessThan(150 * count);
});
