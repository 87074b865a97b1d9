import { utimes, writeFile } from 'node:fs/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { uploaded } from '../../assets/asset-store.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { registerErrorHandling } from '../errors/error-handler.ts';
import { sendAsset } from './responses.ts';

const content = '0123456789';
const modified = 'Mon, 02 Jun 2025 10:00:00 GMT';
const owner = { workspace_id: 'w', id: 'i' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const app = Fastify();

beforeAll(async () => {
  folder = await temporaryFolder();
  const assets = createFileAssetStore(folder.path);
  await assets.prepare();
  const arrived = folder.file('file');
  await writeFile(arrived, content);
  // Half a second after what an HTTP date can say.
  const time = Date.parse(modified) / 1000 + 0.5;
  await utimes(arrived, time, time);
  await assets.putOriginal(arrived, { ...owner, filename: 'a.txt', sha256: 'x' });
  registerErrorHandling(app);
  app.get('/there', (request, reply) => sendAsset(request, reply, assets, uploaded(owner)));
  app.get('/gone', (request, reply) => sendAsset(request, reply, assets, uploaded({ ...owner, id: 'none' })));
});

afterAll(() => folder[Symbol.asyncDispose]());

const get = (headers: Record<string, string> = {}, url = '/there') => app.inject({ url, headers });

test('a whole file comes with its length, its date and a tag', async () => {
  const { statusCode, body, headers } = await get();
  expect({ statusCode, body }).toEqual({ statusCode: 200, body: content });
  expect(headers).toMatchObject({ 'content-length': '10', 'accept-ranges': 'bytes', 'last-modified': modified });
  expect(headers.etag).toMatch(/^W\/".+"$/);
  const head = await app.inject({ method: 'HEAD', url: '/there' });
  expect(head).toMatchObject({ statusCode: 200, body: '', headers: { 'content-length': '10', etag: headers.etag } });
  expect((await get({}, '/gone')).statusCode).toBe(404);
});

test.each([
  ['bytes=2-4', '234', '2-4'],
  ['bytes=0-0', '0', '0-0'],
  ['bytes=7-', '789', '7-9'],
  ['bytes=8-99', '89', '8-9'],
  ['bytes=-3', '789', '7-9'],
  ['bytes= 0 - 1', '01', '0-1'],
  ['bytes=-99', content, '0-9'],
])('the range %s is sent', async (range, body, sent) => {
  const response = await get({ range });
  expect(response).toMatchObject({ statusCode: 206, body });
  expect(response.headers).toMatchObject({
    'content-range': `bytes ${sent}/10`,
    'content-length': String(body.length),
  });
});

test.each(['bytes=10-', 'bytes=9-1', 'bytes=-0', 'bytes=-', 'bytes=x'])('the range %s is refused', async (range) => {
  const response = await get({ range });
  expect(response).toMatchObject({ statusCode: 416, headers: { 'content-range': 'bytes */10' } });
  expect(response.json()).toMatchObject({ error: { code: 'range_not_satisfiable' } });
  expect(response.headers).not.toHaveProperty('etag');
});

test.each(['bytes=0-0,2-3', 'items=0-1'])('the whole file is sent for %s', async (range) => {
  const response = await get({ range });
  expect(response).toMatchObject({ statusCode: 200, body: content });
  expect(response.headers).not.toHaveProperty('content-range');
});

test('a client that has the file gets 304, unless it reloads', async () => {
  const etag = String((await get()).headers.etag);
  const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
  const statusOf = async (headers: Record<string, string>) => (await get(headers)).statusCode;
  expect(await statusOf({ 'if-none-match': etag })).toBe(304);
  expect(await statusOf({ 'if-none-match': `"other", ${etag}` })).toBe(304);
  expect(await statusOf({ 'if-none-match': etag, range: 'bytes=0-1' })).toBe(304);
  expect(await statusOf({ 'if-none-match': '"other"' })).toBe(200);
  // The tag decides where there is one.
  expect(await statusOf({ 'if-none-match': '"other"', 'if-modified-since': modified })).toBe(200);
  expect(await statusOf({ 'if-modified-since': modified })).toBe(304);
  expect(await statusOf({ 'if-modified-since': earlier })).toBe(200);
  expect(await statusOf({ 'if-none-match': etag, 'cache-control': 'no-cache' })).toBe(200);
});

test('a partial download is continued only if the file is the same', async () => {
  const etag = String((await get()).headers.etag);
  const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
  const statusOf = async (headers: Record<string, string>) => (await get({ range: 'bytes=5-', ...headers })).statusCode;
  expect(await statusOf({ 'if-range': etag })).toBe(206);
  expect(await statusOf({ 'if-range': '"other"' })).toBe(200);
  expect(await statusOf({ 'if-range': modified })).toBe(206);
  expect(await statusOf({ 'if-range': earlier })).toBe(200);
  expect(await statusOf({ 'if-match': etag })).toBe(206);
  expect(await statusOf({ 'if-match': '*' })).toBe(206);
  expect(await statusOf({ 'if-match': '"other"' })).toBe(400);
  expect(await statusOf({ 'if-unmodified-since': modified })).toBe(206);
  expect(await statusOf({ 'if-unmodified-since': earlier })).toBe(400);
});
