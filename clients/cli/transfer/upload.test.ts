import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makePhoto, square } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { assignPlan, defaultPlanId, savePlan } from '../../../server/catalog/accounts/plans.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import type { MediaItem } from '../../typescript/index.ts';
import { serve } from '../../typescript/testing/serve.ts';
import { runCommand } from '../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let made = 0;
beforeAll(async () => {
  service = await startTestService({ allowedAddresses: ['127.0.0.1'] });
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await temporaryFolder();
  return () => folder[Symbol.asyncDispose]();
});

/** A photo that no test before has made. */
async function photo(name: string): Promise<string> {
  const file = folder.file(name);
  await makePhoto(file, square([(made += 7) % 256, 20, 30], [255, 255, 255 - made]));
  return file;
}

const run = (words: string[], url = service.url) =>
  runCommand(words, { home: folder.path, env: { MEDIA_SEARCH_URL: url, MEDIA_SEARCH_KEY: service.key } });

type Result = { file: string; result: string; media_id: string | null; error: string | null; status?: string };
const results = (out: string) => JSON.parse(out) as Result[];

test('a folder is sent with its labels, waited for, and not sent twice', async () => {
  await mkdir(folder.file('in'));
  await photo('in/a.jpg');
  await photo('in/b.jpg');
  await copyFile(folder.file('in/a.jpg'), folder.file('in/copy of a.jpg'));
  await writeFile(folder.file('in/notes.txt'), 'notes');
  const words = [
    'upload',
    folder.file('in'),
    '--creator',
    'Ana Lima',
    '--tag',
    'lisbon, summer',
    '--tag',
    'sea',
    '--json',
  ];
  expect(await run(words)).toMatchObject({ code: 1, err: expect.stringContaining('--create makes it.') as string });
  const { code, out, err } = await run([...words, '--create', '--wait']);
  expect(code).toBe(0);
  expect(err).toBe('1 other file left out: no videos or images by their names.\n2 uploaded, 1 there already.\n');
  expect(results(out).map(({ result, status }) => [result, status])).toEqual(
    expect.arrayContaining([
      ['uploaded', 'complete'],
      ['uploaded', 'complete'],
      ['present', 'complete'],
    ]),
  );
  const id = results(out).find(({ file }) => file.endsWith('b.jpg'))?.media_id;
  const { data } = await service.client.get<MediaItem>(`/media/${id}`);
  const tags = await service.client.get<{ name: string }[]>('/tags');
  expect([data.filename, data.tag_ids.length, tags.data.map(({ name }) => name)]).toEqual([
    'b.jpg',
    3,
    ['lisbon', 'sea', 'summer'],
  ]);
  const again = await run(['upload', folder.file('in')]);
  expect(again).toMatchObject({ code: 0, err: expect.stringMatching(/^1 other.*\n3 there already\.\n$/) as string });
  expect(again.out.split('\n')[0]).toMatch(/^present\t[0-9a-f-]{36}\t.*a\.jpg\t$/);
  const relabelled = await run(['upload', folder.file('in'), '--tag', 'other']);
  expect(relabelled.err).toMatch(/\n3 there already\.\nWhat was there already keeps its labels; [^\n]+\n$/);
});

test('a file whose item was deleted is stored once more', async () => {
  const file = await photo('again.jpg');
  const upload = async () => results((await run(['upload', file, '--json'])).out)[0]?.media_id;
  const first = await upload();
  await service.client.delete(`/media/${first}`);
  const second = await upload();
  expect(second).not.toBe(first);
  expect((await service.client.get<MediaItem>(`/media/${second}`)).data.filename).toBe('again.jpg');
});

test('a service that is away is all that is said', async () => {
  const { code, out, err } = await run(['upload', await photo('away.jpg'), '--json'], 'http://127.0.0.1:9');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^http:\/\/127\.0\.0\.1:9 cannot be reached\..*\n$/);
});

test('names of files arrive as they are, but for control characters, and are one field of one line each', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'its files have no such names');
  await mkdir(folder.file('names'));
  const names = [`-"quote" '$(x)'.jpg`, '100 %.jpg', 'tab\tline\n\u001b[31m.jpg', '東京 .jpg'];
  for (const name of names) await photo(`names/${name}`);
  const { out } = await run(['upload', folder.file('names')]);
  const sent = out.split('\n').slice(0, -1);
  expect(sent.map((line) => line.split('\t').length)).toEqual([4, 4, 4, 4]);
  expect(out).toContain(String.raw`tab\tline\n\u001b[31m.jpg`);
  const ids = new Set(sent.map((line) => line.split('\t')[1]));
  const listed = JSON.parse((await run(['list', '--json'])).out) as { id: string; filename: string }[];
  expect(
    listed
      .filter(({ id }) => ids.has(id))
      .map(({ filename }) => filename)
      .toSorted(),
  ).toEqual([`-"quote" '$(x)'.jpg`, '100 %.jpg', 'tabline[31m.jpg', '東京 .jpg']);
});

test('--dry-run sends nothing', async () => {
  const file = await photo('dry.jpg');
  const { out } = await run(['upload', file, '--dry-run', '--json']);
  expect(results(out)).toMatchObject([{ result: 'new', media_id: null }]);
  expect((await service.client.get<MediaItem[]>('/media?q=dry.jpg')).data).toEqual([]);
});

