import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { isMachineFailure } from '../errors/machine-failure.ts';
import { type S3Server, startS3Server, testAccount } from '../testing/s3-server.ts';
import {
  type Asset,
  type AssetOwner,
  type AssetStore,
  exported,
  hasOriginals,
  uploaded,
  type RemovableItem,
  rendition,
  shared,
} from './asset-store.ts';
import { checkChecksum } from './check-original.ts';
import { createFileAssetStore } from './file-asset-store.ts';
import { openBucket } from './s3/s3-asset-store.ts';
import { parseStorageUrl, readStorageSettings, type StorageSettings } from './storage-settings.ts';

let server: S3Server;

const createS3AssetStore = async (settings: StorageSettings, data: string) => (await openBucket(settings, data)).assets;

beforeAll(async () => {
  server = await startS3Server({ pageSize: 3 });
});

afterAll(() => server[Symbol.asyncDispose]());

/** A part of its own in the bucket of this process, or in that of `TEST_STORAGE_URL`. */
function bucketOf({ url = server.url, folder = `Prüfung ${randomUUID()}/a+b` } = {}): StorageSettings {
  const { accessKeyId, secretAccessKey } = testAccount;
  return {
    ...(parseStorageUrl(`s3://media/${folder}`) as Pick<StorageSettings, 'bucket' | 'prefix'>),
    endpoint: url,
    region: null,
    credentials: { accessKeyId, secretAccessKey },
    redirect: true,
    cacheBytes: 2 ** 30,
    // A busy machine must not look like a server that hangs.
    idleMs: 3000,
  };
}

const stores: [string, (data: string) => Promise<AssetStore>][] = [
  ['a data folder', (data) => Promise.resolve(createFileAssetStore(data))],
  ['a bucket', (data) => createS3AssetStore(bucketOf(), data)],
];
// A server that is no test double, such as `TEST_STORAGE_URL=s3://media AWS_ENDPOINT_URL_S3=http://127.0.0.1:9000 AWS_ACCESS_KEY_ID=…`.
// oxlint-disable-next-line node/no-process-env -- where the tests may write is said to them so
const real = readStorageSettings({ ...process.env, STORAGE_URL: process.env['TEST_STORAGE_URL'] });
if (real) {
  stores.push([
    'the bucket of TEST_STORAGE_URL',
    (data) => createS3AssetStore({ ...real, prefix: `${real.prefix}Prüfung ${randomUUID()}/a+b/` }, data),
  ]);
}

