import { expect, test } from 'vitest';
import { TimeLeft, type Work } from './time-left.ts';

/** What is estimated each second of so many, of work that is done at the speeds that are given for each second. */
function run(seconds: number, work: (second: number) => Work): (number | null)[] {
  const time = new TimeLeft();
  return Array.from({ length: seconds }, (_, i) => time.update(1000 * i, work(i)));
}

const even = (second: number): Work => ({ sent: 10 * second, toSend: 1000, indexed: 5 * second, toIndex: 1000 });

test('nothing is said before it is known', () => {
  expect(run(5, even)).toEqual([null, null, null, null, null]);
  const nothingIndexed = run(30, (i) => ({ ...even(i), indexed: 0 }));
  expect(nothingIndexed.every((each) => each === null)).toBe(true);
});

test('the slower of sending and indexing decides, and the time passes as it does', () => {
  const estimates = run(60, even);
  expect(estimates[10]).toBeCloseTo(190, 0);
  expect(estimates[40]).toBeCloseTo(160, 0);
});

test('a stretch that is much slower moves the estimate little by little', () => {
  const indexed = (second: number) => (second < 30 ? 5 * second : 150 + (second - 30));
  const estimates = run(60, (i) => ({ ...even(i), indexed: indexed(i) }));
  for (let i = 31; i < 60; i++) expect(Math.abs((estimates[i] ?? 0) - (estimates[i - 1] ?? 0))).toBeLessThan(20);
  expect(estimates[59]).toBeGreaterThan(estimates[30] ?? 0);
});

test('what is left is nothing once all is done, and files that were removed start it again', () => {
  const time = new TimeLeft();
  for (let i = 0; i < 10; i++) time.update(1000 * i, even(i));
  expect(time.update(10_000, { sent: 100, toSend: 100, indexed: 100, toIndex: 100 })).toBeLessThan(200);
  expect(time.update(11_000, { sent: 0, toSend: 10, indexed: 0, toIndex: 10 })).toBeNull();
});
