import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StreamedEvent, SubscribeOptions } from '../../clients/typescript/events.ts';
import { EventStream } from './event-stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);
const deliver = () => vi.advanceTimersByTimeAsync(200);

const ready: StreamedEvent = { type: 'ready', lastEventId: '0' };
const deleted = (id: string) =>
  ({ type: 'media.deleted', id, lastEventId: id, data: { media: { id } } }) as unknown as StreamedEvent;

/** A stream whose connections give what the test says. */
function setUp() {
  const page = { wanted: true };
  const connections: (SubscribeOptions & { send: (event: StreamedEvent) => void; fail: (error: Error) => void })[] = [];
  const live: boolean[] = [];
  const got: { ids: string[]; gap: boolean }[] = [];
  const stream = new EventStream({
    open: (options) =>
      Promise.resolve(
        new ReadableStream<StreamedEvent>({
          start: (controller) => {
            let failed = false;
            options.signal?.addEventListener('abort', () => failed || controller.close());
            connections.push({
              ...options,
              send: (event) => controller.enqueue(event),
              fail(error) {
                failed = true;
                controller.error(error);
              },
            });
          },
        }),
      ),
    isWanted: () => page.wanted,
    isFinal: (error) => (error as Error).message === 'final',
  });
  stream.subscribe({
    onLive: (now) => live.push(now),
    onEvents: (events, gap) => got.push({ ids: events.map(({ id }) => id), gap }),
  });
  return { page, stream, connections, live, got };
}

test('events of a moment come together, and events come from the first sign of the stream on', async () => {
  const { stream, connections, live, got } = setUp();
  stream.update();
  stream.update();
  await settle();
  expect(connections).toHaveLength(1);
  // The answer alone may be that of a proxy that holds back what follows.
  connections[0]?.onState?.(true);
  expect(live).toEqual([]);
  connections[0]?.send(ready);
  connections[0]?.send(deleted('a'));
  connections[0]?.send(deleted('b'));
  await settle();
  expect([live, got]).toEqual([[true], []]);
  await deliver();
  expect(got).toEqual([{ ids: ['a', 'b'], gap: false }]);
  connections[0]?.onState?.(false);
  connections[0]?.onState?.(true);
  expect(live).toEqual([true, false, true]);
  connections[0]?.send({ type: 'gap', lastEventId: 'c' });
  await deliver();
  expect(got.at(-1)).toEqual({ ids: [], gap: true });
});

test('a page that is hidden has no stream, and goes on behind the last event when it is shown', async () => {
  const { page, stream, connections, live, got } = setUp();
  stream.update();
  await settle();
  connections[0]?.send(deleted('a'));
  await settle();
  page.wanted = false;
  stream.update();
  expect(connections[0]?.signal?.aborted).toBe(true);
  expect(live).toEqual([true, false]);
  await deliver();
  expect(got).toEqual([{ ids: ['a'], gap: false }]);
  page.wanted = true;
  stream.update();
  await settle();
  expect(connections[1]?.lastEventId).toBe('a');
});

test('a service without events is not asked again, before there is another key', async () => {
  const { stream, connections } = setUp();
  stream.update();
  await settle();
  connections[0]?.fail(new Error('final'));
  await vi.advanceTimersByTimeAsync(600_000);
  stream.update();
  await settle();
  expect(connections).toHaveLength(1);
  stream.restart();
  await settle();
  expect(connections).toHaveLength(2);
  // What reads the stream could not be loaded.
  connections[1]?.fail(new Error('passes'));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(connections).toHaveLength(3);
});
