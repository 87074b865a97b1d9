import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import { makePhoto, makeVideo, plain } from '../server/samples/draw-media.ts';
import { uploadRow, uploads } from './dashboard.ts';
import { test } from './service.ts';

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
  await expect(uploads(page).getByText(/^Sending [1-9]\d?%/)).toBeVisible();
  await service.stop();
  await expect(uploads(page).getByText('Trying again by itself')).toBeVisible();
  await service.restart();
  await slowDown(page, 50_000_000);
  await expect(uploads(page).getByText('Ready')).toBeVisible({ timeout: 60_000 });
  expect((await service.client.get<MediaItem[]>('/media')).data.map(({ filename }) => filename)).toEqual(['large.mp4']);
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
  await expect(uploads(page).getByText(/^Sending \d+%/)).toBeVisible();
  await uploads(page).getByRole('button', { name: 'Pause' }).click();
  await expect(uploads(page).getByText(/^Paused/)).toBeVisible();
  await choose(page, photos);
  await uploads(page).getByLabel('Creator of what is still to be sent').selectOption('Ana Lima');
  await expect(uploads(page).getByText(/^Paused/)).toHaveCount(3);
  expect((await client.get<MediaItem[]>('/media')).data).toEqual([]);
  await slowDown(page, 50_000_000);
  await uploads(page).getByRole('button', { name: 'Resume' }).click();
  await expect(uploads(page).getByText('Ready')).toHaveCount(3, { timeout: 60_000 });
  const { data } = await client.get<MediaItem[]>('/media');
  expect(data.map(({ creator_id }) => creator_id)).toEqual([creator, creator, creator]);
});

test('what the service has is not sent again; a folder is taken with all that is in it', async ({ page, service }) => {
  await mkdir(service.file('holiday/day 2'), { recursive: true });
  const names = ['holiday/a.png', 'holiday/day 2/b.png'];
  for (const [i, name] of names.entries()) await makePhoto(service.file(name), plain(100 * i, 60, 60));
  await writeFile(service.file('holiday/.hidden'), 'not meant for anybody');
  const known = (await service.addFile('holiday/a.png')).id;
  await service.signInPage();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/media/upload')) sent.push(request.method());
  });
  await page.getByLabel('Folder to upload').setInputFiles(service.file('holiday'));
  await expect(uploads(page).getByRole('listitem')).toHaveCount(2);
  await expect(uploadRow(page, 'a.png')).toContainText('Already here');
  await expect(uploadRow(page, 'b.png')).toContainText('Ready');
  expect(sent).toEqual(['POST']);
  await uploadRow(page, 'a.png').getByRole('link', { name: 'Open' }).click();
  await expect(page).toHaveURL(new RegExp(known));
});

test('a full plan says which limit it is', async ({ page, service }) => {
  await service.setPlan('tiny', { name: 'Tiny', media_items: 0 });
  await makePhoto(service.file('a.png'), plain(90, 60, 60));
  await service.signInPage();
  await choose(page, [service.file('a.png')]);
  await expect(uploads(page).getByRole('alert')).toHaveText('The plan Tiny allows 0 media items, and 0 are used.');
  await service.setPlan('tiny', { media_items: 1 });
  await uploads(page).getByRole('button', { name: 'Retry a.png' }).click();
  await expect(uploads(page).getByText('Ready')).toBeVisible();
});
