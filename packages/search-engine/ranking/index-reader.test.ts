import { expect, test } from 'vitest';
import { putItem, removeItem, takeSnapshot } from '../builder/built-index.ts';
import { listSlots } from '../index/slot-set.ts';
import { buildIndex, itemOf } from '../testing/built-index.ts';
import { createRandom, drawVector } from '../testing/random.ts';
import { dot } from '../vectors.ts';
import { readIndex } from './index-reader.ts';

const dimensions = 20;
const random = createRandom(12);
const draw = (count: number) => Array.from({ length: count }, () => drawVector(random, dimensions));
const none = () => Promise.resolve(new Map<number, Float32Array>());

test('collections, tags and times select the items that have them, also after they changed in place', async () => {
  const index = await buildIndex([], dimensions);
  const utc = (at: string, local: string) => ({ taken_at: Date.parse(at), taken_local: Date.parse(`${local}Z`) });
  const items = [
    itemOf('a', [1], { collection_id: ['x'], tag_id: ['sea', 'sun'] }),
    itemOf('b', [2], { tag_id: ['sun'], ...utc('2026-07-14T22:30:00.000Z', '2026-07-15T00:30:00.000') }),
    itemOf('c', [3], { collection_id: ['sun', 'x'], ...utc('1969-07-20T20:17:40.250Z', '1969-07-20T20:17:40.250') }),
    itemOf('d', [4]),
  ];
  for (const item of items) await putItem(index, item, none);
  const snapshot = takeSnapshot(index);
  const reader = readIndex(snapshot, 1);
  const place = (value: string) => snapshot.labelValues.indexOf(value);
  const numbersOf = (filter: Parameters<typeof reader.select>[0], of = reader) =>
    Array.from(listSlots(of.select(filter), 0), (slot) => index.open.numbers[slot]);
  const taken = (bounds: { after?: string; before?: string }, column: 'taken_at' | 'taken_local' = 'taken_at') => ({
    [column]: Object.fromEntries(Object.entries(bounds).map(([name, time]) => [name, Date.parse(time)])),
  });

  expect(numbersOf({ collection_id: place('x') })).toEqual([1, 3]);
  // A tag, not the collection of that name.
  expect(numbersOf({ tag_id: place('sun') })).toEqual([1, 2]);
  expect(numbersOf({ tag_id: place('sun'), collection_id: place('x') })).toEqual([1]);
  expect(numbersOf({ tag_id: -1 })).toEqual([]);
  // Days go by the clock of the recording, times by the moment; both ends as they are named.
  expect(numbersOf(taken({ after: '2026-07-15' }, 'taken_local'))).toEqual([2]);
  expect(numbersOf(taken({ after: '2026-07-15T00:00:00Z' }))).toEqual([]);
  expect(numbersOf(taken({ after: '2026-07-14T22:30:00Z' }))).toEqual([2]);
  expect(numbersOf(taken({ before: '2026-07-14T22:30:00Z' }))).toEqual([3]);
  expect(numbersOf(taken({ before: '1969-07-20T20:17:40.251Z' }))).toEqual([3]);
  expect(numbersOf(taken({ before: '1969-07-20T20:17:40.250Z' }))).toEqual([]);
  expect(numbersOf(taken({ after: '0001-01-01', before: '9999-12-31' }, 'taken_local'))).toEqual([2, 3]);

  // A search that began before sees the old list or the new one, also where that is beyond what was reserved.
  for (let i = 0; i < 5000; i++) {
    await putItem(index, itemOf('a', [1], { collection_id: ['x', `y-${i}`], tag_id: ['sea'] }), none);
  }
  await putItem(index, itemOf('c', [3], { collection_id: [] }), none);
  const later = readIndex(takeSnapshot(index), 2);
  for (const of of [readIndex(snapshot, 1), later]) {
    expect(numbersOf({ collection_id: place('x') }, of)).toEqual([1]);
    expect(numbersOf({ tag_id: place('sun') }, of)).toEqual([2]);
    expect(numbersOf(taken({ before: '9999-12-31' }, 'taken_local'), of)).toEqual([2]);
  }
  expect(index.unusedWords).toBeLessThan(index.listWords);
  expect(index.deletedCount).toBe(0);
});

test.each([1, 10, 499, 500, 501, 750, 999, 1234, 5000])('of %d chunks the sample is spread evenly', async (count) => {
  const index = await buildIndex(draw(count), dimensions);
  const sample = readIndex(takeSnapshot(index), 1).sample();
  expect(new Set(sample).size).toBe(sample.length);
  expect(sample.length).toBe(Math.min(500, count));
  const gaps = [-1, ...sample, count].map((slot, i, all) => slot - (all[i - 1] ?? slot - 1));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(Math.ceil(count / 500) + 1);
  // It is the same for the same chunks.
  expect(readIndex(takeSnapshot(index), 2).sample()).toEqual(sample);
});

test('the sample holds live chunks with a vector only, from all places where there are some', async () => {
  const vectors = draw(4000).map((vector, i) => (i % 5 === 0 ? null : vector));
  const index = await buildIndex(vectors, dimensions);
  for (let i = 0; i < 1000; i++) removeItem(index, `item-${i}`);
  for (let i = 2000; i < 4000; i += 3) removeItem(index, `item-${i}`);
  const sample = readIndex(takeSnapshot(index), 1).sample();
  expect(sample.every((slot) => slot >= 1000 && slot % 5 !== 0 && (slot < 2000 || (slot - 2000) % 3 !== 0))).toBe(true);
  // A part that is gone is not made up for by its neighbours.
  const share = sample.filter((slot) => slot < 2000).length / sample.length;
  expect(share).toBeGreaterThan(0.25);
  expect(share).toBeLessThan(0.42);
  expect(sample.length).toBeGreaterThan(300);
});

