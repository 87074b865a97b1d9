import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import { assignPlan, savePlan } from '../server/catalog/plans.ts';
import { makePhoto, makeVideo, plain } from '../server/samples/draw-media.ts';
import { startService } from '../server/service.ts';
import { testSettings } from '../server/testing/running-service.ts';
import { test } from './service.ts';

const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' });
const choose = (page: Page, files: string[]) => page.getByLabel('Files to upload').setInputFiles(files);

/** A real video, made so large by data behind its end that sending it takes a while. */
async function makeLargeVideo(file: string): Promise<void> {
  await makeVideo(file, { scenes: [{ paint: plain(30, 90, 200), seconds: 2 }] });
  await writeFile(file, Buffer.concat([await readFile(file), randomBytes(8_000_000)]));
}

async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}

test('the service stops in the middle of an upload and comes back: the file arrives, once', async ({
  page,
  service,
}) => {
  await makeLargeVideo(service.file('large.mp4'));
  await service.signInPage();
  await slowDown(page, 1_500_000);
  await choose(page, [service.file('large.mp4')]);
  await expect(tray(page).getByText(/^Sending \d+%/)).toBeVisible();
  await page.waitForTimeout(1000);
  await service.stop();
  await expect(tray(page).getByText('Trying again by itself')).toBeVisible();
  const port = Number(new URL(service.url).port);
  const again = await startService({ ...testSettings(path.join(service.folder, 'data')), port });
  try {
    await slowDown(page, 50_000_000);
    await expect(tray(page).getByText('Ready')).toBeVisible({ timeout: 60_000 });
    expect((await service.client.get<MediaItem[]>('/media')).data.map(({ filename }) => filename)).toEqual([
      'large.mp4',
    ]);
  } finally {
    await page.close();
    await again.stop();
  }
});

test('uploads are paused and go on; the rest gets creator and category', async ({ page, service }) => {
  const { client } = service;
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Ana Lima' })).data.id;
  await makeLargeVideo(service.file('large.mp4'));
  const photos = ['a.png', 'b.png'].map((name) => service.file(name));
  for (const [i, photo] of photos.entries()) await makePhoto(photo, plain(100 * i, 60, 60));
  await service.signInPage();
  await slowDown(page, 1_000_000);
  await choose(page, [service.file('large.mp4')]);
  await expect(tray(page).getByText(/^Sending \d+%/)).toBeVisible();
  await tray(page).getByRole('button', { name: 'Pause' }).click();
  await expect(tray(page).getByText(/^Paused/)).toBeVisible();
  await choose(page, photos);
  await tray(page).getByLabel('Creator of what is still to be sent').selectOption('Ana Lima');
  await expect(tray(page).getByText(/^Paused/)).toHaveCount(3);
  expect((await client.get<MediaItem[]>('/media')).data).toEqual([]);
  await slowDown(page, 50_000_000);
  await tray(page).getByRole('button', { name: 'Resume' }).click();
  await expect(tray(page).getByText('Ready')).toHaveCount(3, { timeout: 60_000 });
  const { data } = await client.get<MediaItem[]>('/media');
  expect(data.map(({ creator_id }) => creator_id)).toEqual([creator, creator, creator]);
});

test('what the service has is not sent again; a folder is taken with all that is in it', async ({ page, service }) => {
  const { client } = service;
  await mkdir(service.file('holiday/day 2'), { recursive: true });
  const names = ['holiday/a.png', 'holiday/day 2/b.png'];
  for (const [i, name] of names.entries()) await makePhoto(service.file(name), plain(100 * i, 60, 60));
  await writeFile(service.file('holiday/.hidden'), 'not meant for anybody');
  const known = (await client.waitUntilIndexed((await client.upload(service.file('holiday/a.png'))).data.id)).id;
  await service.signInPage();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/media/upload')) sent.push(request.method());
  });
  await page.getByLabel('Folder to upload').setInputFiles(service.file('holiday'));
  await expect(tray(page).getByRole('listitem')).toHaveCount(2);
  await expect(tray(page).getByRole('listitem').filter({ hasText: 'a.png' })).toContainText('Already here');
  await expect(tray(page).getByRole('listitem').filter({ hasText: 'b.png' })).toContainText('Ready');
  expect(sent).toEqual(['POST']);
  await tray(page).getByRole('listitem').filter({ hasText: 'a.png' }).getByRole('link', { name: 'Open' }).click();
  await expect(page).toHaveURL(new RegExp(known));
});

test('a full plan says which limit it is', async ({ page, service }) => {
  await savePlan(service.db, 'tiny', { name: 'Tiny', media_items: 0 });
  await assignPlan(service.db, service.workspaceId, 'tiny');
  await makePhoto(service.file('a.png'), plain(90, 60, 60));
  await service.signInPage();
  await choose(page, [service.file('a.png')]);
  await expect(tray(page).getByRole('alert')).toHaveText('The plan Tiny allows 0 media items, and 0 are used.');
  await savePlan(service.db, 'tiny', { media_items: 1 });
  await tray(page).getByRole('button', { name: 'Retry a.png' }).click();
  await expect(tray(page).getByText('Ready')).toBeVisible();
});
