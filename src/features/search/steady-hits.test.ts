import { expect, test } from 'vitest';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { appendHits } from './steady-hits.ts';

const hit = (id: string, ...similar: string[]) =>
  ({
    chunk_id: id,
    duplicates: similar.map((other) => ({ id: other, chunk_id: other, start: 0, end: 0 })),
  }) as SearchHit;
const idsOf = (hits: SearchHit[]) => hits.map(({ chunk_id: id }) => id).join('');

test('what is shown stays in its place, and what is new follows in its own order', () => {
  const longer = ['b', 'x', 'a', 'y', 'c'].map((id) => hit(id));
  expect(idsOf(appendHits([hit('a'), hit('b'), hit('c')], longer, 100))).toBe('abcxy');
});

test('a hit that the longer answer lacks stays, and there are no more than asked for', () => {
  expect(idsOf(appendHits([hit('a'), hit('b')], [hit('a'), hit('c'), hit('d')], 3))).toBe('abc');
});

test('a hit is as the longer answer has it, without those similar to it that are shown themselves', () => {
  const [first] = appendHits([hit('a'), hit('b')], [hit('a', 'b', 'c')], 100);
  expect(first?.duplicates?.map(({ chunk_id: id }) => id)).toEqual(['c']);
});
