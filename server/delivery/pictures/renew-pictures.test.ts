import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { catalogFile } from '../../platform/storage/data-directory.ts';
import { createScratch } from '../../platform/storage/scratch.ts';
import { createQueryPool } from '../../search/query-workers/query-pool.ts';
import { startTestService } from '../../testing/running-service.ts';
import { createPictureFiles } from './picture-files.ts';
import { startRenewal } from './renew-pictures.ts';

const atOnce = { pauseMs: 0, busyMs: 10 };

test('items of an earlier release get the pictures that they lack, and one whose original is gone keeps what it has', async () => {
  await using service = await startTestService({ logLevel: 'silent' });
  const { client, folder, db, workspaceId } = service;
  const data = path.join(folder, 'data');
  const upload = async (name: string): Promise<MediaItem> =>
    client.waitUntilIndexed((await client.upload(path.join(folder, name))).data.id);
  for (const [name, background] of [
    ['photo.jpg', '#853'],
    ['lost.jpg', '#358'],
  ] as const) {
    await sharp({ create: { width: 2400, height: 1600, channels: 3, background } }).toFile(path.join(folder, name));
  }
  const size = { width: 1280, height: 720 };
  await makeVideo(path.join(folder, 'film.mp4'), { scenes: [{ paint: plain(200, 30, 30), seconds: 2 }], ...size });
  const [photo, lost, film] = [await upload('photo.jpg'), await upload('lost.jpg'), await upload('film.mp4')];

  const folderOf = async ({ id }: MediaItem) => {
    const renditions = path.join(data, 'assets', workspaceId, id, 'renditions');
    return path.join(renditions, (await readdir(renditions))[0] ?? '');
  };
  const picturesOf = async (item: MediaItem) => {
    const at = await folderOf(item);
    const names = (await readdir(at)).filter((name) => name.endsWith('.webp')).toSorted();
    return Promise.all(names.map(async (name) => `${name} ${(await sharp(path.join(at, name)).metadata()).width}`));
  };
  const whole = await picturesOf(photo);
  expect(whole).toEqual(['poster-1280.webp 1280', 'poster-320.webp 320', 'poster-640.webp 640', 'preview.webp 2048']);
  // As 0.2.0 left them.
  for (const item of [photo, lost, film]) {
    const at = await folderOf(item);
    const side = item === film ? 480 : 640;
    const poster = await sharp(path.join(at, 'poster-640.webp')).resize(side).webp().toBuffer();
    for (const name of await readdir(at)) {
      if (name.startsWith('p') || name.endsWith('-320.webp'))
        await rename(path.join(at, name), path.join(folder, name));
    }
    await sharp(poster).toFile(path.join(at, 'poster.webp'));
    await sharp(poster).resize(480).toFile(path.join(at, 'chunk-00000.webp'));
  }
  await db.updateTable('media_items').set({ poster_file: 'poster.webp' }).execute();
  await db.updateTable('chunks').set({ thumbnail_file: 'chunk-00000.webp' }).execute();
  await rename(path.join(data, 'assets', workspaceId, lost.id, 'original'), path.join(folder, 'original'));

  // Asked for before that: what is missing is there, and a preview comes from the original.
  const asked = (await client.get<MediaItem>(`/media/${photo.id}`)).data;
  expect(asked.thumbnails.map(({ width }) => width)).toEqual([320, 640]);
  for (const { url, width } of [...asked.thumbnails, asked.preview ?? { url: '', width: 0 }]) {
    const response = await fetch(url);
    expect((await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width).toBe(width);
  }
  const preview = (await client.get<MediaItem>(`/media/${lost.id}`)).data.preview;
  const refused = await fetch(preview?.url ?? '');
  expect([refused.status, refused.headers.get('Cache-Control')]).toEqual([expect.any(Number), 'no-store']);
  expect(refused.ok).toBe(false);

  const queryPool = createQueryPool(data, { file: catalogFile(data) }, 1);
  const log = { warn: vi.fn() };
  try {
    const pictureFiles = createPictureFiles({
      assets: createFileAssetStore(data),
      scratch: createScratch(data),
      queryPool,
    });
    const renewal = startRenewal({ db, pictureFiles, log }, atOnce);
    await vi.waitFor(async () => {
      const rows = await db.selectFrom('media_items').select(['id', 'poster_file']).execute();
      expect(new Map(rows.map((row) => [row.id, row.poster_file]))).toEqual(
        new Map([
          [photo.id, 'poster-1280.webp'],
          [lost.id, 'poster.webp'],
          [film.id, 'poster-480.webp'],
        ]),
      );
    }, 20_000);
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalledOnce(), 20_000);
    await renewal.stop();
  } finally {
    await queryPool.stop();
  }
  expect(await picturesOf(photo)).toEqual(
    [...whole, 'chunk-00000-320.webp 320', 'chunk-00000.webp 480', 'poster.webp 640'].toSorted(),
  );
  const renewed = (await client.get<MediaItem>(`/media/${film.id}`)).data;
  for (const { url, width } of renewed.thumbnails) {
    expect((await sharp(Buffer.from(await (await fetch(url)).arrayBuffer())).metadata()).width).toBe(width);
  }
  expect(renewed.thumbnails.map(({ width }) => width)).toEqual([320, 480]);
});
