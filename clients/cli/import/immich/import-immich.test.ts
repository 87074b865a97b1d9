import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Collection, Tag } from '../../../../contract/item-groups.ts';
import { temporaryFolder } from '../../../../packages/media/testing/temporary-folder.ts';
import { assignPlan, defaultPlanId, savePlan } from '../../../../server/catalog/accounts/plans.ts';
import { startTestService } from '../../../../server/testing/running-service.ts';
import type { Comment, MediaItem } from '../../../typescript/index.ts';
import { drawPhotos } from '../../testing/draw-photos.ts';
import { type FakeAsset, type FakeImmich, fakeKey, startFakeImmich } from '../../testing/fake-immich.ts';
import { type Ended, runCommand, type TestSurroundings } from '../../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let fake: FakeImmich;
beforeEach(async () => {
  service = await startTestService({ workers: 0 });
  folder = await temporaryFolder();
  fake = await startFakeImmich({ pageSize: 2 });
  return async () => {
    await service[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  };
});

let made = 0;
const photo = async () => (await drawPhotos(1))[0] as Buffer;
const add = async (more: Partial<FakeAsset> = {}) =>
  fake.add({ name: `IMG_${made++}.jpg`, bytes: await photo(), ...more });

const run = (words: string[] = [], more: Partial<TestSurroundings> = {}, url = service.url): Promise<Ended> =>
  runCommand(['import', 'immich', '--url', fake.url, ...words], {
    home: folder.path,
    ...more,
    env: { MEDIA_SEARCH_URL: url, MEDIA_SEARCH_KEY: service.key, IMMICH_API_KEY: fakeKey, ...more.env },
  });

const items = async () => (await service.client.get<MediaItem[]>('/media?sort=filename')).data;
const named = async (name: string) => (await items()).find(({ filename }) => filename === name) as MediaItem;
const tagNames = async (item: MediaItem) => {
  const { data } = await service.client.get<Tag[]>('/tags?per_page=100');
  return data.filter(({ id }) => item.tag_ids.includes(id)).map(({ name }) => name);
};
const collections = async () => (await service.client.get<Collection[]>('/collections')).data;
const comments = async (item: MediaItem) =>
  (await service.client.get<Comment[]>(`/media/${item.id}/comments`)).data.map(({ text }) => text);
const rowsOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));

test('a library is imported with all that Immich knows of it, and not twice', async () => {
  const lisbon = fake.addAlbum('Lisbon', 'Four days in May');
  const twice = fake.addAlbum('lisbon');
  await add({
    name: 'a.jpg',
    albums: [lisbon, twice],
    tags: ['Travel/Portugal'],
    people: [{ name: 'Ana 🎉' }, { name: 'Hidden', isHidden: true }, { name: '' }],
    isFavorite: true,
    description: 'At the <ferry>',
    createdAt: '2026-05-14T19:12:08.000Z',
    localAt: '2026-05-14T20:12:08.000Z',
    timeZone: 'Europe/Lisbon',
  });
  await add({
    name: 'b.jpg',
    visibility: 'archive',
    albums: [lisbon],
    people: [{ name: 'ana 🎉' }],
    rating: 2,
    createdAt: '2026-06-01T00:00:00.000Z',
  });
  await add({ name: 'c.jpg', createdAt: '1999-12-31T23:59:00.000Z' });
  const first = await run();
  expect(first).toMatchObject({ code: 0 });
  expect(rowsOf(first.out).map(([result, , file]) => [result, file])).toEqual(
    expect.arrayContaining([
      ['copied', 'a.jpg'],
      ['copied', 'b.jpg'],
      ['copied', 'c.jpg'],
    ]),
  );
  expect(first.err.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^Ana has 3 photos and videos \(.*\), 2 albums, 2 tags\.$/) as string,
    '3 copied.',
    '2 collections, 4 tags, 2 ratings, 3 dates, 1 description set.',
    '',
  ]);
  const [a, b, c] = [await named('a.jpg'), await named('b.jpg'), await named('c.jpg')];
  expect(await tagNames(a)).toEqual(['Ana 🎉', 'Travel', 'Travel/Portugal']);
  expect(await tagNames(b)).toEqual(['Ana 🎉', 'archived']);
  expect(await tagNames(c)).toEqual([]);
  expect([a.rating, b.rating, c.rating]).toEqual([5, 2, 0]);
  expect([a.taken_at, a.capture?.zone]).toEqual(['2026-05-14T19:12:08.000Z', '+01:00']);
  expect([c.taken_at, c.capture?.zone]).toEqual(['1999-12-31T23:59:00.000Z', null]);
  expect([await comments(a), await comments(b)]).toEqual([['At the <ferry>'], []]);
  expect((await collections()).map(({ name, description, media_count: n }) => [name, description, n])).toEqual([
    ['Lisbon', 'Four days in May', 2],
    ['lisbon (2)', '', 1],
  ]);

  // What people change afterwards stays as they changed it, and nothing is fetched or made again.
  const [collection] = await collections();
  await service.client.post(`/collections/${collection?.id}/items`, { remove: [a.id] });
  await service.client.patch(`/collections/${collection?.id}`, { name: 'Portugal' });
  await service.client.patch(`/media/${a.id}`, { rating: 0, taken_at: '2026-05-15T10:00:00Z' });
  const comment = (await service.client.get<Comment[]>(`/media/${a.id}/comments`)).data[0];
  await service.client.delete(`/comments/${comment?.id}`);
  const before = await items();
  const downloads = fake.downloads().length;
  await add({ name: 'd.jpg', albums: [lisbon] });
  const second = await run();
  expect(second.code).toBe(0);
  expect(rowsOf(second.out).map(([result, , file]) => [result, file])).toEqual([['copied', 'd.jpg']]);
  expect(second.err).toContain('1 copied.\n1 collection, 1 date set.\n3 imported before.\n');
  expect(fake.downloads()).toHaveLength(downloads + 1);
  // Signed addresses are others each time.
  const withoutUrls = (item: MediaItem) => JSON.stringify(item).replaceAll(/https?:[^"]*/g, '');
  expect((await items()).filter(({ filename }) => filename !== 'd.jpg').map(withoutUrls)).toEqual(
    before.map(withoutUrls),
  );
  expect((await collections()).map(({ name, media_count: n }) => [name, n])).toEqual([
    ['lisbon (2)', 1],
    ['Portugal', 2],
  ]);
});

