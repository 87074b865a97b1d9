import { beforeEach, expect, test } from 'vitest';
import { type FakeAsset, fakeKey, type FakeImmich, startFakeImmich } from '../../testing/fake-immich.ts';
import { readLibrary } from './library.ts';
import { openImmich } from './server.ts';

let fake: FakeImmich;
beforeEach(async () => {
  fake = await startFakeImmich({ pageSize: 3 });
  return () => fake[Symbol.asyncDispose]();
});

const open = (url = fake.url, key = fakeKey) => openImmich(url, key, new AbortController().signal);
let made = 0;
const add = (more: Partial<FakeAsset> = {}) =>
  fake.add({ name: `IMG_${made}.jpg`, bytes: Buffer.from(`photo ${made++}`), ...more });

test('all pages are read, each asset once, also where many are of one time and in no order', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(add());
  for (let i = 0; i < 3; i++) ids.push(add({ createdAt: '2024-05-01T10:00:00.123Z' }));
  for (let i = 0; i < 2; i++) ids.push(add({ createdAt: '2024-06-01T10:00:00.000Z' }));
  ids.push(add({ visibility: 'archive', createdAt: '2020-01-01T00:00:00.000Z' }));
  const { assets } = await readLibrary(open());
  expect(assets.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(assets[0]).toMatchObject({ isArchived: true });
});

test('what is in the trash, locked, hidden, or of a partner is left out; what moves of a live photo is not', async () => {
  const motionId = add({ name: 'IMG_1.MOV', visibility: 'hidden' });
  const cutOut = add({ visibility: 'hidden', path: '/usr/src/app/upload/encoded-video/admin/a1/b2/x-MP.mp4' });
  const still = add({ motionId });
  const android = add({ motionId: cutOut });
  add({ visibility: 'hidden' });
  add({ visibility: 'locked' });
  add({ isTrashed: true });
  add({ ownerId: '01a1fbe4-6806-493e-a30f-22b8a44e4f85' });
  const { assets, motions, others } = await readLibrary(open());
  expect(new Set(assets.map(({ id }) => id))).toEqual(new Set([motionId, still, android]));
  expect([motions, others]).toEqual([1, 1]);
});

test('albums and tags have what is in them, tags also what is below them', async () => {
  const album = fake.addAlbum('Lisbon', 'Four days');
  const [a, b, c] = [
    add({ albums: [album], tags: ['Travel/Lisbon'] }),
    add({ albums: [album], visibility: 'archive' }),
    add({ tags: ['Travel'] }),
  ];
  const { albums, tags } = await readLibrary(open());
  expect(albums).toEqual([{ id: album, name: 'Lisbon', description: 'Four days', assets: new Set([b, a]) }]);
  expect(tags.map(({ name, assets }) => [name, assets])).toEqual([
    ['Travel', new Set([a, c])],
    ['Travel/Lisbon', new Set([a])],
  ]);
});

test('stars of Immich go before its hearts, and checksums of paths are none of files', async () => {
  add({ isFavorite: true });
  add({ isFavorite: true, rating: 3 });
  add({ rating: 2, isExternal: true, path: '/mnt/media/a.jpg' });
  const { assets } = await readLibrary(open());
  expect(assets.map(({ rating }) => rating)).toEqual([5, 3, 2]);
  expect(assets.map(({ sha1 }) => sha1?.length)).toEqual([40, 40, undefined]);
  // An external file that was replaced has its path still.
  expect(assets[2]?.version).toContain(' 2024-');
});

test.for(['1.135.3', '2.2.3', '3.2.2'])('version %s is read', async (version) => {
  await using other = await startFakeImmich({ version });
  other.add({ name: 'a.jpg', bytes: Buffer.from('a') });
  other.addAlbum('Empty');
  const { assets, owner } = await readLibrary(openImmich(`${other.url}/api/`, fakeKey, new AbortController().signal));
  expect([assets.length, owner.name]).toEqual([1, 'Ana']);
});

test('an older server would ignore what it does not know, and is not asked', async () => {
  await using old = await startFakeImmich({ version: '1.134.0' });
  await expect(readLibrary(open(old.url))).rejects.toThrow('This is Immich 1.134.0. Update it to 1.135 or later.');
  expect(old.requests).toHaveLength(1);
});

test('failures of a moment are waited for, others are said', async () => {
  add();
  fake.faults.push({ path: '/search', status: 429, retryAfter: 1 }, { path: '/albums', status: 500 });
  const began = performance.now();
  expect((await readLibrary(open())).assets).toHaveLength(1);
  expect(performance.now() - began).toBeGreaterThan(1000);
  await expect(readLibrary(open(fake.url, 'other'))).rejects.toMatchObject({
    message: `Immich at ${fake.url} does not accept the API key.`,
    exitCode: 4,
  });
  fake.forbidden.add('tag.read');
  await expect(readLibrary(open())).rejects.toThrow('Immich refuses /api/tags: Missing required permission: tag.read');
});
