import path from 'node:path';
import { expect, test } from '@playwright/test';
import { makeFlashAndBeep } from '../packages/media/testing/flash-and-beep.ts';
import { readStorageSettings } from '../server/assets/storage-settings.ts';
import { startTestService } from '../server/testing/running-service.ts';
import { startS3Server } from '../server/testing/s3-server.ts';
import { openDashboard } from './dashboard.ts';

test('when the address of a bucket expires while a video plays, it plays on by itself', async ({ page }) => {
  await using server = await startS3Server();
  const storage = readStorageSettings({ ...server.environment, STORAGE_REDIRECT: '1' });
  await using service = await startTestService({ storage });
  const file = path.join(service.folder, 'beep.mp4');
  // Noise, so that a browser does not fetch all of it before it plays.
  const noise = { filters: 'noise=alls=100:allf=t', encoderOptions: { qp: 6, preset: 'ultrafast' }, fps: 10 };
  const muxerOptions = { movflags: '+faststart' };
  await makeFlashAndBeep(file, { videoCodec: 'libx264', audioCodec: 'aac', duration: 32, muxerOptions, ...noise });
  const { id } = await service.client.waitUntilIndexed((await service.client.upload(file)).data.id);
  const [name = '', value = ''] = (await service.signIn()).cookie().split('=', 2);
  await page.context().addCookies([{ name, value, url: service.url }]);

  await openDashboard(page, `${service.url}/media/${id}?t=2`);
  const clip = page.getByLabel('Clip', { exact: true });
  const readTime = () => clip.evaluate((video: HTMLVideoElement) => video.currentTime);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(readTime).toBeGreaterThan(2);

  // The browser goes on asking the bucket, which refuses an address that has expired. The service gives one that works.
  server.inject('denied', { method: 'GET', path: /X-Amz-Signature/, times: Infinity });
  page.on('request', (request) => {
    if (request.url().startsWith(`${service.url}/files/`)) server.calm();
  });
  await page.getByRole('slider', { name: 'Position in the clip' }).fill('26');
  await expect.poll(readTime).toBeGreaterThan(27);
  expect(server.log.some(({ fault }) => fault === 'denied')).toBe(true);
  await expect(page.getByRole('alert')).toHaveCount(0);
  // Loaded again where it broke off, and not from where it began.
  await expect(clip).toHaveAttribute('src', /#t=26/);
});