test('albums of one name stay apart, also where the older one was empty at first', async () => {
  const [older, newer] = [fake.addAlbum('Lisbon'), fake.addAlbum('Lisbon')];
  await add({ albums: [newer] });
  await run();
  await add({ albums: [older] });
  await add({ albums: [older] });
  expect(await run()).toMatchObject({ code: 0 });
  const named = async () => (await collections()).map(({ name, media_count: n }) => [name, n]);
  expect(await named()).toEqual([
    ['Lisbon', 1],
    ['Lisbon (2)', 2],
  ]);
  await run();
  expect(await named()).toHaveLength(2);
});

test('stars that an item has here stay, and what is here already is not sent', async () => {
  const bytes = await photo();
  const form = new FormData();
  form.set('file', new Blob([bytes as Buffer<ArrayBuffer>]), 'mine.jpg');
  const { data } = await service.client.call<MediaItem>('/media/upload', { method: 'POST', body: form });
  await service.client.patch(`/media/${data.id}`, { rating: 3 });
  fake.add({ name: 'theirs.jpg', bytes, isFavorite: true });
  const { code, out } = await run();
  expect([code, rowsOf(out)]).toEqual([0, [['present', data.id, 'theirs.jpg', '']]]);
  expect(await named('mine.jpg')).toMatchObject({ id: data.id, rating: 3 });
});

test('names that lead elsewhere, are long or have several lines name no file and no label of that kind', async () => {
  const long = `${'é'.repeat(150)}👩‍👩‍👧`;
  const album = fake.addAlbum(long);
  await add({ name: '../../../../etc/cron.d/evil 🎉.jpg', albums: [album], tags: ['a\u001b[31m, b'] });
  await add({ name: 'tab\tline\n.jpg', path: '/usr/src/app/../../etc/passwd' });
  const { code, out } = await run(['--map', '/usr/src/app=/mnt']);
  expect(code).toBe(0);
  expect(rowsOf(out)).toHaveLength(2);
  expect((await items()).map(({ filename }) => filename).toSorted()).toEqual(['evil 🎉.jpg', 'tabline.jpg']);
  expect((await collections())[0]?.name).toBe(`${'é'.repeat(119)}…`);
  const state = await readdir(path.join(folder.path, 'media-search'), { recursive: true });
  expect(state.filter((name) => /evil|downloads/.test(name))).toEqual([]);
});

test('what fails is named with its reason, the rest is imported, and the next run tries again', async () => {
  const bytes = await photo();
  await add({ name: 'good.jpg' });
  const damaged = fake.add({ name: 'damaged.jpg', bytes, servedBytes: await photo() });
  await add({ name: 'notes.jpg', bytes: Buffer.from('These are notes.') });
  const { code, err, out } = await run(['--json']);
  expect(code).toBe(1);
  const results = rowsOf(out).map(([line]) => JSON.parse(line ?? '') as Record<string, unknown>);
  expect(Object.fromEntries(results.map(({ file, result }) => [file, result]))).toEqual({
    'good.jpg': 'copied',
    'damaged.jpg': 'failed',
    'notes.jpg': 'failed',
  });
  expect(err).toMatch(/^damaged\.jpg: What arrived is not what/m);
  expect(err).toMatch(/^notes\.jpg: .*no video, image or sound/m);
  expect(err).toContain('\n1 copied, 2 failed.\n');
  // A file that is refused is not fetched each time; one that was damaged on its way is.
  const asset = fake.assets.find(({ id }) => id === damaged);
  if (asset) delete asset.servedBytes;
  const before = fake.downloads().length;
  const second = await run();
  expect(second.code).toBe(1);
  expect(rowsOf(second.out).map(([result, , file]) => [result, file])).toEqual(
    expect.arrayContaining([
      ['copied', 'damaged.jpg'],
      ['failed', 'notes.jpg'],
    ]),
  );
  expect(fake.downloads()).toHaveLength(before + 1);
  await run(['--again']);
  expect(fake.downloads()).toHaveLength(before + 2);
});

