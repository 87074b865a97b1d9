import { expect, test } from 'vitest';
import { hasSlot } from '../index/slot-set.ts';
import { itemOf } from '../testing/built-index.ts';
import { createRandom, drawVector } from '../testing/random.ts';
import { createBuiltIndex, putItem, removeItem, takeSnapshot } from './built-index.ts';

const dimensions = 8;
const create = () => createBuiltIndex({ workspaceId: 'w', embedder: { id: 'test@1', dimensions } });

test('each slot can be deleted at once, however the memory has grown until then', async () => {
  const index = create();
  const random = createRandom(5);
  const deleted = new Set<number>();
  for (let i = 0; i < 3000; i++) {
    const vector = drawVector(random, dimensions);
    await putItem(index, itemOf(`item-${i}`, [i]), () => Promise.resolve(new Map([[i, vector]])));
    if (i % 3 !== 0) continue;
    removeItem(index, `item-${i}`);
    deleted.add(i);
  }
  expect(index).toMatchObject({ slotCount: 3000, deletedCount: 1000 });
  for (let slot = 0; slot < 3000; slot++) {
    expect(hasSlot({ words: index.open.deleted }, slot)).toBe(deleted.has(slot));
    expect(index.open.numbers[slot]).toBe(slot);
  }
});

test('only vectors that are missing are read, and a chunk that gets one moves with its item', async () => {
  const index = create();
  const random = createRandom(6);
  const stored = new Map([[1, drawVector(random, dimensions)]]);
  const asked: number[][] = [];
  const read = (numbers: number[]) => {
    asked.push(numbers);
    return Promise.resolve(new Map([...stored].filter(([number]) => numbers.includes(number))));
  };
  const item = itemOf('film', [1, 2, 3]);
  await putItem(index, item, read);
  expect([...index.open.embedded.subarray(0, 3)]).toEqual([1, 0, 0]);
  asked.length = 0;
  await putItem(index, item, read);
  expect(asked).toEqual([[2, 3]]);
  expect(index).toMatchObject({ slotCount: 3, deletedCount: 0 });
  stored.set(3, drawVector(random, dimensions));
  await putItem(index, item, read);
  expect(index).toMatchObject({ slotCount: 6, deletedCount: 3 });
  expect([...index.open.embedded.subarray(3, 6)]).toEqual([1, 0, 1]);
  expect([...index.open.numbers.subarray(3, 6)]).toEqual([1, 2, 3]);
  // All that a search sees of the item is in its new place.
  expect([...index.open.items.subarray(3, 6)]).toEqual([1, 1, 1]);
  expect(index.itemIds).toEqual([null, 'film']);
  expect([...index.open.ranges.subarray(2, 4)]).toEqual([3, 6]);
});

test('an item that fails to be read stays as it was', async () => {
  const index = create();
  await putItem(index, itemOf('film', [1]), () => Promise.resolve(new Map()));
  const failing = putItem(index, itemOf('film', [1, 2]), () => Promise.reject(new Error('disk I/O error')));
  await expect(failing).rejects.toThrow('disk I/O error');
  expect(index).toMatchObject({ slotCount: 1, deletedCount: 0, itemIds: ['film'] });
});

test('labels change in place, and a snapshot names the values that stand for them', async () => {
  const index = create();
  const read = () => Promise.resolve(new Map<number, Float32Array>());
  await putItem(index, itemOf('a', [1], { creator_id: 'ana' }), read);
  await putItem(index, itemOf('b', [2], { category_id: 'sport' }), read);
  const first = takeSnapshot(index);
  await putItem(index, itemOf('a', [1], { creator_id: 'ben', category_id: 'sport' }), read);
  await putItem(index, itemOf('b', [2]), read);
  const second = takeSnapshot(index);
  expect([first.slotCount, second.slotCount, index.deletedCount]).toEqual([2, 2, 0]);
  expect([second.indexId, second.version]).toEqual([first.indexId, first.version + 1]);
  const labels = (item: number) => ({
    creator: second.labelValues[index.open.labels.creator_id[item] as number],
    category: second.labelValues[index.open.labels.category_id[item] as number],
    type: second.labelValues[index.open.labels.type[item] as number],
  });
  expect(labels(0)).toEqual({ creator: 'ben', category: 'sport', type: 'video' });
  expect(labels(1)).toEqual({ creator: '', category: '', type: 'video' });
});
