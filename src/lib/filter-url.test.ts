import { expect, test } from 'vitest';
import { allFilters } from '../../contract/fields.ts';
import { byField, describeLimit, isLimited, readFilters, withConsequences } from './filter-url.ts';

const folder = byField(allFilters.filter(({ parameter }) => parameter === 'folder'));
const source = byField(allFilters.filter(({ parameter }) => parameter === 'source_id'));

test('a folder in a URL is read as it is, and said with those above it', () => {
  const search = new URLSearchParams({ folder: '2026/berlin & co' });
  expect(readFilters(search, allFilters)).toMatchObject({ folder: '2026/berlin & co', source_id: undefined });
  expect(folder.map((of) => describeLimit(of, search, () => undefined))).toEqual(['2026 › berlin & co']);
  expect(folder.map((of) => isLimited(of, new URLSearchParams({ folder: '' })))).toEqual([false]);
});

test('a source is called by its name, and one that is gone is said to be', () => {
  const search = new URLSearchParams({ source: 's1' });
  const name = (names: Record<string, string>) => source.map((of) => describeLimit(of, search, (id) => names[id]));
  expect(name({ s1: 'NAS' })).toEqual(['NAS']);
  expect(name({})).toEqual(['Deleted source']);
});

test('a folder is left with its source', () => {
  const search = new URLSearchParams({ source: 'a', folder: '2026' });
  expect(withConsequences({ source: 'b' }, search)).toEqual({ source: 'b', folder: undefined });
  expect(withConsequences({ source: undefined }, search)).toEqual({ source: undefined, folder: undefined });
  expect(withConsequences({ source: 'b', folder: '2025' }, search)).toEqual({ source: 'b', folder: '2025' });
  // The same source, another filter, and a source for a folder of any.
  expect(withConsequences({ source: 'a' }, search)).toEqual({ source: 'a' });
  expect(withConsequences({ type: 'image' }, search)).toEqual({ type: 'image' });
  expect(withConsequences({ source: 'b' }, new URLSearchParams({ folder: '2026' }))).toEqual({ source: 'b' });
});