async function setUp(open: (data: string) => Promise<AssetStore>) {
  const folder = await temporaryFolder();
  const store = await open(folder.path);
  await store.prepare();
  const arrive = async (content: string | Buffer) => {
    const file = folder.file(randomUUID());
    await writeFile(file, content);
    return file;
  };
  return {
    folder,
    store,
    arrive,
    /** Stores an original. */
    async put(owner: AssetOwner, content: string | Buffer, filename = 'film.mp4') {
      const sha256 = createHash('sha256').update(content).digest('hex');
      await store.putOriginal(await arrive(content), { ...owner, filename, sha256 });
      return sha256;
    },
    /** Stores renditions by name. */
    async render(owner: AssetOwner, token: number, files: Record<string, string>) {
      const rendered = folder.file(randomUUID());
      await mkdir(rendered);
      for (const [name, content] of Object.entries(files)) await writeFile(path.join(rendered, name), content);
      await store.putRenditions(owner, token, rendered);
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

const read = async (store: AssetStore, asset: Asset, range?: { start: number; end: number }) =>
  (await buffer(store.read(asset, range))).toString();

const owners = async (store: AssetStore): Promise<string[]> => {
  const found: string[] = [];
  for await (const { workspace_id, id } of store.list()) found.push(`${workspace_id}/${id}`);
  return found.toSorted();
};

describe.each(stores)('%s', (_, open) => {
  const owner = { workspace_id: 'w', id: 'i' };

  test('keeps an original, and gives all of it, a range, a local copy and its length', async () => {
    await using t = await setUp(open);
    expect(await hasOriginals(t.store)).toBe(false);
    expect(await t.store.stat(uploaded(owner))).toBeNull();
    const sha256 = await t.put(owner, '0123456789', `${'日本 /…\u{1F600}'.repeat(40)}.mp4`);
    expect(await hasOriginals(t.store)).toBe(true);
    expect(await t.store.stat(uploaded(owner))).toMatchObject({ bytes: 10 });
    expect(await read(t.store, uploaded(owner))).toBe('0123456789');
    expect(await read(t.store, uploaded(owner), { start: 3, end: 5 })).toBe('345');
    expect(await t.store.withLocalCopy(uploaded(owner), (file) => readFile(file, 'utf8'))).toBe('0123456789');
    expect(await checkChecksum(t.store, { ...owner, source_id: null, source_path: null, size: 10, sha256 })).toBeNull();
    expect(await checkChecksum(t.store, { ...owner, source_id: null, source_path: null, size: 10, sha256: 'x' })).toBe(
      'original_damaged',
    );
    expect(await checkChecksum(t.store, { ...owner, source_id: null, source_path: null, size: 11, sha256 })).toBe(
      'original_damaged',
    );
    expect((await t.store.findItem(owner))?.location).toContain('assets/w/i');
  });

  test('says ENOENT of what is not there, and gives no file', async () => {
    await using t = await setUp(open);
    await expect(buffer(t.store.read(uploaded(owner)))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await t.store.withLocalCopy(uploaded(owner), (file) => Promise.resolve(existsSync(file)))).toBe(false);
    expect(await checkChecksum(t.store, { ...owner, source_id: null, source_path: null, size: 1, sha256: 'x' })).toBe(
      'original_missing',
    );
    expect(await t.store.findItem(owner)).toBeNull();
    expect(await t.store.listRenditions({ ...owner, renditions_token: 1 })).toEqual([]);
    expect(await t.store.listLeftovers(() => false)).toEqual([]);
    await t.store.remove(owner as RemovableItem);
    await t.store.removeRenditions(owner, { upTo: 9 });
    await t.store.removeDerived(shared(owner, 'a.mp4'));
  });

  test('keeps the renditions of each attempt apart', async () => {
    await using t = await setUp(open);
    await t.put(owner, 'x');
    await t.render(owner, 9, { 'a.webp': 'nine', 'b.webp': '' });
    await t.render(owner, 10, { 'a.webp': 'ten' });
    expect((await t.store.listRenditions({ ...owner, renditions_token: 9 })).toSorted()).toEqual(['a.webp', 'b.webp']);
    expect(await read(t.store, rendition({ ...owner, renditions_token: 10 }, 'a.webp'))).toBe('ten');
    expect(await read(t.store, rendition({ ...owner, renditions_token: 9 }, 'b.webp'))).toBe('');
    await t.store.removeRenditions(owner, { upTo: 9 });
    expect(await t.store.stat(rendition({ ...owner, renditions_token: 9 }, 'a.webp'))).toBeNull();
    expect(await read(t.store, rendition({ ...owner, renditions_token: 10 }, 'a.webp'))).toBe('ten');
    await t.store.removeRenditions(owner, { only: 10 });
    expect(await t.store.listRenditions({ ...owner, renditions_token: 10 })).toEqual([]);
    expect(await read(t.store, uploaded(owner))).toBe('x');
  });

  test('lists items over several pages, and removes one with all that was made of it', async () => {
    await using t = await setUp(open);
    for (const workspace_id of ['w', 'v']) {
      for (const id of ['a', 'aa', 'b', 'c']) await t.put({ workspace_id, id }, id);
    }
    const a = { workspace_id: 'w', id: 'a' };
    await t.render(a, 1, { '1.webp': '1', '2.webp': '2', '3.webp': '3' });
    await t.store.putDerived(await t.arrive('clip'), shared(a, 'clip.mp4'));
    await t.store.putDerived(await t.arrive('export'), exported({ workspace_id: 'w', id: 'e' }, 'clip.mp4'));
    expect(await owners(t.store)).toEqual(['v/a', 'v/aa', 'v/b', 'v/c', 'w/a', 'w/aa', 'w/b', 'w/c']);
    await t.store.remove(a as RemovableItem);
    expect(await owners(t.store)).toEqual(['v/a', 'v/aa', 'v/b', 'v/c', 'w/aa', 'w/b', 'w/c']);
    expect(await t.store.findItem(a)).toBeNull();
    for (const asset of [uploaded(a), rendition({ ...a, renditions_token: 1 }, '1.webp'), shared(a, 'clip.mp4')]) {
      expect(await t.store.stat(asset)).toBeNull();
    }
    expect(await read(t.store, exported({ workspace_id: 'w', id: 'e' }, 'clip.mp4'))).toBe('export');
  });

  test('an original that was damaged is whole again when its bytes are stored again', async () => {
    await using t = await setUp(open);
    await t.put(owner, 'wrong');
    expect(await t.store.withLocalCopy(uploaded(owner), (file) => readFile(file, 'utf8'))).toBe('wrong');
    await t.put(owner, 'right and longer');
    expect(await read(t.store, uploaded(owner))).toBe('right and longer');
    expect(await t.store.withLocalCopy(uploaded(owner), (file) => readFile(file, 'utf8'))).toBe('right and longer');
  });
});

describe('a bucket that fails', () => {
  const hits = (fault: string) => server.log.filter((request) => request.fault === fault).length;
  const owner = { workspace_id: 'w', id: 'i' };
  const film = randomBytes(9 * 2 ** 20 + 7);

  test.each([
    ['500', 'PUT', 3],
    ['slow down', 'PUT', 3],
    ['reset', 'PUT', 1],
    ['lost answer', 'PUT', 1],
    ['hang', 'PUT', 1],
    ['corrupt upload', 'PUT', 2],
    ['corrupt upload', 'PUT', 99],
    ['500', 'POST', 2],
    ['200 error', 'POST', 1],
    ['lost answer', 'POST', 9],
  ] as const)('an upload gets through %s at %s (%i times), whole or not at all', async (fault, method, times) => {
    await using t = await setUp((data) => createS3AssetStore(bucketOf(), data));
    server.inject(fault, { method, times, ...(fault === 'lost answer' && times > 1 && { path: /uploadId=/ }) });
    const before = hits(fault);
    let advances = 0;
    const sha256 = createHash('sha256').update(film).digest('hex');
    const arrived = { ...owner, filename: 'a.mp4', sha256 };
    const stored = t.store.putOriginal(await t.arrive(film), arrived, { onAdvance: () => void (advances += 1) });
    // Where no bytes arrive as they were sent, the uploader is told.
    if (times === 99) {
      await expect(stored).rejects.toSatisfy(isMachineFailure);
      expect(await t.store.stat(uploaded(owner))).toBeNull();
    } else {
      await stored;
      expect(
        await checkChecksum(t.store, { ...owner, source_id: null, source_path: null, size: film.length, sha256 }),
      ).toBeNull();
      expect(advances).toBeGreaterThan(0);
    }
    expect(hits(fault)).toBeGreaterThan(before);
    server.calm();
  });

  test('an upload that is given up leaves nothing, and what a killed process left is found when it is old', async () => {
    await using t = await setUp((data) => createS3AssetStore(bucketOf(), data));
    server.inject('hang', { method: 'PUT', path: /partNumber=2/, times: 9 });
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(new Error('stopped')), 100);
    const about = { ...owner, filename: 'a.mp4', sha256: 'x' };
    const given = t.store.putOriginal(await t.arrive(film), about, { signal: stopping.signal });
    await expect(given).rejects.toThrow('stopped');
    server.calm();
    expect(await t.store.stat(uploaded(owner))).toBeNull();
    await expect.poll(() => server.uploads.size, { timeout: 5000 }).toBe(0);

    const settings = bucketOf();
    const other = await createS3AssetStore(settings, t.folder.path);
    const key = `${settings.prefix}assets/w/i/original`;
    const begun = { key, parts: new Map(), about: { contentType: '', metadata: {} } };
    server.uploads.set('old', { ...begun, at: new Date(Date.now() - 25 * 3_600_000) });
    server.uploads.set('new', { ...begun, at: new Date() });
    for (const leftover of await other.listLeftovers(() => false)) await leftover.remove();
    expect([...server.uploads.keys()]).toEqual(['new']);
    server.uploads.clear();
  });

  test.each([
    ['truncate', 3],
    ['stall', 1],
    ['500', 3],
    ['reset', 2],
    ['slow down', 2],
  ] as const)('a download gets through %s, %i times', async (fault, times) => {
    await using t = await setUp((data) => createS3AssetStore(bucketOf(), data));
    await t.put(owner, film);
    const before = hits(fault);
    server.inject(fault, { method: 'GET', times });
    expect(film.equals(await buffer(t.store.read(uploaded(owner))))).toBe(true);
    server.inject(fault, { method: 'GET', times });
    const copy = await t.store.withLocalCopy(uploaded(owner), (file) => readFile(file));
    expect(film.equals(copy)).toBe(true);
    expect(hits(fault)).toBe(before + 2 * times);
    server.calm();
  });

  test('decoders get no bytes that were changed on the way', async () => {
    await using t = await setUp((data) => createS3AssetStore(bucketOf(), data));
    await t.put(owner, film);
    server.inject('corrupt answer', { method: 'GET' });
    const copy = await t.store.withLocalCopy(uploaded(owner), (file) => readFile(file));
    expect(film.equals(copy)).toBe(true);
    // What is damaged in the bucket is no failure of the machine, which would be tried for ever.
    const [object] = [...server.objects.values()].filter(({ body }) => body.length === film.length).slice(-1);
    if (object) object.body = Buffer.concat([film.subarray(1), film.subarray(0, 1)]);
    await using empty = await temporaryFolder();
    const key = [...server.objects].find(([, each]) => each === object)?.[0] ?? '';
    const settings = bucketOf({ folder: key.slice(0, key.indexOf('/assets/')) });
    const elsewhere = await createS3AssetStore(settings, empty.path);
    const damaged = elsewhere.withLocalCopy(uploaded(owner), () => Promise.resolve());
    await expect(damaged).rejects.toThrow('does not hold what was stored');
    await expect(damaged).rejects.not.toSatisfy(isMachineFailure);
  });

  test('one that refuses or stays away is a failure of the machine, and never says that a file is missing', async () => {
    await using t = await setUp((data) => createS3AssetStore(bucketOf(), data));
    await t.put(owner, 'x');
    const again = await createS3AssetStore(
      { ...bucketOf(), ...parseStorageUrl(t.store.location), idleMs: 100 },
      t.folder.path,
    );
    for (const fault of ['denied', '500', 'hang'] as const) {
      server.inject(fault, { times: 20 });
      await expect(again.stat(uploaded(owner)), fault).rejects.toSatisfy(isMachineFailure);
      await expect(
        checkChecksum(again, { ...owner, source_id: null, source_path: null, size: 1, sha256: 'x' }),
        fault,
      ).rejects.toSatisfy(isMachineFailure);
      server.calm();
    }
  });
});

test.each([
  [
    'credentials',
    { credentials: { accessKeyId: 'test', secretAccessKey: 'wrong' } },
    'does not accept the credentials',
  ],
  ['key', { credentials: { accessKeyId: 'nobody', secretAccessKey: 'x' } }, 'does not accept the credentials'],
  ['bucket', { bucket: 'other' }, 'There is no bucket other'],
  ['region', { region: 'eu-central-1' }, 'set AWS_REGION to us-east-1'],
  ['endpoint', { endpoint: 'http://127.0.0.1:9' }, 'cannot be reached (ECONNREFUSED)'],
  ['name', { endpoint: 'http://nowhere.invalid' }, 'is unknown'],
] as const)('a wrong %s is one sentence at the start', async (_, wrong, sentence) => {
  await using folder = await temporaryFolder();
  const store = await createS3AssetStore({ ...bucketOf(), ...wrong }, folder.path);
  await expect(store.prepare()).rejects.toThrow(sentence);
  await expect(store.prepare()).rejects.toMatchObject({ name: 'StartupError' });
});

test('local copies are shared, bounded, and stay while they are used', async () => {
  await using folder = await temporaryFolder();
  const settings = { ...bucketOf(), cacheBytes: 250 };
  const [store, other] = [
    await createS3AssetStore(settings, folder.path),
    await createS3AssetStore(settings, folder.path),
  ];
  const items = ['a', 'b', 'c', 'd'].map((id) => ({ workspace_id: 'w', id }));
  for (const item of items) {
    const file = folder.file(item.id);
    const content = item.id.repeat(100);
    await writeFile(file, content);
    await store.putOriginal(file, {
      ...item,
      filename: 'x',
      sha256: createHash('sha256').update(content).digest('hex'),
    });
  }
  const [a, b, c, d] = items.map((item) => uploaded(item)) as [Asset, Asset, Asset, Asset];
  const get = (asset: Asset) => other.withLocalCopy(asset, (file) => readFile(file, 'utf8'));
  const downloads = () => server.log.filter(({ method, url }) => method === 'GET' && url.includes('original')).length;
  await store.withLocalCopy(a, async (file) => {
    const before = downloads();
    expect(await get(a)).toBe('a'.repeat(100));
    expect(downloads()).toBe(before);
    for (const asset of [b, c, d]) await get(asset);
    expect(await readFile(file, 'utf8')).toBe('a'.repeat(100));
  });
  const kept = folder.file('cache/files');
  expect(await readdir(kept)).toHaveLength(2);
  const before = downloads();
  for (const asset of [c, d]) await get(asset);
  expect(downloads()).toBe(before);
  await get(a);
  expect(downloads()).toBe(before + 1);
  const names = await readdir(folder.file('cache/in-use'));
  for (const name of names) expect(await readdir(folder.file(`cache/in-use/${name}`))).toEqual([]);
  // As of a process that was killed.
  const dead = (names[0] as string).replace(/-\d+-/, '-999999999-');
  await mkdir(folder.file(`cache/in-use/${dead}`));
  await createS3AssetStore(settings, folder.path);
  expect(await readdir(folder.file('cache/in-use'))).not.toContain(dead);
  expect((await stat(kept)).isDirectory()).toBe(true);
});

test.each([
  ['s3://bucket', { bucket: 'bucket', prefix: '' }],
  ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
  ['s3://bucket/a b/ü/', { bucket: 'bucket', prefix: 'a b/ü/' }],
  ['s3://bucket/a', { bucket: 'bucket', prefix: 'a/' }],
  ['s3://bucket/a/../b', undefined],
  ['s3://bucket/a//b', undefined],
  ['https://bucket/a', undefined],
  ['s3://a', undefined],
])('the address %s', (url, expected) => {
  expect(parseStorageUrl(url)).toEqual(expected);
});

test('settings of a bucket are read from the usual variables, and wrong ones are one sentence', () => {
  expect(readStorageSettings({ STORAGE_URL: '', AWS_REGION: 'x' })).toBeNull();
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' };
  expect(readStorageSettings({ ...keys, STORAGE_URL: 's3://media', AWS_DEFAULT_REGION: 'eu-west-1' })).toMatchObject({
    region: 'eu-west-1',
    endpoint: null,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' },
    redirect: false,
  });
  const wrong = [
    [{ STORAGE_URL: 'media' }, 'STORAGE_URL=media is wrong: it must be s3://BUCKET'],
    [{ STORAGE_URL: 's3://media/../x' }, 'is wrong: it must be s3://BUCKET'],
    [{ STORAGE_URL: 's3://media', STORAGE_REDIRECT: 'yes' }, 'STORAGE_REDIRECT=yes is wrong: it must be 0 or 1'],
    [{ STORAGE_URL: 's3://media', STORAGE_CACHE_BYTES: '20G' }, 'it must be a number of bytes'],
    [{ STORAGE_URL: 's3://media', AWS_ENDPOINT_URL: 'minio:9000' }, 'it must be an http or https URL'],
  ] as const;
  for (const [variables, sentence] of wrong) expect(() => readStorageSettings(variables)).toThrow(sentence);
});
