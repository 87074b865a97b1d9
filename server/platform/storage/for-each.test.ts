import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forEach } from './for-each.ts';

async function* count(to: number) {
  for (let number = 0; number < to; number++) {
    await nextTurn();
    yield number;
  }
}

test('each is worked on once, so many at a time and no more', async () => {
  const done: number[] = [];
  let [running, most] = [0, 0];
  await forEach(count(50), 4, async (number) => {
    most = Math.max(most, (running += 1));
    for (let turns = 0; turns < 10; turns++) await nextTurn();
    running -= 1;
    done.push(number);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, number) => number));
  expect(most).toBe(4);
  await forEach([], 4, () => Promise.reject(new Error('none')));
});

test('it ends with the first failure, when nothing runs any more', async () => {
  let running = 0;
  const begun: number[] = [];
  const all = forEach(count(50), 4, async (number) => {
    begun.push(number);
    running += 1;
    await nextTurn();
    running -= 1;
    if (number === 5) throw new Error('five');
  });
  await expect(all).rejects.toThrow('five');
  expect(running).toBe(0);
  expect(begun.length).toBeLessThan(15);
});