test('filters select the live chunks of the items that have all these labels', async () => {
  const index = await buildIndex([], dimensions);
  const items = Array.from({ length: 300 }, (_, i) =>
    itemOf(
      `item-${i}`,
      Array.from({ length: 1 + random.below(40) }, (_, k) => 100 * i + k),
      {
        creator_id: random.pick(['ana', 'ben', null]),
        category_id: random.pick(['sport', null]),
        type: random.pick(['video', 'image']),
      },
    ),
  );
  for (const item of items) await putItem(index, item, none);
  for (let i = 0; i < 300; i += 7) removeItem(index, `item-${i}`);
  const live = items.filter((_, i) => i % 7 !== 0);
  const snapshot = takeSnapshot(index);
  const reader = readIndex(snapshot, 1);
  const place = (value: string) => snapshot.labelValues.indexOf(value);
  const numbersOf = (filter: Parameters<typeof reader.select>[0]) =>
    Array.from(listSlots(reader.select(filter), 0), (slot) => index.open.numbers[slot]);
  const expected = (passes: (item: (typeof items)[number]) => boolean) =>
    live.filter(passes).flatMap(({ chunks }) => chunks.map(({ number }) => number));
  // Also from the memory of those that were asked for before.
  for (let round = 0; round < 2; round++) {
    expect(numbersOf({})).toEqual(expected(() => true));
    expect(numbersOf({ creator_id: place('ana') })).toEqual(expected((item) => item.creator_id === 'ana'));
    expect(numbersOf({ creator_id: place('ben'), category_id: place('sport'), type: place('image') })).toEqual(
      expected((item) => item.creator_id === 'ben' && item.category_id === 'sport' && item.type === 'image'),
    );
    // A value that no item has.
    expect(numbersOf({ creator_id: -1 })).toEqual([]);
    expect(numbersOf({ category_id: place('ana') })).toEqual([]);
    // More filters than are kept.
    for (let i = 1000; i < 1030; i++) expect(numbersOf({ creator_id: i })).toEqual([]);
  }
});

test('slots are found by the numbers of live chunks, in the order asked for', async () => {
  const index = await buildIndex([], dimensions);
  await putItem(index, itemOf('a', [5, 9, 7]), none);
  await putItem(index, itemOf('b', [100, 3]), none);
  // Indexed again: the numbers that stay have other slots.
  await putItem(index, itemOf('a', [5, 11]), none);
  removeItem(index, 'b');
  const reader = readIndex(takeSnapshot(index), 1);
  expect(reader.findSlots([11, 5, 9, 100, 42])).toEqual([6, 5, undefined, undefined, undefined]);
  expect(reader.findSlots([])).toEqual([]);
});

test('some chunks are selected by their numbers where they are live and pass the filter', async () => {
  const index = await buildIndex([], dimensions);
  await putItem(index, itemOf('a', [5, 9, 7], { creator_id: 'ana' }), none);
  await putItem(index, itemOf('b', [100, 3], { creator_id: 'ben' }), none);
  await putItem(index, itemOf('c', [40], { creator_id: 'ana' }), none);
  removeItem(index, 'c');
  const snapshot = takeSnapshot(index);
  const reader = readIndex(snapshot, 1);
  const numbersOf = (numbers: number[], filter: Parameters<typeof reader.select>[0] = {}) => {
    const selected = reader.selectOnly(numbers, filter);
    const slots = listSlots(selected, 0);
    expect(slots).toHaveLength(selected.size);
    return Array.from(slots, (slot) => index.open.numbers[slot]);
  };
  expect(numbersOf([7, 5, 3])).toEqual([5, 7, 3]);
  expect(numbersOf([7, 40, 8])).toEqual([7]);
  expect(numbersOf([7, 3], { creator_id: snapshot.labelValues.indexOf('ben') })).toEqual([3]);
  expect(numbersOf([])).toEqual([]);
  // The filter's own selection is as it was.
  expect(reader.select({}).size).toBe(5);
});

test('cosines are those of the vectors, and none where one is missing', async () => {
  const vectors = draw(5000).map((vector, i) => (i === 17 ? null : vector));
  const index = await buildIndex(vectors, dimensions);
  const reader = readIndex(takeSnapshot(index), 1);
  const query = drawVector(random, dimensions);
  const slots = [...vectors.keys()].toReversed();
  for (const [i, cosine] of reader.compare(query, slots).entries()) {
    const vector = vectors[slots[i] as number];
    if (vector) expect(cosine).toBeCloseTo(dot(query, vector), 3);
    else expect(cosine).toBeNaN();
  }
  expect(reader.compareSlot(3, [3, 4, 17])[0]).toBeCloseTo(1, 3);
  expect(reader.compareSlot(3, [3, 4, 17])[2]).toBeNaN();
  expect([...reader.compareSlot(17, [3, 4])]).toEqual([Number.NaN, Number.NaN]);
});
