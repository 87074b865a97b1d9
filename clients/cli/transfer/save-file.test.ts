import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { saveFile } from './save-file.ts';

const bytes = randomBytes(300_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');
/** The parts that were asked for, and what the server does with the next request. */
let asked: (string | undefined)[] = [];
let behaviour: ((response: ServerResponse, start: number) => boolean)[] = [];

const server = createServer((request, response) => {
  const { range } = request.headers;
  asked.push(range);
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  if (behaviour.shift()?.(response, start)) return;
  if (start >= bytes.length) {
    response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end();
    return;
  }
  const headers = { 'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
  response.writeHead(range ? 206 : 200, { ...(range ? headers : {}), 'Content-Length': bytes.length - start });
  response.end(bytes.subarray(start));
});
let url = '';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());
beforeEach(async () => {
  [asked, behaviour] = [[], []];
  folder = await temporaryFolder();
  return () => folder[Symbol.asyncDispose]();
});

const save = (changes: Partial<Parameters<typeof saveFile>[0]> = {}) =>
  saveFile({
    address: async () => url,
    target: folder.file('a.mp4'),
    part: folder.file('a.part'),
    sha256,
    force: false,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...changes,
  });

/** Sends some bytes, and breaks the connection when they are in the file: what is on its way then gets lost. */
const cutAfter = (length: number) => (response: ServerResponse, start: number) => {
  const headers = { 'Content-Range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
  response.writeHead(start > 0 ? 206 : 200, { ...headers, 'Content-Length': bytes.length - start });
  response.write(bytes.subarray(start, start + length));
  const part = folder.file('a.part');
  const look = setInterval(() => {
    if (!existsSync(part) || statSync(part).size < start + length) return;
    clearInterval(look);
    response.destroy();
  }, 5);
  return true;
};

test('a connection that breaks is made again, behind what is there', async () => {
  behaviour = [cutAfter(100_000), cutAfter(50_000)];
  await save();
  expect(asked).toEqual([undefined, 'bytes=100000-', 'bytes=150000-']);
  expect(await readFile(folder.file('a.mp4'))).toEqual(bytes);
  expect(await readdir(folder.path)).toEqual(['a.mp4']);
});

test('what an earlier command left is gone on with', async () => {
  await writeFile(folder.file('a.part'), bytes.subarray(0, 120_000));
  await save();
  expect(asked).toEqual(['bytes=120000-']);
  expect(await readFile(folder.file('a.mp4'))).toEqual(bytes);
});

test('a part that is whole already needs its name only', async () => {
  await writeFile(folder.file('a.part'), bytes);
  await save();
  expect(asked).toEqual([`bytes=${bytes.length}-`]);
  expect(await readFile(folder.file('a.mp4'))).toEqual(bytes);
});

test('a server without ranges sends all of it again', async () => {
  await writeFile(folder.file('a.part'), bytes.subarray(0, 1000));
  behaviour = [(response) => Boolean(response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes))];
  await save();
  expect(await readFile(folder.file('a.mp4'))).toEqual(bytes);
});

test('what is not what the service has gets no name, and the next run begins from the front', async () => {
  await writeFile(folder.file('a.part'), randomBytes(1000));
  await expect(save()).rejects.toThrow('not what the service has');
  expect(await readdir(folder.path)).toEqual(['a.part']);
  await save();
  expect(asked.at(-1)).toBeUndefined();
  expect(await readFile(folder.file('a.mp4'))).toEqual(bytes);
});

test('a link in the place of the part is not followed', async () => {
  await writeFile(folder.file('mine'), 'mine');
  await symlink(folder.file('mine'), folder.file('a.part'));
  await expect(save()).rejects.toThrow('ELOOP');
  expect(await readFile(folder.file('mine'), 'utf8')).toBe('mine');
});

test('a refusal ends it at once; a signal leaves the part', async () => {
  behaviour = [(response) => Boolean(response.writeHead(403).end())];
  await expect(save()).rejects.toThrow('status 403');
  expect(asked).toHaveLength(1);
  const ending = new AbortController();
  behaviour = [
    (response) => response.writeHead(200, { 'Content-Length': bytes.length }).write(bytes.subarray(0, 1000)),
  ];
  await expect(save({ signal: ending.signal, onProgress: () => ending.abort() })).rejects.toThrow('abort');
  expect(await readFile(folder.file('a.part'))).toEqual(bytes.subarray(0, 1000));
});
