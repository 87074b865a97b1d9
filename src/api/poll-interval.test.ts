import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isUnderWay, pollInterval } from './poll-interval.ts';

type Item = Parameters<typeof pollInterval>[0][number];

const item = (status: Item['status'], ageMs = 0): Item => ({
  status,
  updated_at: new Date(Date.now() - ageMs).toISOString(),
});

// Without a window, queries do not poll.
environmentManager.setIsServer(() => false);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what waits or is indexed is under way; what is complete or failed is settled', () => {
  expect((['pending', 'indexing', 'complete', 'error'] as const).map((status) => isUnderWay({ status }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('items are read every second while one under way changed lately, then every five, and not when all are settled', () => {
  expect(pollInterval([])).toBe(false);
  expect(pollInterval([item('complete'), item('error')])).toBe(false);
  expect(pollInterval([item('indexing', 29_999)])).toBe(1000);
  expect(pollInterval([item('pending', 30_000)])).toBe(5000);
  expect(pollInterval([item('pending', 90_000), item('indexing', 2000)])).toBe(1000);
  // A settled item that changed lately says nothing of those that are under way.
  expect(pollInterval([item('indexing', 90_000), item('complete')])).toBe(5000);
});

test('a query polls until its items are settled, also across failures, which keep what was read', async () => {
  const responses: (Item[] | Error)[] = [[item('indexing')], new Error('away'), [item('indexing')], [item('complete')]];
  let reads = 0;
  const observer = new QueryObserver(new QueryClient(), {
    queryKey: ['media'],
    retry: false,
    networkMode: 'always',
    queryFn: async () => {
      const response = responses[reads++];
      if (response instanceof Error) throw response;
      return Promise.resolve(response ?? []);
    },
    refetchInterval: ({ state }) => pollInterval(state.data ?? []),
  });
  const unsubscribe = observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).toBe(2);
  expect(observer.getCurrentResult()).toMatchObject({ isError: true, data: [{ status: 'indexing' }] });
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).toBe(3);
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).toBe(4);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads).toBe(4);
  unsubscribe();
});
