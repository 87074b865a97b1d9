import { expect, test } from 'vitest';
import { createTurnQueue } from './turn-queue.ts';

test('workspaces take turns, and what one has waiting keeps its order', () => {
  const queue = createTurnQueue<string>();
  expect(queue.next()).toBeUndefined();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2', 'a4']) queue.add(item.slice(0, 1), item);
  expect(queue.size()).toBe(7);
  const taken = [queue.next(), queue.next()];
  // One that had its turn goes behind the others, also when it asks again.
  queue.add('a', 'a5');
  queue.add('d', 'd1');
  for (let item = queue.next(); item !== undefined; item = queue.next()) taken.push(item);
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'd1', 'a3', 'a4', 'a5']);
  expect(queue.size()).toBe(0);
});
