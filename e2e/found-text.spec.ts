import type { RgbImage } from '@media-search/media/rgb-image';
import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import { drawImage, encodeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { drawText } from '../packages/media/testing/draw-text.ts';
import { setDisplayMatrix } from '../packages/media/testing/orientations.ts';
import { placeSounds, speak } from '../packages/models/testing/speak.ts';
import { chooseFiles, hits, openDetails, player, searchFor, uploadRow } from './dashboard.ts';
import { test } from './service.ts';

test.use({ settings: { ocr: 'auto', speech: 'auto' } });

const size = { width: 640, height: 360 };
/** Three seconds of a meadow, then three seconds of a wall with a sign, in frames of a tenth of a second. */
const [fps, signFrom, seconds] = [10, 3, 6];
/** The left and upper end of the letters, and their size, pixels. */
const sign = { text: 'FERRY TERMINAL', left: 210, top: 120, size: 40 };
const spoken = { text: 'Good morning. We will meet again tomorrow morning.', at: 0.3 };

/** A picture as a camera stores it that is held with its right side down. */
async function turnLeft({ data, ...raw }: RgbImage): Promise<RgbImage> {
  const turned = sharp(data, { raw: { ...raw, channels: 3 } }).rotate(-90);
  return { width: raw.height, height: raw.width, data: await turned.raw().toBuffer() };
}

/** The film of a phone: its pictures lie on their side, and its header says how to set them upright. */
async function makeFilm(file: string): Promise<void> {
  const meadow = await turnLeft(drawImage(plain(60, 120, 70), size.width, size.height));
  const wall = await turnLeft(await drawText(drawImage(plain(235, 235, 225), size.width, size.height), [sign]));
  const frames = Array.from({ length: seconds * fps }, (_, pts) => ({
    image: pts < signFrom * fps ? meadow : wall,
    pts,
  }));
  const { samples } = await speak(spoken.text);
  const audio = placeSounds(seconds, [{ at: spoken.at, samples }]);
  await encodeVideo(file, frames, { width: size.height, height: size.width, fps, audio });
  await setDisplayMatrix(file, [0, 1, -1, 0]);
}

/** What is framed in the picture of the player: fractions of its width and height, from the left and the top. */
const readFrame = (page: Page) =>
  page.evaluate(() => {
    const frame = document.querySelector('[data-text-frame]')?.getBoundingClientRect();
    const video = document.querySelector('video');
    if (!frame || !video) return null;
    const { left, top, width, height } = video.getBoundingClientRect();
    const scale = Math.min(width / video.videoWidth, height / video.videoHeight);
    const x = (width - video.videoWidth * scale) / 2;
    const y = (height - video.videoHeight * scale) / 2;
    const toFraction = (at: number, of: number) => at / scale / of;
    return {
      left: toFraction(frame.left - left - x, video.videoWidth),
      right: toFraction(frame.right - left - x, video.videoWidth),
      top: toFraction(frame.top - top - y, video.videoHeight),
      bottom: toFraction(frame.bottom - top - y, video.videoHeight),
    };
  });

const currentTime = (page: Page): Promise<number> =>
  page.getByLabel('Clip', { exact: true }).evaluate((video: HTMLVideoElement) => video.currentTime);

test('a word on a sign and a spoken word are found: where, when, and only where one searches', async ({
  page,
  service,
}) => {
  const file = service.file('clip.mp4');
  await makeFilm(file);
  await service.signInPage();
  await chooseFiles(page, file);
  await uploadRow(page, 'clip.mp4').getByRole('link').click();
  // The page follows what is read behind an item that is found already.
  await openDetails(page);
  const details = page.getByRole('region', { name: 'Details' });
  await details.getByText('Technical details').click();
  await expect(details.getByText('English, by Whisper tiny', { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(details.getByText('Read, by PP-OCRv4', { exact: true })).toBeVisible();

  await page.keyboard.press('Escape');
  await searchFor(page, 'terminal');
  await expect(hits(page).first()).toHaveAccessibleName(/clip\.mp4/);
  await page
    .getByRole('button', { name: /^Shown 0:03 .*TERMINAL/ })
    .first()
    .click();
  await expect(page.locator('[data-text-frame]')).toHaveCount(1);
  expect(await currentTime(page)).toBeGreaterThan(signFrom - 0.2);
  // Over the letters, whose width the font decides, and nowhere else.
  const frame = await readFrame(page);
  expect(frame?.left).toBeCloseTo(sign.left / size.width, 1);
  expect(frame?.left).toBeLessThan(sign.left / size.width);
  expect(frame?.right).toBeGreaterThan((sign.left + 6 * sign.size) / size.width);
  expect(frame?.top).toBeCloseTo(sign.top / size.height, 1);
  expect(frame?.bottom).toBeCloseTo((sign.top + sign.size) / size.height, 1);
  await page.keyboard.press('Escape');

  await searchFor(page, 'morning');
  await page
    .getByRole('button', { name: /^Said 0:0[0-2] .*morning/ })
    .first()
    .click();
  const dialog = player(page, 'clip.mp4');
  await expect(dialog.locator('[data-text-frame]')).toHaveCount(0);
  await dialog.getByRole('button', { name: /^Captions/ }).click();
  await dialog.getByRole('button', { name: /^Said/ }).first().click();
  await expect(dialog.locator('[data-captions]')).toContainText('morning');
  expect(await currentTime(page)).toBeLessThan(signFrom);
  await page.keyboard.press('Escape');

  // Only where one searches, by a link as well; Back and the way out.
  await page.getByRole('button', { name: 'Search in everything' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'On-screen text' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Nothing matches in on-screen text.')).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Search everywhere' }).click();
  await expect(hits(page).first()).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/in=ocr/);
  await page.getByRole('button', { name: 'Do not search in on-screen text' }).click();
  await expect(hits(page).first()).toBeVisible();

  // The page of the item looks where the search looked, and says so.
  await page.goto(`${service.url}/search?q=terminal&in=ocr`);
  await hits(page).first().click();
  await page.getByRole('link', { name: 'Open item' }).click();
  await expect(page).toHaveURL(/\/media\/.*in=ocr/);
  await openDetails(page, 'Find');
  const inside = page.getByRole('region', { name: 'Search in this video' });
  await expect(inside.getByText('1 match,')).toBeVisible();
  await inside.getByLabel('Words to find in this video').fill('morning');
  await page.keyboard.press('Enter');
  await expect(inside.getByText('Nothing in this video clearly matches in on-screen text.')).toBeVisible();
  await inside.getByRole('button', { name: 'Do not search in on-screen text' }).click();
  await expect(page).not.toHaveURL(/in=/);
  await expect(inside.getByRole('button', { name: 'Search in everything' })).toBeFocused();
  await expect(inside.getByRole('button', { name: /^Said .*morning/ }).first()).toBeVisible();
});
