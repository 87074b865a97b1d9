import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judgeInOrder } from './rerank-hits.ts';

const never = new AbortController().signal;

test('judges the best first, so many at a time; a failure leaves out that hit alone', async () => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  const judge = async (place: number) => {
    begun.push(place);
    most = Math.max(most, ++underWay);
    await delay(1);
    underWay -= 1;
    if (place === 2) throw new Error('unreadable');
    return place === 3 ? null : place / 10;
  };
  const { verdicts, failure } = await judgeInOrder([0, 1, 2, 3, 4], judge, 2, never);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
  expect([...verdicts].toSorted(([a], [b]) => a - b)).toEqual([
    [0, 0],
    [1, 0.1],
    [4, 0.4],
  ]);
  expect(failure).toMatchObject({ message: 'unreadable' });
});

test('at the deadline it returns the verdicts so far, starts nothing more, and ignores later verdicts', async () => {
  const time = new AbortController();
  const late = Promise.withResolvers<number>();
  const begun: number[] = [];
  const judged = judgeInOrder(
    [0, 1, 2, 3],
    (place) => {
      begun.push(place);
      if (place === 2) time.abort();
      return place < 2 ? Promise.resolve(0.5) : late.promise;
    },
    1,
    time.signal,
  );
  const { verdicts } = await judged;
  expect([...verdicts.keys()]).toEqual([0, 1]);
  late.resolve(0.9);
  await delay(5);
  expect(begun).toEqual([0, 1, 2]);
  expect([...verdicts.keys()]).toEqual([0, 1]);
  const none = await judgeInOrder([0], () => Promise.resolve(1), 1, time.signal);
  expect(none.verdicts.size).toBe(0);
});