test('a server that stumbles is asked again, and a download that breaks off goes on', async () => {
  const size = 6 * 2 ** 20;
  const large = await add({ name: 'large.jpg', bytes: Buffer.concat([await photo(), Buffer.alloc(size, 7)]) });
  fake.faults.push(
    { path: '/search', status: 502 },
    { path: large, status: 503 },
    { path: large, afterBytes: 3 * 2 ** 20 },
  );
  expect(await run()).toMatchObject({ code: 0, err: expect.stringContaining('1 copied.') as string });
  const ranges = fake.downloads().map(({ range }) => range);
  expect(ranges.slice(0, 2)).toEqual([undefined, undefined]);
  expect(Number(/^bytes=(\d+)-$/.exec(ranges[2] ?? '')?.[1])).toBeGreaterThan(2 ** 20);
  expect((await named('large.jpg')).size).toBeGreaterThan(size);
});

test('what was imported and deleted here since is left out, until it is asked for', async () => {
  await add({ name: 'a.jpg' });
  await add({ name: 'b.jpg' });
  await run();
  await service.client.delete(`/media/${(await named('a.jpg')).id}`);
  const second = await run();
  expect([second.code, second.out]).toEqual([0, '']);
  expect(second.err).toContain(
    'Nothing was new.\n1 imported before.\n1 imported before are not here any more: --again imports them once more.\n',
  );
  expect((await items()).map(({ filename }) => filename)).toEqual(['b.jpg']);
  expect(rowsOf((await run(['--again'])).out).map(([result, , file]) => [result, file])).toEqual([['copied', 'a.jpg']]);
  expect(await items()).toHaveLength(2);
});

test('an original that was replaced in Immich is another item', async () => {
  const id = await add({ name: 'a.jpg' });
  await run();
  const asset = fake.assets.find((each) => each.id === id);
  if (asset) asset.bytes = await photo();
  expect(rowsOf((await run()).out)).toEqual([['copied', expect.any(String), 'a.jpg', '']]);
  expect(await items()).toHaveLength(2);
});

test('--dry-run says what would be done, and changes nothing', async () => {
  const album = fake.addAlbum('Lisbon');
  await add({ name: 'a.jpg', albums: [album], isFavorite: true, people: [{ name: 'Ana' }] });
  const { code, out, err } = await run(['--dry-run']);
  expect([code, rowsOf(out)]).toEqual([0, [['new', '', 'a.jpg', '']]]);
  expect(err).toMatch(/1 would be copied\.\n.* B to copy\.\n1 collection, 1 tag, 1 rating, 1 date would be set\./);
  expect([fake.downloads(), await items(), await collections()]).toEqual([[], [], []]);
});

test('a key that is refused, a permission that is missing, and no server end it with a sentence', async () => {
  const none = await run([], { env: { IMMICH_API_KEY: '' } });
  expect(none).toMatchObject({
    code: 4,
    err: expect.stringMatching(/^Give an API key of Immich: --key or /) as string,
  });
  expect(await run(['--key', 'wrong'])).toMatchObject({
    code: 4,
    out: '',
    err: expect.stringContaining(`Immich at ${fake.url} does not accept the API key.\n`) as string,
  });
  fake.forbidden.add('asset.download');
  await add({ name: 'a.jpg' });
  const forbidden = await run();
  expect(forbidden.code).toBe(1);
  expect(forbidden.err).toMatch(/^a\.jpg: .*403/m);
  const away = await run([], { env: { MEDIA_SEARCH_URL: 'http://127.0.0.1:9' } });
  expect(away).toMatchObject({ code: 1, out: '', err: expect.stringContaining('cannot be reached') as string });
});

test('where the plan is full the rest is not fetched, and that is said once', async () => {
  const { db, workspaceId } = service;
  await savePlan(db, 'full', { media_items: 1 });
  await assignPlan(db, workspaceId, 'full');
  for (let i = 0; i < 5; i++) await add({ tags: ['Travel'] });
  const { code, out, err } = await run(['--parallel', '1']);
  expect([code, rowsOf(out).length, (await items()).length]).toEqual([1, 1, 1]);
  expect(err.match(/plan/g)).toHaveLength(1);
  expect(fake.downloads()).toHaveLength(2);
  // With room again, what was stored without its labels gets them.
  await assignPlan(db, workspaceId, defaultPlanId);
  expect(await run()).toMatchObject({ code: 0, err: expect.stringContaining('4 copied.') as string });
  expect((await service.client.get<Tag[]>('/tags')).data).toMatchObject([{ name: 'Travel', media_count: 5 }]);
});
