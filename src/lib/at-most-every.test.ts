import { expect, test, vi } from 'vitest';
import { atMostEvery } from './at-most-every.ts';

test('an action runs at once, then once for all calls of a period', () => {
  vi.useFakeTimers();
  const run = vi.fn();
  const throttled = atMostEvery(3000, run);
  throttled();
  expect(run).toHaveBeenCalledTimes(1);
  for (let i = 0; i < 20; i++) {
    vi.advanceTimersByTime(100);
    throttled();
  }
  expect(run).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1000);
  expect(run).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(10_000);
  expect(run).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});
