import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueApiKey } from '../../catalog/accounts/api-keys.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService({ workers: 0, requestsPerMinute: 40 });
});
afterAll(() => service[Symbol.asyncDispose]());

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Sends a message as the transport wants it, changed by `init`. */
async function send(init: { method?: string; key?: string | null; headers?: object; body?: string | null } = {}) {
  const { method = 'POST', key = service.key, headers, body = JSON.stringify(initialize) } = init;
  const response = await fetch(`${service.url}/mcp`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
  });
  const text = await response.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, never>) : null;
  return { status: response.status, headers: response.headers, text, json };
}

test('an agent of an earlier revision begins without a session', async () => {
  const { status, text, headers } = await send();
  expect(status).toBe(200);
  expect(text).toContain('"serverInfo":{"name":"media-search"');
  expect(headers.get('mcp-session-id')).toBeNull();
});

test('without a key, or with one that is none, there is nothing: 401 in JSON-RPC', async () => {
  for (const key of [null, 'service_wrong', 'nonsense']) {
    const { status, headers, json } = await send({ key });
    expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
    expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000, data: { code: /_api_key$/ } } });
  }
});

test.each([
  ['https://evil.example', undefined],
  ['http://evil.example:8080', undefined],
  ['null', undefined],
  ['nonsense', undefined],
])('a page of %s is refused', async (Origin) => {
  const { status, json } = await send({ headers: { Origin } });
  expect([status, json]).toEqual([403, expect.objectContaining({ jsonrpc: '2.0', error: expect.anything() })]);
});

test('a page of this machine is let in', async () => {
  expect((await send({ headers: { Origin: 'http://localhost:6274' } })).status).toBe(200);
});

test.each([
  ['no JSON', { body: '{' }, 400],
  ['a batch', { body: ` [${JSON.stringify(initialize)}]` }, 400],
  ['text', { headers: { 'Content-Type': 'text/plain' } }, 415],
  ['too much', { body: JSON.stringify('x'.repeat(5 * 2 ** 20)) }, 413],
  ['a stream without a session', { method: 'GET' }, 405],
  ['the end of no session', { method: 'DELETE' }, 405],
  ['another method', { method: 'PUT' }, 405],
] as const)('%s is refused in JSON-RPC', async (_, init, status) => {
  const answer = await send(init);
  expect([answer.status, answer.json]).toEqual([status, expect.objectContaining({ jsonrpc: '2.0', id: null })]);
});

test('HEAD is refused as GET is, without a body', async () => {
  const [head, get] = [await send({ method: 'HEAD', body: null }), await send({ method: 'GET' })];
  expect([head.status, head.text, head.headers.get('Allow')]).toEqual([405, '', 'POST']);
  expect([get.status, get.headers.get('Allow')]).toEqual([405, 'POST']);
});

const long = 'x'.repeat(257);

test.each([
  { ...initialize, id: long },
  { ...initialize, id: 'x'.repeat(3 * 2 ** 20) },
  { ...initialize, id: { deep: long } },
  { ...initialize, id: [long] },
  { ...initialize, method: long },
  { ...initialize, params: { ...initialize.params, protocolVersion: long } },
  { ...initialize, method: 'tools/call', params: { name: long, arguments: {} } },
  { ...initialize, method: 'tools/call', params: { name: 'list_media', _meta: { progressToken: long } } },
])('what an answer would repeat is bounded', async (message) => {
  const { status, json, text } = await send({ body: JSON.stringify(message) });
  expect([status, json]).toMatchObject([400, { id: null, error: { code: -32_600 } }]);
  expect(text.length).toBeLessThan(1000);
});

test('an identifier of 256 characters is repeated', async () => {
  const { status, text } = await send({ body: JSON.stringify({ ...initialize, id: 'é'.repeat(256) }) });
  expect([status, text.includes(`"${'é'.repeat(256)}"`)]).toEqual([200, true]);
});

test('agents that look for a sign-in are told that there is none', async () => {
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    const response = await fetch(service.url + path);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'application/json; charset=utf-8']);
  }
});

test('requests of tools count as those of any client, and their refusal says when to try again', async () => {
  const { id } = await service.addWorkspace('Busy');
  const { key } = await issueApiKey(service.db, service.secrets, id);
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'list_media', arguments: {} },
  });
  const answers: string[] = [];
  for (let i = 0; i < 20; i++) answers.push((await send({ key, body })).text);
  expect(answers[0]).toContain('"total":0');
  const limited = await send({ key, body });
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(limited.json).toMatchObject({ error: { data: { code: 'throttled' } } });
});

test('a workspace has a bounded number of messages in flight, from their heads on', async () => {
  const { id } = await service.addWorkspace('Crowded');
  const { key } = await issueApiKey(service.db, service.secrets, id);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': '9' };
  await savePlan(service.db, 'agents', { requests_per_minute: 10_000, agents_at_once: 2 });
  await assignPlan(service.db, id, 'agents');
  // Two are read, 64 wait for their turn, whichever arrive first; the others are refused.
  let refused = 0;
  const begun = Array.from({ length: 80 }, () => request(`${service.url}/mcp`, { method: 'POST', headers }));
  for (const each of begun) {
    each.on('error', () => undefined).on('response', ({ statusCode }) => (refused += Number(statusCode === 429)));
    each.flushHeaders();
  }
  await expect.poll(() => refused).toBe(14);
  expect(await send({ key })).toMatchObject({ status: 429, json: { error: { data: { code: 'throttled' } } } });
  expect(refused).toBe(14);
  for (const each of begun) each.destroy();
  await expect.poll(async () => (await send({ key })).status).toBe(200);
});

const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, 1]));

test.each([
  { method: 'tools/call', params: { name: 'list_media', arguments: many } },
  { method: 'tools/call', params: { name: 'list_media', arguments: {}, _meta: { deep: [many] } } },
  { method: 'initialize', params: { ...initialize.params, capabilities: { experimental: many } } },
])('a message of many parts is refused before it is looked at', async (message) => {
  const { status, json, text } = await send({ body: JSON.stringify({ jsonrpc: '2.0', id: 2, ...message }) });
  expect([status, json]).toMatchObject([413, { error: { data: { code: 'payload_too_large' } } }]);
  expect(text.length).toBeLessThan(1000);
});
