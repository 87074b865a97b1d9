import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createClient, type MediaItem, waitForMedia } from './index.ts';
import { serve } from './testing/serve.ts';

/** A service with items whose states the test sets, with or without a stream of events. */
async function serveItems({ hasStream, hasIds = true }: { hasStream: boolean; hasIds?: boolean }) {
  const statuses = new Map<string, MediaItem['status']>();
  const requests: string[] = [];
  let stream: ServerResponse | undefined;
  const server = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://own.example');
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const failure = { success: false, error: { code: 'not_found', message: 'There is none.' } };
    if (pathname.endsWith('/events')) {
      if (!hasStream) return void send(404, failure);
      stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      return void stream.write('retry: 1\nevent: ready\ndata: {}\n\n');
    }
    requests.push(request.url ?? '');
    const one = /\/media\/(\w+)$/.exec(pathname)?.[1];
    const wanted = hasIds ? (searchParams.get('ids')?.split(',') ?? []) : [...statuses.keys()];
    const toItem = (id: string) => ({ id, status: statuses.get(id) });
    if (one) return void (statuses.has(one) ? send(200, { success: true, data: toItem(one) }) : send(404, failure));
    const data = wanted.filter((id) => statuses.has(id)).map(toItem);
    return void send(200, { success: true, data, meta: { has_more: false } });
  });
  return {
    ...server,
    statuses,
    requests,
    client: createClient({ url: server.url, key: 'k' }),
    isStreaming: () => stream !== undefined,
    tell(type: string, id: string) {
      const media = { id, status: statuses.get(id) ?? 'complete' };
      stream?.write(`event: ${type}\ndata: ${JSON.stringify({ id: '1', type, timestamp: '', data: { media } })}\n\n`);
    },
    cut: () => stream?.destroy(),
  };
}

const statusesOf = (items: Map<string, MediaItem | null>) => [...items].map(([id, item]) => [id, item?.status]);
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('with a stream of events items are read once more when they settle, and not in between', async () => {
  await using service = await serveItems({ hasStream: true });
  for (const id of ['a', 'b', 'c', 'd']) service.statuses.set(id, 'indexing');
  service.statuses.set('b', 'complete');
  const heard: unknown[] = [];
  const waiting = waitForMedia(service.client, ['a', 'b', 'c', 'gone', 'd'], {
    onProgress: ({ id, status }) => heard.push(`${id} ${status}`),
  });
  await until(() => service.requests.length === 2);
  service.tell('media.progress', 'a');
  service.statuses.set('a', 'complete');
  service.tell('media.completed', 'a');
  service.tell('media.completed', 'another');
  await until(() => service.requests.length === 3);
  service.statuses.delete('c');
  service.tell('media.deleted', 'c');
  service.statuses.set('d', 'error');
  service.tell('media.failed', 'd');
  expect(statusesOf(await waiting)).toEqual([
    ['a', 'complete'],
    ['b', 'complete'],
    ['c', undefined],
    ['gone', undefined],
    ['d', 'error'],
  ]);
  expect(service.requests[2]).toContain('ids=a&');
  expect(service.requests.length).toBeLessThanOrEqual(5);
  expect(heard).toEqual(expect.arrayContaining(['a indexing', 'b complete', 'a complete', 'd error']));
});

test('a stream that breaks is made up for by asking', async () => {
  await using service = await serveItems({ hasStream: true });
  service.statuses.set('a', 'indexing');
  const waiting = waitForMedia(service.client, ['a']);
  await until(service.isStreaming);
  service.statuses.set('a', 'complete');
  service.cut();
  expect(statusesOf(await waiting)).toEqual([['a', 'complete']]);
});

test.each([true, false])('without a stream items are asked for, with a list of identifiers: %s', async (hasIds) => {
  await using service = await serveItems({ hasStream: false, hasIds });
  service.statuses.set('other', 'complete').set('a', 'pending');
  const waiting = waitForMedia(service.client, ['a', 'gone']);
  await until(() => service.requests.length > 1);
  service.statuses.set('a', 'complete');
  expect(statusesOf(await waiting)).toEqual([
    ['a', 'complete'],
    ['gone', undefined],
  ]);
});

test('waiting ends with the reason of the signal, and when the key is refused', async () => {
  await using service = await serveItems({ hasStream: false });
  service.statuses.set('a', 'pending');
  const signal = AbortSignal.timeout(50);
  await expect(waitForMedia(service.client, ['a'], { signal })).rejects.toThrow(/timeout/);
  await using refusing = await serve((_request, response) => response.writeHead(401).end('{}'));
  const client = createClient({ url: refusing.url, key: 'k' });
  await expect(waitForMedia(client, ['a'])).rejects.toMatchObject({ status: 401 });
});

test('nothing to wait for asks for nothing', async () => {
  await using service = await serveItems({ hasStream: false });
  expect(await waitForMedia(service.client, [])).toEqual(new Map());
  expect(service.requests).toEqual([]);
});
