import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { addSegments } from '../server/catalog/texts/text-segments.ts';
import { chooseFrom, hits, mediaCard, mediaCards, openDetails, pressQuickly } from './dashboard.ts';
import { test } from './service.ts';

const clip = (page: Page): Locator => page.getByLabel('Clip', { exact: true });

/** The colour that the player shows in its middle, once it shows one that passes. */
const expectShown = (page: Page, passes: (colour: number[]) => boolean): Promise<void> =>
  expect
    .poll(async () =>
      passes(
        await clip(page).evaluate((video: HTMLVideoElement) => {
          const canvas = document.createElement('canvas');
          canvas.width = canvas.height = 1;
          const context = canvas.getContext('2d');
          context?.drawImage(video, 0, 0, 1, 1);
          return [...(context?.getImageData(0, 0, 1, 1).data ?? [])];
        }),
      ),
    )
    .toBe(true);

const isRed = ([r = 0, g = 0, b = 0]: number[]) => r > 150 && g < 80 && b < 80;
const isGreen = ([r = 0, g = 0, b = 0]: number[]) => g > 100 && r < 80 && b < 80;
const isBlue = ([r = 0, g = 0, b = 0]: number[]) => b > 150 && r < 80 && g < 80;

test('a moment is opened to the frame, followed by the address, copied and found again', async ({ page, service }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const scenes = [plain(200, 20, 20), plain(30, 150, 40), plain(20, 40, 200), plain(210, 30, 30)];
  await makeVideo(service.file('trip.mkv'), {
    scenes: scenes.map((paint) => ({ paint, seconds: 1 })),
    subtitles: [{ start: 2.1, end: 2.9, text: 'The ferry leaves at noon' }],
  });
  const { id } = await service.addFile('trip.mkv');
  await service.signInPage();
  const time = () => page.locator('[data-time]');

  // The first frame of the green scene, and the last of the red one before it.
  await page.goto(`${service.url}/media/${id}?t=1`);
  await expectShown(page, isGreen);
  await page.keyboard.press(',');
  await expectShown(page, isRed);
  await expect(page).toHaveURL(/\?t=0\.9\d*$/);
  await expect(clip(page)).toHaveJSProperty('paused', true);
  for (const [moment, isShown] of [
    ['99', isRed],
    ['-4', isRed],
    ['soon', isRed],
    ['2.5', isBlue],
  ] as const) {
    await page.goto(`${service.url}/media/${id}?t=${moment}`);
    await expectShown(page, isShown);
  }
  await expect(time()).toHaveAttribute('data-time', /^2\.[45]/);

  // A hit opens as an item where it begins, with its query. Back leads to the hit.
  await page.goto(`${service.url}/search?q=ferry`);
  await hits(page).first().click();
  await page.getByRole('dialog').getByRole('link', { name: 'Open item' }).click();
  await expect(page).toHaveURL(/\/media\/[^?]+\?t=2&q=ferry$/);
  await expectShown(page, isBlue);
  await page.goBack();
  await expect(page.getByRole('dialog', { name: 'trip.mkv' })).toBeVisible();

  // All that answers another query in this file, on the slider and below it.
  await page.goto(`${service.url}/media/${id}`);
  await openDetails(page, 'Find');
  await page.getByLabel('Words to find in this video').fill('red');
  await page.getByLabel('Words to find in this video').press('Enter');
  const matches = page.getByRole('list', { name: 'Matches' }).getByRole('button');
  await expect(matches).toHaveCount(2);
  await expect(page.locator('[data-mark]')).toHaveCount(2);
  await matches.nth(1).focus();
  await page.keyboard.press('n');
  await expect(page).toHaveURL(/q=red&t=3$/);
  await expectShown(page, isRed);
  await page.keyboard.press('Shift+n');
  await expect(page).toHaveURL(/t=0$/);
  await matches.nth(1).click();
  await expect(page).toHaveURL(/t=3$/);

  await openDetails(page, 'Transcript');
  await page.getByLabel('Filter: Transcript').fill('NOON');
  await page
    .getByRole('list', { name: 'Transcript' })
    .getByRole('button', { name: /The ferry leaves at noon/ })
    .click();
  // It plays from where this is said on.
  await expect(page).toHaveURL(/q=red&t=2\.1$/);
  await expect(clip(page)).toHaveJSProperty('paused', false);
  await page.keyboard.press('k');
  await openDetails(page, 'Scenes');
  await page.getByRole('button', { name: /^Go to 0:02\.0: The ferry/ }).click();
  await expectShown(page, isBlue);
  await expect(page).toHaveURL(/q=red&t=2$/);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await chooseFrom(page, 'Playback options', 'Copy link to this moment');
  await expect.poll(copied).toBe(`${service.url}/media/${id}?t=2&q=red`);
  await chooseFrom(page, 'Playback options', 'Copy timecode');
  await expect.poll(copied).toMatch(/^00:00:02[:.]00/);
  // None of this is a step of the browser's history.
  await page.goBack();
  await expect(page.getByRole('dialog', { name: 'trip.mkv' })).toBeVisible();
});

