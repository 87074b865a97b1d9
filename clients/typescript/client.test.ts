import type { RequestListener } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, expectTypeOf, test, vi } from 'vitest';
import { makeDistinctPhoto } from '../../server/testing/photos.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import {
  ApiError,
  createClient,
  createCreator,
  getMedia,
  getWorkspace,
  listCreators,
  listMedia,
  type MediaItem,
  paginate,
  subscribeToEvents,
  uploadFile,
} from './index.ts';
import { openFile } from './node.ts';
import { serve } from './testing/serve.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0 });
});
afterAll(() => service[Symbol.asyncDispose]());

const clientOf = () => createClient({ url: service.url, key: service.key });

test('an operation answers with the envelope of the service, typed', async () => {
  const { data, meta } = await listCreators({ client: clientOf(), query: { per_page: 1 } });
  expect(data).toEqual([]);
  expect(meta?.has_more).toBe(false);
});

test('a refusal is thrown with code, status, details and request id', async () => {
  const failure = await getWorkspace({ client: createClient({ url: service.url, key: 'service_wrong' }) }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ code: 'invalid_api_key', status: 401, requestId: expect.stringMatching(/\S/) });
});

test('a service that is not there is offline, with the cause', async () => {
  const failure: unknown = await getWorkspace({ client: createClient({ url: 'http://127.0.0.1:9', key: 'k' }) }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ code: 'offline', status: 0, cause: expect.anything() });
});

test.each(['', '.', '..'])('what names nothing (“%s”) asks for no other address', async (id) => {
  const failure = await getMedia({ client: clientOf(), path: { id } }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'validation_error', status: 400, message: `“${id}” is no id.` });
});

test('a function without a client says what it needs', async () => {
  await expect(getWorkspace()).rejects.toThrow(/Pass a client/);
});

test('pages are read one after the other, each when the loop gets there', async () => {
  const client = clientOf();
  for (const name of ['Ann', 'Ben', 'Cem', 'Dov', 'Eva']) await createCreator({ client, body: { name } });
  const names: string[] = [];
  for await (const { name } of paginate(listCreators, { client, query: { per_page: 2 } })) names.push(name);
  expect(names).toEqual(['Ann', 'Ben', 'Cem', 'Dov', 'Eva']);
});

test.each([
  ['http://h:8080', 'http://h:8080/api/v1'],
  ['http://h:8080/', 'http://h:8080/api/v1'],
  ['https://h/media/api/v1/', 'https://h/media/api/v1'],
])('%s is the service at %s', (url, baseUrl) => {
  expect(createClient({ url, key: 'k' }).transport.baseUrl).toBe(baseUrl);
});

test.each(['ftp://h', 'h:8080', ''])('%j is no address', (url) => {
  expect(() => createClient({ url, key: 'k' })).toThrow(TypeError);
});

test('a request that may be repeated is sent again at the time that a 503 names, another is not', async () => {
  const methods: string[] = [];
  await using away = await serve((request, response) => {
    methods.push(request.method ?? '');
    response.writeHead(503, { 'Retry-After': '0', 'Content-Type': 'application/json' });
    response.end('{"success":false,"error":{"code":"unavailable","message":"Later."}}');
  });
  const client = createClient({ url: away.url, key: 'k' });
  await expect(getWorkspace({ client })).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  expect(methods).toEqual(['GET', 'GET', 'GET', 'GET', 'GET']);
  methods.length = 0;
  await expect(createCreator({ client, body: { name: 'a' } })).rejects.toMatchObject({ status: 503 });
  expect(methods).toEqual(['POST']);
  methods.length = 0;
  const headers = { 'Idempotency-Key': '1' };
  await expect(createCreator({ client, body: { name: 'a' }, headers })).rejects.toMatchObject({ status: 503 });
  expect(methods).toHaveLength(5);
});

test('a wait that is longer than the client takes is a failure at once, with its time', async () => {
  const answer = vi.fn<RequestListener>((_request, response) => response.writeHead(429, { 'Retry-After': '60' }).end());
  await using busy = await serve(answer);
  const client = createClient({ url: busy.url, key: 'k', maxWaitSeconds: 30 });
  const failure: unknown = await getWorkspace({ client }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ status: 429 });
  expect(((failure as ApiError).retryAt ?? 0) - Date.now()).toBeGreaterThan(50_000);
  expect(answer).toHaveBeenCalledTimes(1);
});

test('a wait that no timer can take does not end at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    const month = { status: 429, headers: { 'Retry-After': String(86_400 * 30) } };
    const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('', month));
    const client = createClient({ url: 'http://own.example', key: 'k', fetch, maxWaitSeconds: Infinity });
    getWorkspace({ client }).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(fetch).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

test('the key of the moment is sent, and the bytes of a file come as a Blob', async () => {
  let authorization: string | undefined;
  await using server = await serve((request, response) => {
    authorization = request.headers.authorization;
    response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end('bytes');
  });
  let key = 'first';
  const client = createClient({ url: server.url, key: () => key });
  key = 'second';
  const file: unknown = await getWorkspace({ client });
  expect(authorization).toBe('Bearer second');
  expect(await (file as Blob).text()).toBe('bytes');
});

test('a list is iterated with the filters and the items of its operation', () => {
  const videos = () => paginate(listMedia, { client: clientOf(), query: { type: 'video', per_page: 5 } });
  expectTypeOf(videos).returns.toExtend<AsyncGenerator<MediaItem>>();
  // @ts-expect-error no filter of that name
  const wrong = () => paginate(listMedia, { client: clientOf(), query: { kind: 'video' } });
  expect([videos, wrong]).toHaveLength(2);
});

test('events of the service come as they happen, and go on behind the one that is named', async () => {
  const client = clientOf();
  const events = subscribeToEvents(client, { types: ['media.created'] });
  const next = async () => (await events.next()).value;
  expect(await next()).toEqual({ type: 'ready', lastEventId: null });
  const upload = async (number: number) => {
    const file = path.join(service.folder, `${number}.png`);
    return uploadFile(client, await openFile(await makeDistinctPhoto(file, number)));
  };
  const { mediaId } = await upload(1);
  const first = await next();
  expect(first).toMatchObject({ type: 'media.created', data: { media: { id: mediaId, filename: '1.png' } } });
  await upload(2);
  const second = await next();
  await events.return();
  const resumed = subscribeToEvents(client, { lastEventId: first?.lastEventId ?? null });
  expect((await resumed.next()).value).toEqual(second);
  await resumed.return();
  const lost = subscribeToEvents(client, { lastEventId: mediaId });
  expect((await lost.next()).value).toEqual({ type: 'gap', lastEventId: second?.lastEventId });
  await lost.return();
});
