import { expect } from '@playwright/test';
import sharp from 'sharp';
import { plain } from '../packages/media/samples/draw-media.ts';
import { expectNoLayoutShift, recordLayoutShifts } from './layout-shift.ts';
import { test } from './service.ts';

test('no page moves what is on it while it loads, at any width', async ({ page, service }) => {
  const { client } = service;
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Ana Lima' })).data.id;
  await client.post('/tags', { name: 'Sea' });
  const collection = (await client.post<{ id: string }>('/collections', { name: 'Trip to Lisbon' })).data.id;
  const photo = await service.addPhoto('berry.png', plain(215, 25, 25), { width: 320, height: 480 });
  const scenes = [plain(30, 150, 40), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 2 }));
  const video = await service.addVideo('trip.mp4', { scenes });
  await client.patch(`/media/${photo.id}`, { creator_id: creator });
  await client.post(`/collections/${collection}/items`, { add: [photo.id, video.id] });
  await client.post(`/media/${photo.id}/comments`, { text: 'Cut here.' });
  await client.post('/saved-searches', { name: 'Red things', page: 'search', parameters: { q: 'red' } });
  await service.signInPage();
  await recordLayoutShifts(page);
  const paths = [
    '/',
    '/?view=months',
    '/?view=list',
    `/?creator=${creator}`,
    '/collections',
    `/collections/${collection}`,
    `/media/${photo.id}`,
    `/media/${video.id}`,
    '/search',
    '/search?q=red',
    '/search?q=%22nobody+said+this%22',
    '/highlights',
    '/highlights?view=map',
    '/saved-searches',
    '/workspace',
    '/trash',
    '/settings/profile',
    '/settings/members',
    '/settings/labels',
    '/settings/shared-links',
    '/settings/api-keys',
    '/settings/webhooks',
  ];
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const path of paths) {
      await test.step(`${path} at ${width}`, async () => {
        await page.goto(service.url + path);
        // What comes late is what moves: long enough for all answers of a small workspace.
        await page.waitForTimeout(250);
        await expectNoLayoutShift(page);
      });
    }
  }
});

test('a dialog dims the whole window, and moves nothing', async ({ page, service }) => {
  await service.signInPage();
  // By its tag: what lies behind a dialog has no role.
  const title = page.locator('main h1');
  const place = await title.boundingBox();
  const pixels = async () => {
    const { data, info } = await sharp(await page.screenshot())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const row = Math.floor(info.height * 0.8) * info.width;
    // The room of the scroll bar is at the right.
    return [info.width - 40, info.width - 3].map((x) => [...data.subarray((row + x) * 3, (row + x) * 3 + 3)]);
  };
  const [bright = [], brightEdge] = await pixels();
  expect(brightEdge).toEqual(bright);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await expect(async () => {
    for (const dimmed of await pixels())
      for (const [channel, value] of dimmed.entries())
        expect(Math.abs(value - (bright[channel] ?? 0) / 2)).toBeLessThanOrEqual(1);
  }).toPass();
  expect(await title.boundingBox()).toEqual(place);
});
