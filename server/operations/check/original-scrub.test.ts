import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { startTestService } from '../../testing/running-service.ts';
import { startScrub } from './original-scrub.ts';

const restsAnHour = { bytesPerSecond: Infinity, idleIntervalMs: 3_600_000 };

test('the scrub finds a changed byte and a lost file, reports them on the items, and checks nothing twice after a restart', async () => {
  await using service = await startTestService({ logLevel: 'silent' });
  const { client, folder, workspaceId, db } = service;
  const data = path.join(folder, 'data');
  const items: MediaItem[] = [];
  for (const shade of [40, 120, 200]) {
    const photo = path.join(folder, `${shade}.png`);
    await makePhoto(photo, plain(shade, 30, 30));
    items.push(await client.waitUntilIndexed((await client.upload(photo)).data.id));
  }
  const [changed, lost, whole] = items as [MediaItem, MediaItem, MediaItem];
  const originalOf = (item: MediaItem) => path.join(data, 'assets', workspaceId, item.id, 'original');
  await using file = await open(originalOf(changed), 'r+');
  await file.write(Buffer.from([1]), 0, 1, 20);
  await rm(originalOf(lost));

  const assets = createFileAssetStore(data);
  const log = { error: vi.fn() };
  const checkedAt = async () => {
    const rows = await db.selectFrom('media_items').select(['id', 'original_checked_at']).execute();
    return new Map(rows.map((row) => [row.id, row.original_checked_at]));
  };
  const began = new Date().toISOString();
  const scrub = startScrub({ db, assets, log }, { ...restsAnHour, checkIntervalMs: 0 });
  await vi.waitFor(async () => expect([...(await checkedAt()).values()]).not.toContain(null), 20_000);
  await scrub.stop();
  const warnings = await Promise.all(
    items.map(async ({ id }) => (await client.get<MediaItem>(`/media/${id}`)).data.warning),
  );
  expect(warnings.map((warning) => warning?.code)).toEqual(['original_damaged', 'original_missing', undefined]);
  const named = log.error.mock.calls.map(([about]) => (about as { media: string }).media);
  expect(new Set(named)).toEqual(new Set([changed.id, lost.id]));

  // Another run: nothing is due, for all were checked a moment ago.
  const before = await checkedAt();
  expect([...before.values()].every((time) => time !== null && time >= began)).toBe(true);
  const next = startScrub({ db, assets, log }, { ...restsAnHour, checkIntervalMs: 3_600_000 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await next.stop();
  expect(await checkedAt()).toEqual(before);
  expect(whole.warning).toBeNull();
});

test('the scrub respects its rate, and a stop does not wait for it', async () => {
  await using service = await startTestService({ logLevel: 'silent' });
  const { client, folder, db } = service;
  const photo = path.join(folder, 'a.png');
  await makePhoto(photo, plain(40, 30, 30));
  const item = await client.waitUntilIndexed((await client.upload(photo)).data.id);
  const assets = createFileAssetStore(path.join(folder, 'data'));
  const log = { error: vi.fn() };
  // A thousandth of a byte a second: it would take days.
  const scrub = startScrub({ db, assets, log }, { checkIntervalMs: -1, bytesPerSecond: 0.001, idleIntervalMs: 10 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await scrub.stop();
  const row = await db.selectFrom('media_items').where('id', '=', item.id).selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({ original_checked_at: null, original_problem: null });
  expect(log.error).not.toHaveBeenCalled();
});
