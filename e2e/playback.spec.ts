import { readFile, writeFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import type { MediaItem } from '../contract/media.ts';
import { makeVideo } from '../packages/media/samples/draw-media.ts';
import {
  type FlashAndBeep,
  flashTiming,
  makeFlashAndBeep,
  usualDuration,
} from '../packages/media/testing/flash-and-beep.ts';
import {
  areNear,
  expectedCorners,
  orientations,
  quarters,
  setDisplayMatrix,
} from '../packages/media/testing/orientations.ts';
import { test } from './service.ts';

type Shown = {
  /** Size and duration that the player has for the video. */
  width: number;
  height: number;
  duration: number;
  /** Colours near the four corners at each time asked for. */
  corners: number[][][];
};

/** What the browser's own player shows of a video at some times, seconds. */
const show = (page: Page, url: string, times: number[]): Promise<Shown> =>
  page.evaluate(
    async ([source, moments]) => {
      const video = document.createElement('video');
      const event = (name: string) =>
        new Promise((resolve, reject) => {
          video.addEventListener(name, resolve, { once: true });
          video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true });
        });
      const loaded = event('loadeddata');
      video.muted = true;
      video.preload = 'auto';
      video.src = source;
      await loaded;
      const { videoWidth: width, videoHeight: height, duration } = video;
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      const context = canvas.getContext('2d', { willReadFrequently: true })!;
      const corners: number[][][] = [];
      for (const moment of moments) {
        const sought = event('seeked');
        video.currentTime = moment;
        await sought;
        // A busy browser reports the end of a seek before the frame can be drawn; until then it draws nothing.
        const deadline = performance.now() + 5000;
        do {
          context.drawImage(video, 0, 0, width, height);
          await new Promise(requestAnimationFrame);
        } while (context.getImageData(0, 0, 1, 1).data[3] === 0 && performance.now() < deadline);
        corners.push(
          [0.2, 0.8].flatMap((y) =>
            [0.2, 0.8].map((x) => [...context.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1).data]),
          ),
        );
      }
      return { width, height, duration, corners };
    },
    [url, times] as const,
  );