test('one goes through a list by its items, gives one a name that is found, and sees where a text is', async ({
  page,
  service,
}) => {
  for (const name of ['cat', 'coffee', 'duck']) {
    await copyFile(path.join(import.meta.dirname, 'pictures', `${name}.jpg`), service.file(`DSC-${name}.jpg`));
    const { id } = await service.addFile(`DSC-${name}.jpg`);
    if (name !== 'cat') continue;
    const box = { x: 0.8, y: 0.85, width: 0.15, height: 0.1 };
    const line = { text: 'MEOW', start: 0, end: 0, language: null, box, confidence: 0.9 };
    await addSegments(service.db, { workspace_id: service.workspaceId, id }, 'ocr', [line]);
  }
  await service.addVideo('DSC-film.mp4', { scenes: [{ paint: plain(20, 40, 200), seconds: 1 }] });
  await service.signInPage('/?type=image&sort=filename');
  await mediaCard(page, /cat/).click();
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  await expect(heading('DSC-cat.jpg')).toBeVisible();
  await expect(page.getByText('1 of 3')).toBeVisible();
  // Over one that is not loaded yet.
  await pressQuickly(page, ']', 2);
  await expect(heading('DSC-duck.jpg')).toBeVisible();
  // The last one: videos are not in this list.
  await expect(page.getByRole('button', { name: 'Next item' })).toBeDisabled();
  await page.keyboard.press(']');
  await page.keyboard.press('[');
  await expect(heading('DSC-coffee.jpg')).toBeVisible();
  await expect(page.getByText('2 of 3')).toBeVisible();
  await page.getByRole('button', { name: 'Previous item' }).click();
  await expect(heading('DSC-cat.jpg')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Previous item' })).toBeDisabled();

  // A text of it that is enlarged comes into view.
  await openDetails(page, 'Text');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await page.getByRole('list', { name: 'Lines' }).getByRole('button', { name: 'MEOW' }).click();
  await expect(page.locator('[data-text-frame]')).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('i');

  await chooseFrom(page, 'More', 'Rename');
  const name = page.getByLabel('File name');
  await name.press('Escape');
  await expect(page.locator('[data-viewer]').getByRole('button', { name: 'More', exact: true })).toBeFocused();
  await chooseFrom(page, 'More', 'Rename');
  await name.fill('a/b');
  await name.press('Enter');
  await expect(page.getByRole('alert')).toContainText('must not be a path');
  await name.fill('Zeppelin over the lake');
  await name.press('Enter');
  await expect(heading('Zeppelin over the lake.jpg')).toBeVisible();
  await page.getByRole('link', { name: 'Back to the library' }).click();
  await expect(page).toHaveURL(/\?type=image&sort=filename$/);
  await expect(mediaCards(page).filter({ hasText: 'Zeppelin over the lake.jpg' })).toBeVisible();
  await page.goto(`${service.url}/search?q=zeppelin`);
  await expect(hits(page).first()).toHaveAccessibleName(/^Show Zeppelin over the lake\.jpg/);
});
