import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Collection, Tag } from '../../../../contract/item-groups.ts';
import { temporaryFolder } from '../../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../../server/testing/running-service.ts';
import type { Comment, MediaItem } from '../../../typescript/index.ts';
import { drawPhotos } from '../../testing/draw-photos.ts';
import { fakeKey, type FakeImmich, startFakeImmich } from '../../testing/fake-immich.ts';
import { runCommand, spawnCommand } from '../../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let fake: FakeImmich;
beforeEach(async () => {
  service = await startTestService({ workers: 0 });
  folder = await temporaryFolder();
  fake = await startFakeImmich();
  return async () => {
    await service[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  };
});

const words = () => ['import', 'immich', '--url', fake.url];
const around = () => ({
  home: folder.path,
  env: { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key, IMMICH_API_KEY: fakeKey },
});
const get = async <Data>(address: string) => (await service.client.get<Data>(address)).data;
const mebibyte = 2 ** 20;

test('Ctrl-C ends it, and the next run goes on within the file that was under way', async () => {
  const [small, large] = await drawPhotos(2);
  fake.add({ name: 'small.jpg', bytes: small as Buffer });
  const id = fake.add({ name: 'large.jpg', bytes: Buffer.concat([large as Buffer, Buffer.alloc(8 * mebibyte, 7)]) });
  fake.faults.push({ path: id, afterBytes: 5 * mebibyte, silent: true });
  const ending = new AbortController();
  const running = runCommand(words(), {
    ...around(),
    signal: ending.signal,
    onOut: () => setTimeout(() => ending.abort(), 300),
  });
  const first = await running;
  expect(first).toMatchObject({ code: 2, out: expect.stringMatching(/^copied\t\S+\tsmall\.jpg\t\n$/) as string });
  expect(first.err).toMatch(/1 copied\.\nCancelled\. The same command goes on where this one ended\.\n$/);
  const second = await runCommand(words(), around());
  expect([second.code, second.out]).toEqual([0, expect.stringMatching(/^copied\t\S+\tlarge\.jpg\t\n$/)]);
  const ranges = fake.downloads().map(({ range }) => range);
  expect(Number(/^bytes=(\d+)-$/.exec(ranges.at(-1) ?? '')?.[1])).toBeGreaterThan(mebibyte);
  const state = await readdir(path.join(folder.path, 'media-search'), { recursive: true });
  expect(state.filter((name) => name.includes('downloads') || path.dirname(name).endsWith('uploads'))).toEqual([]);
});

test('killed at any moment, again and again, it imports everything once', { timeout: 120_000 }, async () => {
  const album = fake.addAlbum('Lisbon');
  const photos = await drawPhotos(12);
  for (const [i, bytes] of photos.entries())
    fake.add({
      name: `${i}.jpg`,
      // Some go in parts.
      bytes: i % 3 === 0 ? Buffer.concat([bytes, Buffer.alloc(5 * mebibyte, i)]) : bytes,
      albums: [album],
      tags: ['Travel'],
      isFavorite: i % 2 === 0,
      description: `Photo ${i}`,
    });
  let kills = 0;
  for (let round = 0; round < 8; round++) {
    const child = spawnCommand([...words(), '--parallel', '2'], around());
    const closed = once(child, 'close');
    const { stdout } = child;
    if (stdout === null) throw new Error('No pipe.');
    // After the first of them that this run stores, at another moment each time; the last rounds may find nothing left.
    stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), 40 * round));
    const [, signal] = (await closed) as [number | null, string | null];
    if (signal === 'SIGKILL') kills++;
  }
  expect(kills).toBeGreaterThan(2);
  expect(await runCommand(words(), around())).toMatchObject({ code: 0 });
  const items = await get<MediaItem[]>('/media?per_page=100');
  expect(items.map(({ filename }) => filename).toSorted()).toEqual(photos.map((_, i) => `${i}.jpg`).toSorted());
  expect((await get<Collection[]>('/collections')).map(({ name, media_count: n }) => [name, n])).toEqual([
    ['Lisbon', 12],
  ]);
  expect((await get<Tag[]>('/tags')).map(({ name, media_count: n }) => [name, n])).toEqual([['Travel', 12]]);
  for (const { id, filename, rating, taken_at: taken } of items) {
    const number = Number.parseInt(filename, 10);
    expect([rating, taken === null]).toEqual([number % 2 === 0 ? 5 : 0, false]);
    expect((await get<Comment[]>(`/media/${id}/comments`)).map(({ text }) => text)).toEqual([`Photo ${number}`]);
  }
});
