import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../clients/typescript/api-error.ts';
import { setApiKey } from './client.ts';
import * as api from './generated/api/index.ts';
import * as dashboard from './generated/dashboard/index.ts';
import { mediaItemOptions, searchOptions } from './queries.ts';
import { requestOf, toCurl } from './request.ts';
import { tryConnection } from './try-connection.ts';

/** The generated clients on `fetch-client.ts`: what is sent, and what becomes of each kind of response. */

const { fetched, noted } = vi.hoisted(() => {
  const own = { fetched: vi.fn<typeof fetch>(), noted: [] as boolean[] };
  vi.stubGlobal('window', { location: { origin: 'http://own.example' } });
  vi.stubGlobal('fetch', own.fetched);
  return own;
});
vi.mock('./reachability.ts', () => ({ noteReachable: (reachable: boolean) => noted.push(reachable) }));

beforeAll(() => setApiKey('service_key'));

beforeEach(() => {
  noted.length = 0;
});

afterEach(() => {
  fetched.mockReset();
});

const respond = (body: unknown, init?: ResponseInit) =>
  fetched.mockResolvedValueOnce(new Response(typeof body === 'string' ? body : JSON.stringify(body), init));

/** The last request, as `fetch` got it. */
function sent() {
  const [url, { method, headers, body, signal } = {}] = fetched.mock.lastCall ?? [];
  return { url, method, headers: Object.fromEntries(new Headers(headers)), body, signal };
}

const failureOf = async (call: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await call.catch((reason: unknown) => reason);
  if (!(error instanceof ApiError)) throw error;
  return error;
};

test('an operation of the API is sent with the key, its path and its query', async () => {
  respond({ success: true, data: [], meta: { has_more: false } });
  const { signal } = new AbortController();
  const result = await api.listChunks({ path: { id: 'a/b' }, query: { page: 2, per_page: 100 }, signal });
  expect(sent()).toEqual({
    url: 'http://own.example/api/v1/media/a%2Fb/chunks?page=2&per_page=100',
    method: 'GET',
    headers: { authorization: 'Bearer service_key' },
    body: null,
    signal,
  });
  expect(result).toEqual({ success: true, data: [], meta: { has_more: false } });
  expect(noted).toEqual([true]);
});

test("the dashboard's own operations go by the cookie, without the key", async () => {
  respond({ success: true, data: {} });
  await dashboard.changeRole({ path: { id: 'x' }, body: { role: 'owner' } });
  expect(sent()).toMatchObject({
    url: '/manage/members/x',
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"role":"owner"}',
  });
  expect(sent().headers).not.toHaveProperty('authorization');
});

test('a search by a file is sent as a form, whose boundary the browser sets', async () => {
  respond({ success: true, data: [], meta: {} });
  const file = new File(['bytes'], 'a.png');
  const { queryFn } = searchOptions({ file, name: '1', url: 'blob:1' }, { n: 20, type: undefined });
  if (typeof queryFn !== 'function') throw new Error('The query has no function.');
  await queryFn({ signal: new AbortController().signal } as never);
  const { url, headers, body } = sent();
  expect(url).toBe('http://own.example/api/v1/media/search/image?n=20');
  expect(headers).not.toHaveProperty('content-type');
  expect((body as FormData).get('file')).toMatchObject({ name: 'a.png', size: 5 });
});

test('a failure that the service reports keeps code, message, details, status and request id', async () => {
  const details = [{ path: 'body.name', message: 'is taken' }];
  respond(
    { success: false, error: { code: 'already_exists', message: 'There is one.', details } },
    { status: 409, headers: { 'X-Request-Id': 'r1' } },
  );
  const error = await failureOf(api.createCreator({ body: { name: 'a' } }));
  expect(error).toMatchObject({
    code: 'already_exists',
    message: 'There is one.',
    status: 409,
    requestId: 'r1',
    details,
  });
  expect(noted).toEqual([true]);
});

test('the service can be reached when it reports 503 itself, not when a proxy does', async () => {
  respond({ success: false, error: { code: 'unavailable', message: 'Later.' } }, { status: 503 });
  expect(await failureOf(api.getWorkspace())).toMatchObject({ code: 'unavailable', message: 'Later.' });
  respond('<h1>Bad gateway</h1>', { status: 502 });
  expect(await failureOf(api.getWorkspace())).toMatchObject({
    code: 'unavailable',
    message: 'The service answered with status 502.',
    status: 502,
    details: [],
  });
  expect(noted).toEqual([true, false]);
});

