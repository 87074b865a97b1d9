import { expect, test } from 'vitest';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { groupByItem, runsOf } from './group-by-item.ts';

const hit = (id: string, start: number) => ({ id, start, filename: `${id}.mp4` }) as SearchHit;

test('items stand by their best hit, the hits of one by time, and items of one hit together', () => {
  const groups = groupByItem([hit('a', 9), hit('b', 0), hit('c', 4), hit('a', 2), hit('d', 1)]);
  expect(groups.map(({ id, hits }) => [id, hits.map(({ start }) => start)])).toEqual([
    ['a', [2, 9]],
    ['b', [0]],
    ['c', [4]],
    ['d', [1]],
  ]);
  expect(runsOf(groups).map((run) => run.map(({ id }) => id))).toEqual([['a'], ['b', 'c', 'd']]);
  expect(runsOf([])).toEqual([]);
});
