import { once } from 'node:events';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MediaExport } from '../../../contract/exports.ts';
import type { SearchHit } from '../../../contract/search.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { makeNumbered, readNumber, readNumbers } from '../../../packages/media/testing/numbered-frames.ts';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import { listScratch } from '../../platform/storage/scratch.ts';
import { readZip } from '../../testing/read-zip.ts';
import { startTestService } from '../../testing/running-service.ts';
import { unknownId } from '../../testing/valid-requests.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let film: string;
let photo: string;

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  await makeNumbered(path.join(folder, 'film.mp4'), 50, { audio: true });
  await makePhoto(path.join(folder, 'photo.png'), plain(200, 30, 30));
  film = (await client.upload(path.join(folder, 'film.mp4'), 'film.mp4')).data.id;
  photo = (await client.upload(path.join(folder, 'photo.png'), '../CON.png')).data.id;
  for (const id of [film, photo]) await client.waitUntilIndexed(id);
  await client.patch(`/media/${film}`, { filename: '=film "one", ünö.mp4' });
});
afterAll(() => service[Symbol.asyncDispose]());

const create = (body: unknown, client = service.client) => client.post<MediaExport>('/exports', body);

/** Asks for the file of an export, as a browser does: without a key. */
async function download({ data }: { data: MediaExport }) {
  const response = await fetch(data.url);
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

async function save(body: Buffer, name: string): Promise<string> {
  const file = path.join(service.folder, name);
  await writeFile(file, body);
  return file;
}

test('a clip holds the frames of its span; its URL waits for it, and serves ranges', async () => {
  const created = await create({ format: 'mp4', moments: [{ media_id: film, start: 0.4, end: 1.2 }] });
  expect(created.status).toBe(201);
  expect(created.data).toMatchObject({ format: 'mp4', status: 'processing', size: null, lossless: null });
  const { headers, body } = await download(created);
  expect((await readNumbers(await save(body, 'clip.mp4'))).numbers).toEqual(
    Array.from({ length: 20 }, (_, i) => 10 + i),
  );
  expect(headers.get('Content-Type')).toBe('video/mp4');
  expect(headers.get('Content-Disposition')).toBe(
    `attachment; filename="=film _one_, _n_ 00.00.00.400-00.00.01.200.mp4"; filename*=UTF-8''%3Dfilm%20_one_%2C%20%C3%BCn%C3%B6%2000.00.00.400-00.00.01.200.mp4`,
  );
  const { data } = await service.client.get<MediaExport>(`/exports/${created.data.id}`);
  expect(data).toMatchObject({
    status: 'ready',
    progress: 1,
    size: body.length,
    lossless: false,
    start: 0.4,
    end: 1.2,
  });
  const part = await fetch(data.url, { headers: { Range: 'bytes=4-7' } });
  expect([part.status, await part.text()]).toEqual([206, 'ftyp']);

  const whole = await create({ format: 'mp4', media_ids: [film] });
  await download(whole);
  const { data: cut } = await service.client.get<MediaExport>(`/exports/${whole.data.id}`);
  expect(cut).toMatchObject({ lossless: true, start: 0, end: 2 });
  await service.client.delete(`/exports/${whole.data.id}`);
  expect((await fetch(cut.url)).status).toBe(404);
});

test('animations and stills show what they should', async () => {
  for (const format of ['gif', 'webp'] as const) {
    const { body, headers } = await download(
      await create({ format, moments: [{ media_id: film, start: 0.4, end: 1.2 }] }),
    );
    expect(headers.get('Content-Type')).toBe(`image/${format}`);
    const { pages, delay, width, pageHeight } = await sharp(body, { animated: true }).metadata();
    expect([pages, width, pageHeight, delay?.reduce((sum, each) => sum + each)]).toEqual([10, 160, 90, 800]);
    for (const [page, number] of [
      [0, 10],
      [9, 28],
    ] as const) {
      const row = await sharp(body, { page }).greyscale().resize(64, 1, { fit: 'fill' }).raw().toBuffer();
      expect(readNumber(row)).toBe(number);
    }
  }
  for (const [format, start, number] of [
    ['jpeg', 1, 25],
    ['png', 1.0399, 26],
    ['png', 1.039, 25],
    ['webp', 2, 49],
  ] as const) {
    const { body } = await download(await create({ format, moments: [{ media_id: film, start }] }));
    const image = sharp(body);
    const { width, height } = await image.metadata();
    expect([width, height]).toEqual([160, 90]);
    const row = await image.greyscale().resize(64, 1, { fit: 'fill' }).raw().toBuffer();
    expect(readNumber(row), `${format} at ${start}`).toBe(number);
  }
  const still = await download(await create({ format: 'jpeg', media_ids: [photo] }));
  expect((await sharp(still.body).metadata()).width).toBe(320);
});

test('an archive holds originals and clips under safe names, and says what is missing', async () => {
  const clips = [
    { media_id: film },
    { media_id: photo },
    { media_id: photo, name: 'twice' },
    { media_id: unknownId, name: 'gone' },
    { media_id: film, start: 0.4, end: 0.8, name: '../../etc/passwd' },
    { media_id: film, start: 0.8, end: 1.2, name: '../../ETC/passwd' },
    { media_id: film, start: 7, name: 'late' },
  ];
  const created = await create({ format: 'zip', moments: clips, title: 'Best of' });
  expect(created.data).toMatchObject({ status: 'ready', filename: 'Best of.zip', size: null });
  const entries = await readZip((await download(created)).body);
  expect(entries.map(({ name, method }) => [name, method])).toEqual([
    ['=film _one_, ünö.mp4', 0],
    ['_CON.png', 0],
    ['_.._etc_passwd.mp4', 0],
    ['_.._ETC_passwd (2).mp4', 0],
    ['errors.txt', 0],
  ]);
  expect((await readNumbers(await save(entries[0]?.data ?? Buffer.of(), 'a.mp4'))).numbers).toHaveLength(50);
  expect((await readNumbers(await save(entries[2]?.data ?? Buffer.of(), 'b.mp4'))).numbers[0]).toBe(10);
  expect(entries[4]?.data.toString()).toContain('gone: it is no longer in the library.');
  expect(entries[4]?.data.toString()).toContain('late: it ends before this moment.');

  // A request of a few bytes is not the work of 20,000 files.
  const often = await readZip(
    (await download(await create({ format: 'zip', media_ids: Array(20_000).fill(photo) }))).body,
  );
  expect(often.map(({ name }) => name)).toEqual(['_CON.png']);

  // A missing original does not break the archive.
  const assets = path.join(service.folder, 'data', 'assets', service.workspaceId, photo);
  await rename(path.join(assets, 'original'), path.join(assets, 'away'));
  const lacking = await readZip((await download(await create({ format: 'zip', media_ids: [photo, film] }))).body);
  await rename(path.join(assets, 'away'), path.join(assets, 'original'));
  expect(lacking.map(({ name }) => name)).toEqual(['=film _one_, ünö.mp4', 'errors.txt']);
});

test('lists name what they hold and leave out what they cannot', async () => {
  const moments = [
    { media_id: film, start: 0.4, end: 1.2, name: '=SUM(A1)', score: 0.5 },
    { media_id: photo },
    { media_id: unknownId },
  ];
  const csv = (await download(await create({ format: 'csv', moments }))).body.toString();
  expect(csv.split('\r\n')).toEqual([
    '\uFEFFname,file,media_id,type,start,end,duration,score,link',
    `'=SUM(A1),"'=film ""one"", ünö.mp4",${film},video,0.4,1.2,0.8,0.5,${service.url}/media/${film}?t=0.4`,
    `CON.png,CON.png,${photo},image,,,,,${service.url}/media/${photo}`,
    '',
  ]);
  const edl = (await download(await create({ format: 'edl', moments }))).body.toString();
  expect(edl).toContain('001  FILMONEN B     C        00:00:00:10 00:00:01:05 01:00:00:00 01:00:00:20');
  expect(edl).toContain('* LEFT OUT: CON.png: it is a photo.');
  const fcpxml = (await download(await create({ format: 'fcpxml', moments, title: 'A & B' }))).body.toString();
  expect(fcpxml).toContain('<event name="A &amp; B">');
  expect(fcpxml).toContain('start="10/25s" duration="20/25s"');
});

test('hits are exported as they are, also those of a photograph, whose start and end are 0', async () => {
  const { data: hits } = await service.client.post<SearchHit[]>('/media/search/image', { media_id: photo, n: 2 });
  expect(hits[0]).toMatchObject({ id: photo, start: 0, end: 0 });
  const moments = hits.map(({ id, start, end }) => ({ media_id: id, start, end }));
  expect(moments.map(({ media_id: id }) => id)).toContain(film);
  for (const format of ['zip', 'csv', 'edl', 'fcpxml']) {
    const created = await create({ format, moments });
    expect(created.status, format).toBe(201);
    const { body } = await download(created);
    if (format === 'zip') expect((await readZip(body)).map(({ name }) => name)).toContain('_CON.png');
    if (format === 'csv') expect(body.toString()).toContain(`CON.png,CON.png,${photo},image,,,,,`);
  }
  for (const format of ['png', 'jpeg', 'webp']) {
    const created = await create({ format, moments: moments.slice(0, 1) });
    expect(created, format).toMatchObject({
      status: 201,
      data: { filename: expect.stringMatching(/^_?CON\./) as string },
    });
    expect((await sharp((await download(created)).body).metadata()).width, format).toBeGreaterThan(0);
  }
  // A video has no moment of no length, wherever in the list it stands.
  const nothing = [...moments, { media_id: film, start: 0, end: 0 }];
  for (const list of [nothing.slice(-1), nothing]) {
    expect(await create({ format: 'csv', moments: list })).toMatchObject({
      status: 400,
      error: { details: [{ path: `body.moments.${list.length - 1}.end`, message: 'must be after `start`' }] },
    });
  }
});

describe('what makes no sense is refused', () => {
  test.each<[what: string, body: () => unknown, status: number]>([
    ['no moments', () => ({ format: 'mp4' }), 400],
    ['both', () => ({ format: 'zip', media_ids: [film], moments: [{ media_id: film }] }), 400],
    ['an end before the start', () => ({ format: 'mp4', moments: [{ media_id: film, start: 1, end: 1 }] }), 400],
    ['a start that is no number', () => ({ format: 'mp4', moments: [{ media_id: film, start: null }] }), 400],
    ['a start behind the end', () => ({ format: 'mp4', moments: [{ media_id: film, start: 2 }] }), 400],
    ['a long animation', () => ({ format: 'gif', moments: [{ media_id: photo, end: 16 }] }), 400],
    ['a clip of a photo', () => ({ format: 'mp4', media_ids: [photo] }), 400],
    ['two clips', () => ({ format: 'mp4', media_ids: [film, film] }), 400],
    [
      'a thousand events',
      () => ({ format: 'edl', moments: Array.from({ length: 1000 }, () => ({ media_id: film })) }),
      400,
    ],
    ['more items than there may be', () => ({ format: 'zip', media_ids: Array(20_001).fill(film) }), 400],
    ['an unknown item', () => ({ format: 'mp4', media_ids: [unknownId] }), 404],
  ])('%s', async (_, body, status) => {
    expect((await create(body())).status).toBe(status);
  });
});

test('another workspace sees neither the items nor the exports', async () => {
  const other = await service.addWorkspace('Other');
  expect((await create({ format: 'zip', media_ids: [film] }, other.client)).status).toBe(404);
  const created = await create({ format: 'csv', media_ids: [film] });
  const { data } = created;
  expect((await other.client.get(`/exports/${data.id}`)).status).toBe(404);
  expect((await other.client.delete(`/exports/${data.id}`)).status).toBe(404);
  const foreign = data.url.replace(service.workspaceId, other.id);
  expect((await fetch(foreign)).status).toBe(403);
  // It ends, so that the next test has room for four.
  expect((await download(created)).status).toBe(200);
});

test('who goes away ends the work, and nothing is left of it', async () => {
  const isShared = dialectOf(service.db).name === 'postgres';
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    const { data } = await create({ format: 'mp4', moments: [{ media_id: film, start: 0.04, end: 1.9 }] });
    ids.push(data.id);
  }
  const refused = await create({ format: 'mp4', media_ids: [film] });
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '5']);
  const { data } = await service.client.get<MediaExport>(`/exports/${ids[3]}`);
  const waiting = request(data.url).end();
  waiting.on('error', () => undefined);
  await once(waiting, 'socket');
  waiting.socket?.once('ready', () => setTimeout(() => waiting.destroy(), 100));
  const isGivenUp = async () => {
    const { status, data: left } = await service.client.get<MediaExport>(`/exports/${ids[3]}`);
    // Where processes share the work, it goes on for some seconds, in which another download may wait: so small a clip is ready then.
    return status === 404 || (isShared && left.status === 'ready');
  };
  await expect.poll(isGivenUp).toBe(true);
  for (const id of ids.slice(0, 3)) await service.client.delete(`/exports/${id}`);
  // Those of the other tests stay for an hour.
  const scratch = () => listScratch(service.scratchDirectory);
  const names = await Promise.all((await scratch()).map((folder) => readdir(folder).catch((): string[] => [])));
  const kept = names.flat().filter((name) => /\.(mp4|gif|webp|jpeg|png|csv|edl|fcpxml)$/.test(name));
  await expect.poll(scratch).toSatisfy((folders: string[]) => folders.length <= kept.length);
  const again = await create({ format: 'mp4', media_ids: [film] });
  expect((await download(again)).status).toBe(200);
});
