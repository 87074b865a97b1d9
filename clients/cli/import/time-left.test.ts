import { afterEach, expect, test, vi } from 'vitest';
import { describeSeconds, TimeLeft } from './time-left.ts';

afterEach(() => void vi.useRealTimers());

test('what is left takes as long for each file and each byte as what was done', () => {
  vi.useFakeTimers();
  const left = new TimeLeft({ files: 101, bytes: 100_000_000 });
  expect(left.describe()).toBe('0 of 101');
  vi.advanceTimersByTime(60_000);
  left.add(0);
  // A file without bytes is no measure for one with many.
  expect(left.seconds()).toBeCloseTo(60 * (100 + 400), 5);
  left.add(100_000_000);
  expect(left.describe()).toBe('2 of 101, < 1 min left');
});

test.for([
  [59, '< 1 min'],
  [60, '1 min'],
  [5399, '90 min'],
  [5400, '2 h'],
  [100_000, '28 h'],
  [172_800, '2 days'],
] as const)('%i seconds are %s', ([seconds, text]) => {
  expect(describeSeconds(seconds)).toBe(text);
});
