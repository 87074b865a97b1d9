import { expect, test } from 'vitest';
import { addItems, emptySelection, readRange, removeItems, toggleItem } from './selection.ts';

test('a toggle selects and deselects one item, and moves the anchor both times', () => {
  const first = toggleItem(emptySelection, 4, 'e');
  const second = toggleItem(first, 7, 'h');
  expect(second).toEqual({ ids: new Set(['e', 'h']), anchor: 7 });
  expect(toggleItem(second, 4, 'e')).toEqual({ ids: new Set(['h']), anchor: 4 });
  // React compares by identity: what was given must stay as it was.
  expect(first).toEqual({ ids: new Set(['e']), anchor: 4 });
  expect(emptySelection.ids.size).toBe(0);
});

test('added items join the selected ones, each once, and the anchor stays', () => {
  const selection = toggleItem(emptySelection, 2, 'c');
  expect(addItems(selection, ['c', 'd'])).toEqual({ ids: new Set(['c', 'd']), anchor: 2 });
  expect(selection.ids.size).toBe(1);
});

test('removed items leave the selected ones, and the anchor stays', () => {
  const selection = addItems(toggleItem(emptySelection, 2, 'c'), ['d', 'e']);
  expect(removeItems(selection, ['c', 'e', 'x'])).toEqual({ ids: new Set(['d']), anchor: 2 });
  expect(selection.ids.size).toBe(3);
});

/** A list of `length` items, three on a page; records which pages are read. */
function listOf(length: number) {
  const items = Array.from({ length }, (_, i) => ({ id: `item-${i}` }));
  const pages: number[] = [];
  const read = (from: number, to: number) =>
    readRange([from, to], 3, async (page) => {
      pages.push(page);
      return Promise.resolve(items.slice((page - 1) * 3, page * 3));
    });
  return { read, pages };
}

test.each([
  { from: 1, to: 1, ids: ['item-1'], pages: [1] },
  { from: 0, to: 2, ids: ['item-0', 'item-1', 'item-2'], pages: [1] },
  { from: 2, to: 3, ids: ['item-2', 'item-3'], pages: [1, 2] },
  { from: 7, to: 4, ids: ['item-4', 'item-5', 'item-6', 'item-7'], pages: [2, 3] },
])('the range from $from to $to reads pages $pages', async ({ from, to, ids, pages }) => {
  const list = listOf(9);
  expect(await list.read(from, to)).toEqual(ids);
  expect(list.pages).toEqual(pages);
});

test('a range over items that have gone has those that are left', async () => {
  expect(await listOf(5).read(3, 8)).toEqual(['item-3', 'item-4']);
  expect(await listOf(0).read(0, 2)).toEqual([]);
});