async function thumbnailCorners(url: string): Promise<number[][]> {
  const { data, info } = await sharp(await (await fetch(url)).arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [0.2, 0.8].flatMap((y) =>
    [0.2, 0.8].map((x) => {
      const at = 3 * (Math.floor(y * info.height) * info.width + Math.floor(x * info.width));
      return [...data.subarray(at, at + 3)];
    }),
  );
}

test('the browser shows video upright, as its thumbnail does, whatever the camera noted', async ({ page, service }) => {
  test.slow();
  const { client } = service;
  await service.signInPage();
  for (const [name, codec] of [
    ['a.mp4', 'h264'],
    ['a.mov', 'h264'],
    ['b.mp4', 'hevc'],
  ] as const) {
    for (const [orientation, matrix] of orientations) {
      const file = service.file(name);
      // Each file is another, or it would be the same item.
      await makeVideo(file, { scenes: [{ paint: quarters, seconds: 0.4 }], width: 160, height: 96, codec });
      await setDisplayMatrix(file, matrix);
      const item = await client.waitUntilIndexed((await client.upload(file)).data.id);
      const shown = await show(page, item.url ?? '', [0.2]);
      const what = `${name}, ${codec}, ${orientation}`;
      expect([shown.width, shown.height], what).toEqual([item.width, item.height]);
      const expected = expectedCorners(matrix);
      expect(areNear(shown.corners[0] ?? [], expected), `${what}: ${JSON.stringify(shown.corners)}`).toBe(true);
      expect(areNear(await thumbnailCorners(item.thumbnail ?? ''), expected), what).toBe(true);
    }
  }
});

test('the browser shows pixels that are not square in their shape', async ({ page, service }) => {
  await service.signInPage();
  for (const [name, picture, sound, aspect] of [
    ['wide.mp4', 'libx264', 'aac', '16/11'],
    ['tall.mp4', 'libx264', 'aac', '8/11'],
    ['wide.mkv', 'libx264', 'aac', '16/11'],
    ['wide.vob', 'mpeg2video', 'ac3', '16/11'],
  ] as const) {
    await makeFlashAndBeep(service.file(name), { videoCodec: picture, audioCodec: sound, filters: `setsar=${aspect}` });
    const item = await service.addFile(name);
    const shown = await show(page, item.url ?? '', [0.2]);
    expect([item.width, item.height], name).toEqual(aspect === '16/11' ? [256, 144] : [176, 198]);
    expect([shown.width, shown.height], name).toEqual([item.width, item.height]);
    const { width, height } = await sharp(await (await fetch(item.thumbnail ?? '')).arrayBuffer()).metadata();
    expect([width, height], name).toEqual([item.width, item.height]);
  }
});

test('a truncated video plays as far as it goes', async ({ page, service }) => {
  const { client } = service;
  await service.signInPage();
  const file = service.file('cut.mp4');
  await makeFlashAndBeep(file, { videoCodec: 'libx264', audioCodec: 'aac', muxerOptions: { movflags: '+faststart' } });
  const bytes = await readFile(file);
  await writeFile(file, bytes.subarray(0, Math.floor(0.66 * bytes.length)));
  const item = await client.waitUntilIndexed((await client.upload(file)).data.id);
  expect(item.warning?.code).toBe('truncated_media');
  // The original itself ends in an error of the player.
  expect(item.url).toContain('playback.mp4');
  const end = item.duration ?? 0;
  const { duration } = await show(page, item.url ?? '', [0.54, end - 0.1]);
  expect(Math.abs(duration - end)).toBeLessThan(0.3);
  await page.goto(`${service.url}/media/${item.id}`);
  await expect(page.getByText(/This file is cut off/)).toBeVisible();
  await page.goto(service.url);
  await expect(page.getByText('Cut off')).toBeVisible();
});

test('the browser shows at each time what the service has there, wherever the clock of a file begins', async ({
  page,
  service,
}) => {
  test.slow();
  await service.signInPage();
  const h264 = { videoCodec: 'libx264', audioCodec: 'aac' };
  const files: [string, FlashAndBeep][] = [
    ['late-sound.mp4', { ...h264, audioStart: 0.48 }],
    ['edit-list.mp4', { ...h264, videoStart: 0.48 }],
    ['gap.mp4', { ...h264, hasAudioAt: (time) => time < 1 || time > 1.6 }],
    [
      'fragments.mp4',
      { ...h264, videoStart: 5, audioStart: 5, muxerOptions: { movflags: '+frag_keyframe+empty_moov' } },
    ],
    ['late.webm', { videoCodec: 'libvpx', audioCodec: 'libopus', videoStart: 5, audioStart: 5 }],
    ['late.ts', { ...h264, videoStart: 16.8, audioStart: 16.4 }],
    ['late-encoded.ts', { videoCodec: 'mpeg2video', audioCodec: 'mp2', videoStart: 16.8, audioStart: 16.4 }],
    ['late-sound.mkv', { ...h264, audioStart: 0.72 }],
  ];
  for (const [name, options] of files) {
    await makeFlashAndBeep(service.file(name), options);
    const item: MediaItem = await service.addFile(name);
    // The middles of the frames before and at the beginning of each flash, and the first frame.
    const times = [0, ...flashTiming.times.flatMap((time) => [time - 0.02, time + 0.02])];
    // A busy browser sometimes draws the frame before; a wrong clock shows it every time.
    await expect(async () => {
      const { corners, duration } = await show(page, item.url ?? '', times);
      const bright = corners.map(([corner]) => (corner?.[0] ?? 0) > 128);
      expect(bright, name).toEqual([false, false, true, false, true, false, true]);
      expect(Math.abs(duration - usualDuration), `${name}: ${duration}`).toBeLessThan(0.1);
    }, name).toPass({ timeout: 30_000 });
    expect(Math.abs((item.duration ?? 0) - usualDuration), name).toBeLessThan(0.04);
  }
});
