import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runEvery } from './periodic.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const quiet = { error: () => undefined };

test('work runs at once and after each interval, a failure is logged, and the next run retries', async () => {
  const errors: unknown[] = [];
  let runs = 0;
  const fail = () => Promise.reject(new Error(`run ${(runs += 1)}`));
  const worker = runEvery(1000, fail, 'the test', { error: (...line: unknown[]) => void errors.push(line) });
  expect(runs).toBe(1);
  for (let i = 0; i < 2; i++) {
    await sleep(1);
    vi.advanceTimersByTime(1000);
  }
  await worker.stop();
  vi.advanceTimersByTime(5000);
  expect(runs).toBe(3);
  expect(errors).toEqual([
    [{ err: new Error('run 1') }, 'the test failed'],
    [{ err: new Error('run 2') }, 'the test failed'],
  ]);
});

test('runs do not overlap: an interval meanwhile is skipped, and `now` runs the work once more afterwards', async () => {
  let runs = 0;
  let end = () => undefined as void;
  const work = () => {
    runs += 1;
    return new Promise<void>((resolve) => (end = resolve));
  };
  const worker = runEvery(1000, work, 'the test', quiet, { atOnce: false });
  expect(runs).toBe(0);
  worker.now();
  vi.advanceTimersByTime(3000);
  expect(runs).toBe(1);
  end();
  await sleep(1);
  expect(runs).toBe(1);
  vi.advanceTimersByTime(1000);
  worker.now();
  worker.now();
  end();
  await sleep(1);
  expect(runs).toBe(3);
  end();
});

test('a stop aborts the run in progress and waits for it', async () => {
  const seen: string[] = [];
  const work = async (signal: AbortSignal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await sleep(5);
    seen.push('ended');
  };
  const worker = runEvery(1000, work, 'the test', quiet);
  worker.now();
  await worker.stop();
  worker.now();
  vi.advanceTimersByTime(5000);
  expect(seen).toEqual(['ended']);
});
