import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { type Client, createClient, isNotSupported, type StreamedEvent, subscribeToEvents } from './index.ts';
import { serve } from './testing/serve.ts';

const message = (id: string, type = 'media.completed') =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, timestamp: '', data: {} })}\n\n`;

/** A service whose n-th answer to `GET /events` is the n-th step, and the last one for ever. */
function serveStream(...steps: ((response: ServerResponse, request: IncomingMessage) => void)[]) {
  let count = 0;
  return serve((request, response) => {
    const step = steps[Math.min(count++, steps.length - 1)];
    step?.(response, request);
  });
}

const stream = (response: ServerResponse, text: string) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(`retry: 1\n\n${text}`);
};

async function take(count: number, client: Client, options: Parameters<typeof subscribeToEvents>[1] = {}) {
  const events: StreamedEvent[] = [];
  for await (const event of subscribeToEvents(client, options)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

test('events come with where the stream is, which those without an id leave as it was', async () => {
  const asked: (string | undefined)[] = [];
  await using service = await serveStream((response, request) => {
    asked.push(request.url, request.headers.authorization);
    const progress = 'event: media.progress\ndata: {"type":"media.progress"}\n\n';
    const place = 'id: 3\n\n';
    stream(
      response,
      `event: ready\ndata: {}\n\n: still there\n\n${message('1')}${progress}${message('2')}${place}${progress}`,
    );
  });
  const client = createClient({ url: service.url, key: 'k' });
  const events = await take(5, client, { types: ['media.completed', 'media.progress'] });
  expect(events.map(({ type, lastEventId }) => [type, lastEventId])).toEqual([
    ['ready', null],
    ['media.completed', '1'],
    ['media.progress', '1'],
    ['media.completed', '2'],
    ['media.progress', '3'],
  ]);
  expect(asked).toEqual(['/api/v1/events?types=media.completed%2Cmedia.progress', 'Bearer k']);
});

test('a stream that breaks off goes on behind its last event, and says when it is there', async () => {
  const after: unknown[] = [];
  await using service = await serveStream(
    (response, request) => {
      after.push(request.headers['last-event-id']);
      stream(response, message('1'));
      setTimeout(() => response.destroy(), 20);
    },
    (response) => response.writeHead(503, { 'Retry-After': '0' }).end(),
    (response, request) => {
      after.push(request.headers['last-event-id']);
      stream(response, message('2'));
      response.end();
    },
    (response, request) => {
      after.push(request.headers['last-event-id']);
      stream(response, message('3'));
    },
  );
  const states: unknown[] = [];
  const onState = (live: boolean, problem?: { status: number }) => states.push(live, problem?.status);
  const events = await take(3, createClient({ url: service.url, key: 'k' }), { lastEventId: '0', onState });
  expect(events.map(({ lastEventId }) => lastEventId)).toEqual(['1', '2', '3']);
  expect(after).toEqual(['0', '1', '2']);
  expect(states).toEqual([true, undefined, false, 0, false, 503, true, undefined, false, 0, true, undefined]);
});

test.each([
  [404, true],
  [405, true],
  [501, true],
  [401, false],
  [400, false],
])('status %i ends the stream; that it is not supported: %s', async (status, expected) => {
  await using service = await serveStream((response) => response.writeHead(status).end());
  const failure = take(1, createClient({ url: service.url, key: 'k' }));
  await expect(failure).rejects.toMatchObject({ status });
  expect(isNotSupported(await failure.catch((error: unknown) => error))).toBe(expected);
});

test('a service that wants no wait between connections is asked less and less often', async () => {
  let connections = 0;
  await using service = await serveStream((response) => {
    connections++;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('retry: 0\n\n');
  });
  const signal = AbortSignal.timeout(500);
  await take(1, createClient({ url: service.url, key: 'k' }), { signal });
  expect(connections).toBeLessThan(12);
});

test('a place that no stream gave is refused, not asked for again and again', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', key: 'k' });
  await expect(take(1, client, { lastEventId: '1\n2' })).rejects.toThrow(TypeError);
});

test('a page in place of a stream means that there is none', async () => {
  await using service = await serveStream((response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Hello</h1>'),
  );
  const failure: unknown = await take(1, createClient({ url: service.url, key: 'k' })).catch((error: unknown) => error);
  expect(isNotSupported(failure)).toBe(true);
});

test('the loop ends when the signal aborts, and the connection with it, also when the loop is left', async () => {
  const closed = vi.fn<() => void>();
  await using service = await serveStream((response) => {
    response.on('close', closed);
    stream(response, message('1'));
  });
  const client = createClient({ url: service.url, key: 'k' });
  const controller = new AbortController();
  let count = 0;
  for await (const _event of subscribeToEvents(client, { signal: controller.signal })) {
    count++;
    controller.abort();
  }
  expect(count).toBe(1);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1), 20_000);
  await take(1, client);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2), 20_000);
});

test('a connection on which nothing comes is given up, one on which comments come is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
    const fetch = vi.fn<typeof globalThis.fetch>(async (_url, init) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          streams.push(controller);
          init?.signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
        },
      });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    });
    const events = subscribeToEvents(createClient({ url: 'http://own.example', key: 'k', fetch }));
    const next = events.next();
    await vi.advanceTimersByTimeAsync(40_000);
    streams[0]?.enqueue(new TextEncoder().encode(': still there\n\n'));
    await vi.advanceTimersByTimeAsync(40_000);
    expect(fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(fetch).toHaveBeenCalledTimes(2);
    streams[1]?.enqueue(new TextEncoder().encode(message('1')));
    expect(await next).toMatchObject({ value: { id: '1' } });
    await events.return();
  } finally {
    vi.useRealTimers();
  }
});
