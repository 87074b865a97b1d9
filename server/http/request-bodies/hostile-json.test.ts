import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { basePath } from '../../../contract/base-path.ts';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import type { Operation } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import { openExpectingContinue } from '../../testing/raw-http.ts';
import { startTestService } from '../../testing/running-service.ts';
import { registerErrorHandling } from '../errors/error-handler.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { keepJsonUnread } from './read-json.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0, trustedProxies: ['127.0.0.1'] });
});
afterAll(() => service[Symbol.asyncDispose]());

async function send(path: string, body: string, method: 'POST' | 'PATCH' | 'DELETE' = 'POST') {
  const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${service.url}${path}`, { method, body, headers });
  const text = await answer.text();
  return { status: answer.status, length: text.length, ...(JSON.parse(text) as { error?: { code: string } }) };
}

/** Every path that takes a body, with and without a key. */
const paths = Object.values({ ...operations, ...dashboardOperations } as Record<string, Operation>)
  .filter(({ body, bytes }) => body !== undefined && bytes === undefined)
  .map((operation) => {
    const { access, method, path } = operation;
    const prefix = access === 'key' ? basePath : '';
    return [method as 'POST' | 'PATCH', prefix + path.replace(':id', crypto.randomUUID()), operation] as const;
  });

test.each(paths)(
  '%s %s refuses what is nested deeply, long or of many parts, and never fails',
  async (method, path, operation) => {
    const refused = operation.access === 'member' || operation.access === 'owner' ? 401 : undefined;
    const limit = operation.bodyLimit ?? { bytes: 64 * 1024, members: 1000 };
    const nested = `${'{"a":['.repeat(3500)}${']}'.repeat(3500)}`;
    expect(nested.length).toBeLessThan(65_536);
    expect(await send(path, nested, method)).toMatchObject({ status: refused ?? 400 });
    const many = `{"ids":[${'0,'.repeat(limit.members)}0]}`;
    expect(await send(path, many, method)).toMatchObject({ status: refused ?? 413 });
    const long = `{"a":"${'a'.repeat(limit.bytes)}"}`;
    expect(await send(path, long, method)).toMatchObject({ status: refused ?? 413 });
  },
);

test('a list may be as long as the contract says', async () => {
  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
  expect(await send(`${basePath}/trash/restore`, JSON.stringify({ ids: ids(1000) }))).toMatchObject({ status: 200 });
  const sums = Array.from({ length: 1000 }, (_, i) => String(i).padStart(64, '0'));
  expect(await send(`${basePath}/media/check`, JSON.stringify({ sha256: sums }, null, 4))).toMatchObject({
    status: 200,
  });
  const { id } = (await service.client.post<{ id: string }>('/collections', { name: `All ${crypto.randomUUID()}` }))
    .data;
  const changes = JSON.stringify({ add: ids(1000), remove: ids(1000) });
  expect(await send(`${basePath}/collections/${id}/items`, changes)).toMatchObject({ status: 200 });
  // They are looked for, so the body was read.
  const items = JSON.stringify({ format: 'csv', media_ids: ids(20_000) });
  expect(await send(`${basePath}/exports`, items)).toMatchObject({ status: 404 });
  const moments = ids(5000).map((id) => ({
    media_id: id,
    start: 1.25,
    end: 2.5,
    name: 'A boat in a harbour',
    score: 0.5,
  }));
  expect(await send(`${basePath}/exports`, JSON.stringify({ format: 'csv', moments }))).toMatchObject({ status: 404 });
});

test('an error names 20 things that are wrong, not each of them', async () => {
  const parameters = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`A${i}`, '']));
  const body = JSON.stringify({ name: 'x', page: 'search', parameters });
  const answer = await send(`${basePath}/saved-searches`, body);
  expect(answer).toMatchObject({ status: 400, error: { code: 'validation_error' } });
  expect((answer.error as unknown as { details: unknown[] }).details).toHaveLength(20);
  expect(answer.length).toBeLessThan(4000);
  // Half a megabyte of wrong entries, which the operation may take.
  const ids = JSON.stringify({ format: 'csv', media_ids: Array.from({ length: 20_000 }, () => 'not an identifier') });
  expect((await send(`${basePath}/exports`, ids)).length).toBeLessThan(4000);
});

const head = (method: string, path: string, more: string[] = []) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${service.key}`,
    'Content-Type: application/json',
    'Content-Length: 60000',
    'Expect: 100-continue',
    ...more,
    '\r\n',
  ].join('\r\n');

test.each([
  ['POST', '/nowhere', 404],
  ['DELETE', '/auth/nowhere', 404],
  ['PATCH', `${basePath}/nowhere`, 404],
  ['POST', `${basePath}/workspace`, 405],
  ['POST', '/auth/session', 405],
])('%s %s is answered by its head alone', async (method, path, status) => {
  // No body is sent for this answer.
  await expect(openExpectingContinue(service.url, head(method, path))).rejects.toThrow(` ${status} `);
});

test('visitors are admitted by address, those of an IPv6 network together, and never in the place of others', async () => {
  const open = (from: string) =>
    openExpectingContinue(service.url, head('POST', '/auth/sign-in', [`X-Forwarded-For: ${from}`]));
  for (const [first, second, other] of [
    ['203.0.113.7', '203.0.113.7', '203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::7', '2001:db8:1:3::1'],
    ['::ffff:203.0.113.9', '203.0.113.9', '::ffff:203.0.113.10'],
  ] as const) {
    const sockets = await Promise.all(Array.from({ length: 64 }, () => open(first)));
    await expect(open(second), second).rejects.toThrow(/ 429 .*This address has 64 requests in flight/s);
    sockets.push(await open(other));
    expect((await service.client.get('/workspace')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(
        () =>
          open(second).then(
            (socket) => !socket.destroy().readable,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
  }
});

test('a body is parsed when it is the turn of its request, not before', async () => {
  const app = Fastify();
  registerErrorHandling(app);
  keepJsonUnread(app);
  app.decorate('admits', ['anyone']);
  app.decorateRequest('workspaceId', 'one');
  const operation = {
    method: 'POST',
    path: '/things',
    tag: 'Media',
    access: 'anyone',
    summary: 'Make a thing.',
    body: z.object({ name: z.string() }),
    responses: { 200: 'Made.' },
    data: z.object({ name: z.string() }),
    errors: [],
  } as const satisfies Operation;
  const release: (() => void)[] = [];
  serveOperation(app, operation, async ({ body }) => {
    await new Promise<void>((resolve) => void release.push(resolve));
    return { data: body };
  });
  const ask = (payload: string) =>
    app.inject({ method: 'POST', url: '/things', payload, headers: { 'content-type': 'application/json' } });
  const running = [ask('{"name":"a"}'), ask('{"name":"b"}')];
  await expect.poll(() => release.length).toBe(2);
  let answered = false;
  const third = ask('{"name":').finally(() => (answered = true));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  for (const end of release) end();
  expect((await third).json()).toMatchObject({ error: { code: 'malformed_body' } });
  for (const answer of await Promise.all(running)) expect(answer.statusCode).toBe(200);
});
