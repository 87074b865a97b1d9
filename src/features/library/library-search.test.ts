import { expect, test } from 'vitest';
import { fields, orders } from '../../../contract/fields.ts';
import { readFilter, readItemFilter, readView, sortChange, withoutAllFilters } from './library-search.ts';

const read = (query: string) => readFilter(new URLSearchParams(query));
const none = {
  type: undefined,
  status: undefined,
  creator_id: undefined,
  category_id: undefined,
  q: undefined,
  sort: undefined,
  taken_after: undefined,
  taken_before: undefined,
};

test('a deep link sets every part of the filter', () => {
  expect(
    read(
      'type=image&status=error&creator=c1&category=k1&name=Alps+%26+sea&sort=-duration&from=2026-07-01&to=2026-07-31',
    ),
  ).toEqual({
    type: 'image',
    status: 'error',
    creator_id: 'c1',
    category_id: 'k1',
    q: 'Alps & sea',
    sort: '-duration',
    taken_after: '2026-07-01',
    taken_before: '2026-08-01',
  });
});

test('a link without parameters has no filter', () => {
  expect(read('')).toEqual(none);
});

test('months are in order of the date taken, in either direction', () => {
  const sortOf = (query: string) => read(`view=months&${query}`).sort;
  expect([sortOf(''), sortOf('sort=taken_at'), sortOf('sort=size')]).toEqual(['-taken_at', 'taken_at', '-taken_at']);
});

test('a value that does not exist is left out and the others remain', () => {
  expect(read('type=sound&status=done&sort=name&creator=c1')).toEqual({ ...none, creator_id: 'c1' });
  expect(read('type=&status=&sort=')).toEqual(none);
  expect(read('type=Video&status=Ready&sort=duration+')).toEqual(none);
  expect(read('Type=video&hit=status')).toEqual(none);
});

test('every choice that the dashboard offers is read back from its URL', () => {
  const readAs = (name: 'type' | 'status', value: string) => readFilter(new URLSearchParams({ [name]: value }))[name];
  for (const name of ['type', 'status'] as const) {
    expect(Object.keys(fields[name].options).map((value) => readAs(name, value))).toEqual(
      Object.keys(fields[name].options),
    );
    expect(readAs(name, '')).toBeUndefined();
  }
  for (const { value } of orders) expect(readFilter(new URLSearchParams({ sort: value })).sort).toBe(value);
});

test('searches read the filters that they have, and clearing takes each away', () => {
  const search = new URLSearchParams('type=image&status=error&name=sea&tag=t1&to=2026-07-31&q=words');
  expect(readItemFilter(search)).toEqual({ type: 'image', tag_id: 't1', taken_before: '2026-08-01' });
  for (const [name, value] of Object.entries(withoutAllFilters)) search.set(name, value ?? '');
  expect(readFilter(search)).toEqual(none);
});

test('the view is pictures unless the URL asks for another one, and months end with another order', () => {
  const view = (query: string) => readView(new URLSearchParams(query));
  expect([view('view=list'), view('view=months'), view(''), view('view=map&density=compact')]).toEqual([
    'list',
    'months',
    'grid',
    'grid',
  ]);
  expect(sortChange('size', 'months')).toEqual({ sort: 'size', view: undefined });
  expect(sortChange('taken_at', 'months')).toEqual({ sort: 'taken_at' });
  expect(sortChange('-created_at', 'list')).toEqual({ sort: undefined });
});
