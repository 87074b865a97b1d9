import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { type AssetStore, rendition } from '../../assets/asset-store.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { createScratch } from '../../platform/storage/scratch.ts';
import type { QueryPool } from '../../search/query-workers/query-pool.ts';
import { createPictureFiles, type PicturedRow } from './picture-files.ts';

const patient = new AbortController().signal;

/** A store with items that an earlier release indexed: each has a poster of 640 pixels and the thumbnail of a chunk. */
async function setUp(count: number) {
  const folder = await temporaryFolder();
  const store = createFileAssetStore(folder.path);
  await store.prepare();
  const items: PicturedRow[] = [];
  const poster = await sharp({ create: { width: 640, height: 427, channels: 3, background: '#987' } })
    .webp()
    .toBuffer();
  const thumbnail = await sharp(poster).resize(480, 270).webp().toBuffer();
  for (let i = 0; i < count; i++) {
    const item = {
      workspace_id: 'w',
      id: `i${i}`,
      source_id: null,
      source_path: null,
      renditions_token: 1,
      poster_file: 'poster.webp',
    };
    items.push({ ...item, type: 'image', mime_type: 'image/jpeg' });
    const source = folder.file(`original-${i}`);
    await writeFile(source, '');
    await store.putOriginal(source, { ...item, filename: 'a.jpg', sha256: 'x' });
    const rendered = folder.file(`rendered-${i}`);
    await mkdir(rendered);
    await writeFile(`${rendered}/poster.webp`, poster);
    await writeFile(`${rendered}/chunk-00000.webp`, thumbnail);
    await store.putRenditions(item, 1, rendered);
  }
  /** The items whose pictures were stored, in order. */
  const stored: string[] = [];
  const assets: AssetStore = {
    ...store,
    async putDerived(file, asset) {
      await store.putDerived(file, asset);
      stored.push(asset.owner.id);
    },
  };
  const queryPool: Pick<QueryPool, 'run'> = { run: () => Promise.reject(new Error('Not for thumbnails.')) };
  const pictures = createPictureFiles({
    assets,
    scratch: createScratch(folder.path),
    queryPool: queryPool as QueryPool,
  });
  return { folder, store, items, stored, pictures, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

const sizeOf = async (store: AssetStore, item: PicturedRow, name: string) => {
  const { width, height } = await sharp(
    await store.withLocalCopy(rendition(item, name), (file) => sharp(file).toBuffer()),
  ).metadata();
  return [width, height];
};

test('what cards were scrolled past is not made, and the newest that are waited for come first', async () => {
  await using t = await setUp(200);
  const aborting = new AbortController();
  const requests = t.items.map((item, i) =>
    t.pictures.make(item, 'poster-320.webp', i < 190 ? aborting.signal : patient).then(
      () => 'made',
      (error: Error) => error.message,
    ),
  );
  aborting.abort(new Error('gone'));
  const outcomes = await Promise.all(requests);
  expect(outcomes.slice(0, 190).filter((outcome) => outcome === 'gone').length).toBeGreaterThanOrEqual(188);
  expect(outcomes.slice(190)).toEqual(Array<string>(10).fill('made'));
  // Two had begun before the others came.
  const late = t.stored.filter((id) => Number(id.slice(1)) >= 190);
  expect(t.stored.length).toBeLessThanOrEqual(12);
  // Two at a time, so of two neighbours either may end first.
  for (const [i, id] of late.entries()) expect(Math.abs(Number(id.slice(1)) - (199 - i))).toBeLessThanOrEqual(1);
  for (const item of t.items.slice(2, 190)) {
    expect(await t.store.stat(rendition(item, 'poster-320.webp'))).toBeNull();
  }
  for (const item of t.items.slice(190)) expect(await sizeOf(t.store, item, 'poster-320.webp')).toEqual([320, 214]);
});

test('however many ask for one, it is made once, also when some of them go away', async () => {
  await using t = await setUp(1);
  const [item] = t.items as [PicturedRow];
  const aborting = new AbortController();
  const gone = t.pictures.make(item, 'chunk-00000-320.webp', aborting.signal);
  const others = [1, 2, 3].map(() => t.pictures.make(item, 'chunk-00000-320.webp', patient));
  aborting.abort(new Error('gone'));
  expect(await Promise.all([gone, ...others])).toEqual([true, true, true, true]);
  expect(t.stored).toEqual(['i0']);
  expect(await sizeOf(t.store, item, 'chunk-00000-320.webp')).toEqual([320, 180]);
  expect(await readdir(t.folder.file('uploads'))).toEqual([]);
});

test('what nothing can be made from is not made, and what was removed meanwhile does not come back', async () => {
  await using t = await setUp(1);
  const [item] = t.items as [PicturedRow];
  for (const name of ['other.webp', 'chunk-00007-320.webp', 'poster-333.webp', 'poster.webp']) {
    expect(await t.pictures.make(item, name, patient)).toBe(false);
  }
  const made = t.pictures
    .make(item, 'poster-320.webp', patient)
    .catch((error: NodeJS.ErrnoException) => error.code === 'ENOENT' && false);
  await t.store.removeRenditions(item, { upTo: 1 });
  expect(await made).toBe(false);
  await delay(10);
  expect(await t.store.listRenditions(item)).toEqual([]);
});