test('what the service refuses is named, the rest is sent', async () => {
  const file = await photo('good.jpg');
  await writeFile(folder.file('notes.txt'), 'no picture');
  await writeFile(folder.file('cut.jpg'), (await readFile(file)).subarray(0, 160));
  const { code, out, err } = await run([
    'upload',
    folder.file('notes.txt'),
    folder.file('cut.jpg'),
    folder.file('missing.jpg'),
    file,
    '--wait',
    '--json',
  ]);
  expect(code).toBe(1);
  const lines = err.trimEnd().split('\n');
  expect(lines[0]).toBe(`${folder.file('missing.jpg')} does not exist.`);
  expect(lines.slice(1, 3).toSorted()).toEqual([
    expect.stringMatching(/cut\.jpg: \S/),
    expect.stringContaining('notes.txt: This file is no video, image or sound'),
  ]);
  expect(lines.slice(3)).toEqual(['1 uploaded, 3 failed.']);
  const byName = Object.fromEntries(results(out).map((each) => [each.file.split('/').at(-1), each]));
  expect(byName['missing.jpg']).toMatchObject({ result: 'failed', media_id: null, sha256: null });
  expect(byName['notes.txt']).toMatchObject({
    result: 'failed',
    error: expect.stringContaining('is no video, image or sound') as string,
  });
  expect(byName['cut.jpg']).toMatchObject({ status: 'error', error: expect.stringMatching(/\w/) as string });
  expect(byName['good.jpg']).toMatchObject({ result: 'uploaded', status: 'complete' });
  const missing = folder.file('missing.mp4');
  expect(await run(['upload', missing])).toEqual({
    code: 1,
    out: `failed\t\t${missing}\t${missing} does not exist.\n`,
    err: `${missing} does not exist.\n1 failed.\n`,
  });
});

test('where the plan is full the rest is not sent, and that is said once', async () => {
  const { client, db, workspaceId } = service;
  const count = async () => (await client.get<{ usage: { media_items: number } }>('/workspace')).data.usage.media_items;
  const before = await count();
  await savePlan(db, 'full', { media_items: before + 1 });
  await assignPlan(db, workspaceId, 'full');
  const files = [await photo('one.jpg'), await photo('two.jpg'), await photo('three.jpg')];
  const { code, out, err } = await run(['upload', ...files, '--parallel', '1', '--json']);
  await assignPlan(db, workspaceId, defaultPlanId);
  expect([code, await count()]).toEqual([1, before + 1]);
  expect(results(out).map(({ result }) => result)).toEqual(['uploaded']);
  expect(err.match(/plan/g)).toHaveLength(1);
});

test('the service fetches what is at an address', async () => {
  const bytes = await readFile(await photo('web.jpg'));
  const server = createServer((request, response) => {
    if (request.url === '/photo.jpg') response.setHeader('Content-Type', 'image/jpeg').end(bytes);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, out } = await run(['upload', `${address}/photo.jpg`, `${address}/none.jpg`, '--json']);
  server.close();
  expect(code).toBe(1);
  expect(results(out)).toMatchObject([
    { file: `${address}/photo.jpg`, result: 'uploaded' },
    { result: 'failed', error: expect.stringContaining('404') as string },
  ]);
});

test('a service without the additions of ours gets whole files, and is polled', async () => {
  const file = await photo('plain.jpg');
  const answer = (data: unknown, meta: unknown = {}) => JSON.stringify({ success: true, data, meta });
  const item = { id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85', filename: 'plain.jpg', status: 'complete' };
  const page = { total: 1, page: 1, per_page: 100, total_pages: 1, has_more: false };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    request.resume();
    response.setHeader('Content-Type', 'application/json');
    if (request.url === '/api/v1/workspace') response.end(answer({ id: 'w', name: 'W' }));
    else if (request.url === '/api/v1/media/upload') request.on('end', () => response.writeHead(202).end(answer(item)));
    else if (request.url === `/api/v1/media/${item.id}`) response.end(answer(item));
    else if (request.url?.startsWith('/api/v1/media?')) response.end(answer([item], page));
    else response.writeHead(404).end(JSON.stringify({ success: false, error: { code: 'not_found', message: 'No.' } }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const { code, out } = await run(
    ['upload', file, '--wait', '--json'],
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  server.close();
  expect(code).toBe(0);
  expect(results(out)).toMatchObject([{ result: 'uploaded', media_id: item.id, status: 'complete' }]);
  expect(asked.filter((each) => each.startsWith('POST'))).toEqual([
    'POST /api/v1/media/check',
    'POST /api/v1/media/upload',
  ]);
});

test('a file that grows between its reading and its sending is not sent in part', async () => {
  const file = await photo('growing.jpg');
  const asked: string[] = [];
  await using server = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const grown = request.url === '/api/v1/media/check' ? appendFile(file, 'more') : Promise.resolve();
    const isWorkspace = request.url === '/api/v1/workspace';
    const answer = isWorkspace ? { success: true, data: { id: 'w', name: 'W' } } : { success: false };
    void grown.then(() => response.writeHead(isWorkspace ? 200 : 404).end(JSON.stringify(answer)));
  });
  const { code, out } = await run(['upload', file, '--json'], server.url);
  expect(code).toBe(1);
  expect(results(out)).toMatchObject([{ result: 'failed', error: 'The file was changed while it was sent.' }]);
  expect(asked).toEqual(['GET /api/v1/workspace', 'POST /api/v1/media/check']);
});
