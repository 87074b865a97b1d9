import { expect, test } from 'vitest';
import { countSelected, toItemsBody, viewOf } from '../../lib/selected-items.ts';
import { allItems, change, emptySelection, inList, spanOf, toggleItem } from './selection.ts';

const filter = { type: 'image', rating_min: 4, q: '', sort: '-created_at' } as const;
const bodyOf = ({ items }: ReturnType<typeof toggleItem>) => toItemsBody(items);

test('items are selected one by one, and taken out again', () => {
  const one = toggleItem(emptySelection, 3, 'a');
  expect([bodyOf(one), one.anchor]).toEqual([{ ids: ['a'] }, 3]);
  const two = toggleItem(one, 5, 'b');
  expect(bodyOf(toggleItem(two, 3, 'a'))).toEqual({ ids: ['b'] });
  expect(bodyOf(change(two, ['b', 'c', 'd'], true))).toEqual({ ids: ['a', 'b', 'c', 'd'] });
  expect(bodyOf(change(two, ['a', 'x'], false))).toEqual({ ids: ['b'] });
});

test('all of a filter are selected without their names, and single ones are taken out and put back', () => {
  const all = allItems(filter, 6370);
  expect(viewOf(all.items)).toMatchObject({ size: 6370, isAll: true });
  expect(bodyOf(all)).toEqual({ filter: { type: 'image', rating_min: 4 } });
  const without = toggleItem(toggleItem(all, 1, 'a'), 2, 'b');
  expect(bodyOf(without)).toEqual({ filter: { type: 'image', rating_min: 4 }, except_ids: ['a', 'b'] });
  const view = viewOf(without.items);
  expect([view.size, view.has('a'), view.has('z'), view.isAll]).toEqual([6368, false, true, false]);
  expect(bodyOf(change(without, ['a', 'b', 'c'], true))).toEqual({ filter: { type: 'image', rating_min: 4 } });
});

test('taking out the last of all leaves nothing selected', () => {
  expect(toggleItem(allItems(filter, 1), 0, 'a').items).toEqual(emptySelection.items);
});

test('all of another filter are not selected in this one; names are kept; the count follows the list', () => {
  const all = allItems(filter, 10);
  expect(inList(all, { type: 'video' }, 7)).toBe(emptySelection);
  expect(inList(all, { ...filter, sort: 'size' }, 10)).toBe(all);
  expect(countSelected(inList(all, filter, 12).items)).toBe(12);
  const named = toggleItem(emptySelection, 0, 'a');
  expect(inList(named, { type: 'video' }, 7)).toBe(named);
});

test('a range is the same from either end', () => {
  expect([spanOf(3, 9), spanOf(9, 3), spanOf(4, 4)]).toEqual([
    { offset: 3, limit: 7 },
    { offset: 3, limit: 7 },
    { offset: 4, limit: 1 },
  ]);
});
