import { expect, test } from 'vitest';
import { orderMoves } from './order-moves.ts';

const order = (moves: [from: string, to: string][], size: number, fresh: string[] = []) => {
  const origins = new Map(moves.map(([from, to]) => [{ path: to }, { path: from }]));
  const files = [...fresh.map((path) => ({ path })), ...origins.keys()];
  return orderMoves(files, origins, size).map((group) => group.map(({ path }) => path));
};

test('of a queue of renames the last goes first, wherever it is begun', () => {
  const queue: [string, string][] = [
    ['b', 'c'],
    ['a', 'b'],
    ['c', 'd'],
  ];
  expect(order(queue, 1)).toEqual([['d'], ['c'], ['b']]);
  expect(order(queue, 2)).toEqual([['d', 'c'], ['b']]);
  expect(order(queue.toReversed(), 1)).toEqual([['d'], ['c'], ['b']]);
});

test('files that change places stay together', () => {
  const swapped: [string, string][] = [
    ['x', 'y'],
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
  ];
  expect(order(swapped, 2)).toEqual([['y'], ['b', 'a', 'c']].map((group) => expect.arrayContaining(group)));
});

test('a thousand files that are new go in groups', () => {
  const fresh = Array.from({ length: 1200 }, (_, i) => String(i));
  expect(order([], 500, fresh).map(({ length }) => length)).toEqual([500, 500, 200]);
});
