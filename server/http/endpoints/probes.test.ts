import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import { readGreeting, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, startTestService } from '../../testing/running-service.ts';

test('health, readiness and metrics need no key, and metrics name routes and stages but nothing that is stored', async () => {
  await using service = await startTestService({ workers: 1 });
  const { client, db, url, workspaceId } = service;
  const isShared = dialectOf(db).name === 'postgres';
  const get = (path: string, headers = {}) => fetch(url + path, { headers });
  expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' });
  const ready = await get('/readyz');
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', checks: { database: 'ok', storage: 'ok', ...(isShared && { models: 'ok' }) } },
  ]);
  expect(ready.headers.get('Cache-Control')).toBe('no-store');
  // Counting begins with the first reading.
  expect((await get('/metrics')).headers.get('Content-Type')).toMatch(/^text\/plain/);
  const file = `${service.folder}/red.png`;
  await makePhoto(file, plain(200, 20, 20));
  const { id } = (await client.upload(file)).data;
  await client.waitUntilIndexed(id);
  await client.search('red');
  await get('/no/such/path.txt');
  const metrics = await (await get('/metrics')).text();
  const value = (series: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')[1],
    );
  const requests = (method: string, route: string, status: string) =>
    value(`http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`);
  expect(requests('POST', '/api/v1/media/upload', '2xx')).toBe(1);
  expect(requests('GET', '/api/v1/media/:id', '2xx')).toBeGreaterThan(0);
  expect(value('media_search_stage_duration_seconds_count{stage="vector"}')).toBe(1);
  expect(value('media_search_jobs_ended_total{kind="index",outcome="done"}')).toBe(1);
  expect(value('media_search_job_seconds_total{kind="index",type="image"}')).toBeGreaterThan(0);
  expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  for (const secret of [id, workspaceId, 'red.png', '/no/such', 'readyz', 'metrics"']) {
    expect(metrics).not.toContain(secret);
  }
});

test('metrics are not there for who asks over a proxy', async () => {
  await using service = await startTestService({ workers: 0 });
  for (const name of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP']) {
    const answer = await fetch(`${service.url}/metrics`, { headers: { [name]: '203.0.113.5' } });
    expect([name, answer.status]).toEqual([name, 404]);
  }
});

test('a stop is told before it begins: meanwhile requests are answered', async () => {
  const service = await startTestService({ workers: 0, drainSeconds: 3 });
  const stopped = service.stop();
  await delay(100);
  const ready = await fetch(`${service.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'stopping' }]);
  expect((await service.client.get('/workspace')).status).toBe(200);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  await stopped;
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
  await rm(service.folder, { recursive: true });
});

test('each request has one line in the log, also one whose client went away', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.file('data'), PORT: '0', WORKERS: '1', LOG_LEVEL: 'info' };
  const service = spawnProgram('main', [], { ...settings, TRUSTED_PROXIES: 'loopback' });
  const log = text(service.stderr as NodeJS.ReadableStream);
  const { url, key } = await readGreeting(service);
  const client = createTestClient(url, key);
  const answer = await client.call('/media/search?q=hidden', { headers: { 'X-Request-Id': 'from-the-proxy-1' } });
  expect(answer.headers.get('X-Request-Id')).toBe('from-the-proxy-1');
  await fetch(`${url}/readyz`);
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
  socket.write(`POST /api/v1/media/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`);
  socket.write('Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000\r\n\r\n--b\r\n');
  await delay(300);
  socket.destroy();
  await delay(300);
  service.kill('SIGTERM');
  await once(service, 'exit');
  const lines = (await log)
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    {
      reqId: 'from-the-proxy-1',
      method: 'GET',
      route: '/api/v1/media/search',
      path: '/api/v1/media/search',
      status: 200,
      workspace: expect.any(String) as string,
      key: expect.any(String) as string,
      client: '127.0.0.1',
    },
    { method: 'POST', route: '/api/v1/media/upload', aborted: true, bytesIn: 5000 },
  ]);
  for (const line of lines) expect(line['ms']).toBeGreaterThan(0);
});