test.each([
  ['no connection', () => fetched.mockRejectedValueOnce(new TypeError('fetch failed'))],
  ['a success that is not JSON', () => respond('<h1>Sign in to the network</h1>')],
  [
    'a body that breaks off',
    () =>
      fetched.mockResolvedValueOnce(new Response(new ReadableStream({ start: (c) => c.error(new TypeError('cut')) }))),
  ],
])('%s means that the service cannot be reached', async (_, prepare) => {
  prepare();
  expect(await failureOf(api.getWorkspace())).toMatchObject({ code: 'offline', status: 0, requestId: null });
  expect(noted).toEqual([false]);
});

test('a cancelled call throws its AbortError and says nothing of the service', async () => {
  fetched.mockRejectedValueOnce(new DOMException('cancelled', 'AbortError'));
  await expect(api.getWorkspace()).rejects.toMatchObject({ name: 'AbortError' });
  expect(noted).toEqual([]);
});

test('another service is tried with its own key, and says nothing of the one that is shown', async () => {
  const other = { key: 'service_other', address: 'https://other.example/api/v1' };
  respond({ success: true, data: {} });
  await tryConnection(other);
  expect(sent()).toMatchObject({
    url: 'https://other.example/api/v1/workspace',
    headers: { authorization: 'Bearer service_other' },
  });
  fetched.mockRejectedValueOnce(new TypeError('fetch failed'));
  const error = await failureOf(tryConnection(other));
  expect(error).toMatchObject({ code: 'offline', message: expect.stringContaining('No server') });
  expect(noted).toEqual([]);
});

test('a query describes its request for a shell', () => {
  expect(requestOf(mediaItemOptions('a b'))).toEqual({ path: '/media/a%20b', query: {} });
  const file = { file: new File([], 'a.png'), name: '1', url: 'blob:1' };
  expect(requestOf(searchOptions(file, { n: 5 }))).toEqual({
    path: '/media/search/image',
    query: { n: 5 },
    file: 'a.png',
  });
  const words = requestOf(searchOptions({ words: "it's" }, { n: 5, dedupe: false, rerank: true }));
  expect(toCurl(words ?? { path: '' }, '$KEY')).toBe(
    `curl -H "Authorization: Bearer $KEY" \\\n  'http://own.example/api/v1/media/search?n=5&rerank=1&q=it%27s'`,
  );
});

test('pictures that were chosen one after the other have different keys', () => {
  const keys = ['1', '2'].map(
    (name) => searchOptions({ file: new File([], 'a.png'), name, url: 'blob:1' }, {}).queryKey,
  );
  expect(JSON.stringify(keys[0])).not.toBe(JSON.stringify(keys[1]));
});

test('after a 429 nothing is sent before its time, then the refused request and those that waited', async () => {
  vi.useFakeTimers();
  const refusal = { success: false, error: { code: 'throttled', message: 'Too many requests.' } };
  respond(refusal, { status: 429, headers: { 'Retry-After': '12' } });
  fetched.mockImplementation(() => Promise.resolve(new Response('{"success":true,"data":[]}')));
  const first = api.getWorkspace();
  await vi.advanceTimersByTimeAsync(0);
  const second = api.listMedia();
  const cancelled = new AbortController();
  const third = api.listCreators({ signal: cancelled.signal }).catch((error: unknown) => error);
  cancelled.abort();
  expect(await third).toMatchObject({ name: 'AbortError' });
  await vi.advanceTimersByTimeAsync(11_999);
  expect(fetched).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all([first, second]);
  expect(fetched).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});

test('a session that is throttled is told so at once, with the seconds', async () => {
  respond(
    { success: false, error: { code: 'throttled', message: 'Too many.' } },
    { status: 429, headers: { 'Retry-After': '600' } },
  );
  const { status, retryAt } = await failureOf(dashboard.signIn({ body: { token: 'x' } }));
  expect(status).toBe(429);
  expect(((retryAt ?? 0) - Date.now()) / 1000).toBeCloseTo(600, 0);
});

test('a service that refuses again and again is given up after five attempts', async () => {
  vi.useFakeTimers();
  const body = JSON.stringify({ success: false, error: { code: 'throttled', message: 'Too many.' } });
  fetched.mockImplementation(() =>
    Promise.resolve(new Response(body, { status: 429, headers: { 'Retry-After': '2' } })),
  );
  const failure = failureOf(api.getWorkspace());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await failure).toMatchObject({ code: 'throttled', status: 429 });
  expect(fetched).toHaveBeenCalledTimes(5);
  vi.useRealTimers();
});
