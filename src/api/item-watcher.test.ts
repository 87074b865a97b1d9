import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MediaItem } from './generated/api/index.ts';
import { ItemWatcher } from './item-watcher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A watcher of a service whose items have the statuses that the test sets; a status of undefined is that of an item that is gone. */
function setUp() {
  const statuses = new Map<string, MediaItem['status'] | undefined>();
  const requests: string[][] = [];
  const reports: { items: string[]; missing: string[] }[] = [];
  const page = { shown: [] as string[], reading: [] as string[], hidden: false, away: false };
  const watcher = new ItemWatcher({
    read(ids) {
      requests.push(ids);
      if (page.away) return Promise.reject(new Error('away'));
      const updated_at = new Date().toISOString();
      const items = ids.flatMap((id) => {
        const status = statuses.get(id);
        return status === undefined ? [] : [{ id, status, updated_at } as MediaItem];
      });
      return Promise.resolve({ items, missing: ids.filter((id) => statuses.get(id) === undefined) });
    },
    listShown: () => ({
      underWay: page.shown.filter((id) => statuses.get(id) === 'pending'),
      reading: page.reading,
    }),
    isHidden: () => page.hidden,
  });
  watcher.subscribe(({ items, missing }) => reports.push({ items: items.map(({ id }) => id), missing }));
  const watch = (...ids: string[]) => {
    for (const id of ids) {
      statuses.set(id, 'pending');
      watcher.watch(id);
    }
  };
  return { watcher, statuses, requests, reports, page, watch };
}

test('all that waits is asked for by one request a second, what is settled no longer, and nothing when all is', async () => {
  const { statuses, requests, reports, watch } = setUp();
  watch('a', 'b', 'c');
  await pass(1000);
  expect(requests).toEqual([['a', 'b', 'c']]);
  statuses.set('b', 'complete');
  statuses.set('c', undefined);
  await pass(1000);
  expect(reports.at(-1)).toEqual({ items: ['a', 'b'], missing: ['c'] });
  statuses.set('a', 'error');
  await pass(1000);
  expect(requests.at(-1)).toEqual(['a']);
  await pass(60_000);
  expect(requests).toHaveLength(3);
});

test('what the page shows is asked for once it is woken, beside what was asked for by name', async () => {
  const { watcher, statuses, requests, page, watch } = setUp();
  statuses.set('shown', 'pending');
  page.shown = ['shown', 'a'];
  watcher.wake();
  watch('a');
  await pass(1000);
  expect(requests).toEqual([['a', 'shown']]);
  page.shown = [];
  statuses.set('a', 'complete');
  await pass(60_000);
  expect(requests).toEqual([['a', 'shown'], ['a']]);
});

test('of many it asks for the first, and for all the others in turn', async () => {
  const { requests, watch } = setUp();
  const ids = Array.from({ length: 75 }, (_, i) => `item ${i}`);
  watch(...ids);
  await pass(4000);
  for (const request of requests) expect(request.slice(0, 40)).toEqual(ids.slice(0, 40));
  expect(requests.map((request) => request.length)).toEqual([50, 50, 50, 45]);
  expect(new Set(requests.flat())).toEqual(new Set(ids));
});

test('a failure is followed by another request after five seconds', async () => {
  const { requests, page, watch } = setUp();
  watch('a');
  page.away = true;
  await pass(1000);
  page.away = false;
  await pass(4999);
  expect(requests).toHaveLength(1);
  await pass(1);
  expect(requests).toHaveLength(2);
});

test('a hidden page asks every ten seconds, and at once when it is looked at', async () => {
  const { watcher, requests, page, watch } = setUp();
  page.hidden = true;
  watch('a');
  await pass(30_000);
  expect(requests).toHaveLength(3);
  page.hidden = false;
  watcher.hurry();
  await pass(0);
  expect(requests).toHaveLength(4);
});

const event = (id: string, status: MediaItem['status']) => ({ id, status, progress: null, error: null });

test('while events come all is asked for once, and then nothing that they tell', async () => {
  const { watcher, statuses, requests, reports, page, watch } = setUp();
  watch('a', 'b');
  statuses.set('shown', 'pending');
  page.shown = ['shown'];
  watcher.setLive(true);
  await pass(0);
  expect(requests).toEqual([['a', 'b', 'shown']]);
  watcher.note({ items: [event('a', 'indexing')], missing: [] });
  watcher.note({ items: [event('a', 'complete')], missing: ['b'] });
  expect(reports.slice(1)).toEqual([
    { items: ['a'], missing: [] },
    { items: ['a'], missing: ['b'] },
  ]);
  // Added while events come.
  statuses.set('c', 'pending');
  watcher.watch('c', true);
  await pass(60_000);
  expect(requests).toHaveLength(1);
  // When they end it is asked for as before.
  watcher.setLive(false);
  await pass(5000);
  expect(requests.at(-1)).toEqual(['c', 'shown']);
});

test('while events come, what was there before is read once, and what they name at most every three seconds', async () => {
  const { watcher, statuses, requests, page } = setUp();
  watcher.setLive(true);
  statuses.set('old', 'complete');
  watcher.watch('old');
  await pass(0);
  expect(requests).toEqual([['old']]);
  watcher.readOnce(['a']);
  await pass(1000);
  watcher.readOnce(['b']);
  await pass(1999);
  expect(requests).toHaveLength(1);
  await pass(1);
  expect(requests.at(-1)).toEqual(['a', 'b']);
  // No event tells of texts that are read behind a complete item.
  page.reading = ['open'];
  statuses.set('open', 'complete');
  watcher.wake();
  await pass(20_000);
  expect(requests.slice(2)).toEqual(Array.from({ length: requests.length - 2 }, () => ['open']));
  expect(requests.length).toBeGreaterThanOrEqual(5);
});

test('an item that an event settled before its answer came is read again', async () => {
  const { watcher, statuses, requests, page } = setUp();
  watcher.setLive(true);
  watcher.note({ items: [event('a', 'complete'), event('b', 'complete')], missing: [] });
  // The list that is shown is from before.
  statuses.set('a', 'pending');
  page.shown = ['a'];
  watcher.wake();
  await pass(0);
  expect(requests).toEqual([['a']]);
  statuses.set('b', 'complete');
  watcher.watch('b', true);
  await pass(3000);
  expect(requests.slice(1)).toEqual([['b']]);
  await pass(60_000);
  expect(requests).toHaveLength(2);
});
