import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let items: MediaItem[];

beforeAll(async () => {
  service = await startTestService();
  const { client } = service;
  for (const shade of [40, 120, 200]) {
    const file = path.join(service.folder, `${shade}.png`);
    await makePhoto(file, plain(shade, 90, 10));
    await client.waitUntilIndexed((await client.upload(file)).data.id);
  }
  items = (await client.get<MediaItem[]>('/media')).data;
});

afterAll(() => service[Symbol.asyncDispose]());

const ask = (url: string, headers: Record<string, string>) =>
  fetch(new URL(url, service.url), { headers: { Authorization: `Bearer ${service.key}`, ...headers } });

test.each(['br', 'gzip'])(
  'a list is compressed by %s for who accepts it, and the same for who does not',
  async (by) => {
    const plainly = await ask(`${basePath}/media`, { 'Accept-Encoding': 'identity' });
    const body = await plainly.text();
    expect(body.length).toBeGreaterThan(2000);
    expect(plainly.headers.get('Content-Encoding')).toBeNull();
    const compressed = await ask(`${basePath}/media`, { 'Accept-Encoding': by });
    expect(compressed.headers.get('Content-Encoding')).toBe(by);
    expect(Number(compressed.headers.get('Content-Length'))).toBeLessThan(body.length / 2);
    expect(await compressed.text()).toBe(body);
    for (const { headers } of [plainly, compressed]) expect(headers.get('Vary')).toMatch(/accept-encoding/);
  },
);

test('small responses, media files and their ranges are sent as they are', async () => {
  const accepting = { 'Accept-Encoding': 'br, gzip' };
  const original = items[0]?.download_url ?? '';
  for (const [url, headers] of [
    [`${basePath}/creators`, accepting],
    [original, accepting],
    [original, { ...accepting, Range: 'bytes=0-9' }],
  ] as const) {
    const response = await ask(url, headers);
    expect(response.ok).toBe(true);
    expect(response.headers.get('Content-Encoding'), url).toBeNull();
  }
});

test('what a session opens is not compressed: it reveals keys', async () => {
  const browser = await service.signIn();
  for (let i = 0; i < 10; i++) await browser.post('/manage/api-keys');
  const headers = { cookie: browser.cookie(), 'Accept-Encoding': 'br, gzip', 'Sec-Fetch-Site': 'same-origin' };
  const response = await ask('/manage/api-keys', headers);
  expect(response.headers.get('Content-Encoding')).toBeNull();
  expect((await response.text()).length).toBeGreaterThan(1024);
});

test('an item keeps its ETag however it is sent', async () => {
  const url = `${basePath}/media/${items[0]?.id}`;
  const [compressed, plainly] = [
    await ask(url, { 'Accept-Encoding': 'br' }),
    await ask(url, { 'Accept-Encoding': '' }),
  ];
  expect(compressed.headers.get('ETag')).toBe(plainly.headers.get('ETag'));
  const known = { 'If-None-Match': compressed.headers.get('ETag') ?? '', 'Accept-Encoding': 'br' };
  expect((await ask(url, known)).status).toBe(304);
});

test('a compressed request is not unfolded, so it is no JSON', async () => {
  const response = await fetch(`${service.url}${basePath}/creators`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${service.key}`,
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
    },
    body: gzipSync(JSON.stringify({ name: 'Ana' })),
  });
  expect(response.status).toBe(400);
});
