import { expect } from '@playwright/test';
import sharp from 'sharp';
import { drawSound, makeRecording } from '../packages/media/testing/make-recording.ts';
import { hits, mediaCard } from './dashboard.ts';
import { test } from './service.ts';

test('a recording is listed with its picture, plays with a waveform that leads to its times, and is exported @phone', async ({
  page,
  service,
}) => {
  const picture = { width: 400, height: 400, channels: 3, background: '#7a2f5d' } as const;
  await makeRecording(service.file('tour.mp3'), {
    samples: drawSound(24, (time) => (time < 12 ? 0.9 : 0.3)),
    tags: { title: 'Harbour tour', artist: 'Zephyrine Quill' },
    cover: await sharp({ create: picture }).jpeg().toBuffer(),
  });
  await service.addFile('tour.mp3');
  await service.signInPage('/?type=audio');
  await expect(mediaCard(page, /tour\.mp3/)).toBeVisible();

  // Where one goes before anything of the sound is there is kept.
  const loading = Promise.withResolvers<void>();
  await page.route('**', async (route) => {
    if (route.request().resourceType() === 'media') await loading.promise;
    await route.continue();
  });
  await mediaCard(page, /tour\.mp3/).click();
  await expect(page.getByText('Harbour tour').first()).toBeVisible();
  const waveform = page.locator('[data-waveform]');
  await expect(waveform.locator('path').first()).toHaveAttribute('d', /M0\.\d+ \d+/);
  const box = await waveform.boundingBox();
  if (!box) throw new Error('The waveform is not laid out.');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const shown = page.locator('[data-time]');
  const player = page.getByLabel('Clip', { exact: true });
  expect(await player.evaluate((video: HTMLVideoElement) => video.readyState)).toBe(0);
  loading.resolve();
  await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.readyState)).toBeGreaterThan(0);
  await expect.poll(async () => Math.abs(Number(await shown.getAttribute('data-time')) - 12)).toBeLessThan(0.5);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => Number(await shown.getAttribute('data-time'))).toBeGreaterThan(12.6);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();

  // It is found by what it says of itself; a hit plays to its end and stops there.
  await service.signInPage('/search?q=zephyrine');
  await expect(hits(page).first()).toHaveAccessibleName(/^Play tour\.mp3/);
  const name = (await hits(page).first().textContent()) ?? '';
  const [, minutes, seconds] = /– (\d+):([\d.]+)/.exec(name) ?? [];
  await hits(page).first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('[data-waveform] path').first()).toHaveAttribute('d', /M0\.\d+ \d+/);
  await expect(dialog.getByLabel('Clip', { exact: true })).toHaveJSProperty('paused', true, { timeout: 20_000 });
  const clip = dialog.getByLabel('Clip', { exact: true });
  const end = await clip.evaluate((video: HTMLVideoElement) => video.currentTime);
  expect(Math.abs(end - (60 * Number(minutes) + Number(seconds)))).toBeLessThan(0.3);
});
