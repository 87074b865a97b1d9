import { expect, test } from 'vitest';
import type { BucketClient } from '../assets/s3/bucket-client.ts';
import { StorageError } from '../assets/s3/storage-error.ts';
import { createBucketReader } from './bucket-reader.ts';

type Input = { Prefix: string; ContinuationToken?: string; MaxKeys?: number };

/** A bucket with some keys, that counts its pages. */
function setUp(keys: string[], pageSize: number, mayRead: (key: string) => boolean = () => true) {
  const sorted = keys.toSorted();
  const asked = { pages: 0, heads: 0 };
  const head = (key: string) => {
    asked.heads += 1;
    return mayRead(key) ? Promise.resolve(null) : Promise.reject(new StorageError('No right.', 'HTTP 403'));
  };
  const send = ({ input: { Prefix, ContinuationToken: after = '', MaxKeys: limit = pageSize } }: { input: Input }) => {
    asked.pages += 1;
    const found = sorted.filter((key) => key.startsWith(Prefix) && key > after);
    const page = found.slice(0, limit);
    return Promise.resolve({
      Contents: page.map((Key) => ({ Key, Size: 1, ETag: `"${Key}"`, LastModified: new Date(0) })),
      ...(found.length > limit && { NextContinuationToken: page.at(-1) }),
    });
  };
  class ListObjectsV2Command {
    readonly input: Input;
    constructor(input: Input) {
      this.input = input;
    }
  }
  const client = {
    sdk: { ListObjectsV2Command },
    settings: { bucket: 'media' },
    head,
    ask: (call: (s3: unknown) => Promise<unknown>) => call({ send }),
  } as unknown as BucketClient;
  const reader = createBucketReader(() => Promise.resolve({ client, prefix: '' }), { include: [], exclude: [] });
  return {
    asked,
    reader,
    async list() {
      const files = [];
      for await (const listings of reader.list([''])) files.push(...listings.flatMap((each) => each.files));
      return files;
    },
  };
}

test('a folder with very many objects is handed on while it is listed', async () => {
  const t = setUp(
    Array.from({ length: 20_000 }, (_, i) => `${String(i).padStart(6, '0')}.jpg`),
    1000,
  );
  for await (const [listing] of t.reader.list([''])) {
    expect(listing?.files.length).toBeGreaterThan(0);
    break;
  }
  expect(t.asked.pages).toBeLessThan(6);
  expect(new Set((await t.list()).map(({ path }) => path)).size).toBe(20_000);
});

test('sidecars and pictures of a folder belong to films on other pages', async () => {
  for (const pageSize of [1, 2, 3, 4, 100]) {
    const t = setUp(['a.mp4', 'a.en.srt', 'a.xmp', 'a-1.mp4', 'ab.mp4', 'ab.srt', 'Folder.jpg', 'b.jpg'], pageSize);
    const files = await t.list();
    expect(
      new Map(files.map(({ path, sidecars }) => [path, sidecars.map((each) => each.path)])),
      `pages of ${pageSize}`,
    ).toEqual(
      new Map([
        ['a.mp4', ['a.en.srt', 'a.xmp']],
        ['a-1.mp4', []],
        ['ab.mp4', ['ab.srt']],
        ['b.jpg', []],
      ]),
    );
  }
});

test('a folder is left out by a `.nomedia` file on a later page', async () => {
  const t = setUp(['!a.jpg', '#b.jpg', '-c.jpg', '.nomedia', 'd.jpg'], 2);
  expect(await t.list()).toEqual([]);
});

test('a bucket that lists its objects and lets none be read is away; of one that may be read one is asked for', async () => {
  const keys = ['a.jpg', 'b/b.jpg', 'b/c.jpg', 'notes.txt'];
  const open = setUp(keys, 10);
  expect(await open.list()).toHaveLength(3);
  expect(open.asked.heads).toBe(1);
  // What is not media says nothing.
  await expect(setUp(keys, 10, (key) => key === 'notes.txt').list()).rejects.toMatchObject({ code: 'access_denied' });
  expect(await setUp(keys, 10, (key) => key === 'b/c.jpg').list()).toHaveLength(3);
});
