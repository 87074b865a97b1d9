import { copyFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import sharp from 'sharp';
import { mediaCard } from './dashboard.ts';
import { picture } from './films.ts';
import { test } from './service.ts';

const shown = (page: Page): Locator => page.locator('[data-picture]');
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { name, exact: true });

test('a photo fits, is enlarged to real pixels by wheel, keys and double click, and is dragged within its bounds', async ({
  page,
  service,
}) => {
  await sharp(picture('colosseum')).resize({ width: 3000 }).jpeg({ quality: 70 }).toFile(service.file('large.jpg'));
  const { id } = await service.addFile('large.jpg');
  await service.signInPage(`/media/${id}`);
  const zoom = page.getByRole('status', { name: 'Zoom' });
  const box = async () => (await shown(page).boundingBox())!;
  const stage = (await page.locator('[data-stage]').boundingBox())!;
  await expect.poll(async () => (await box()).width).toBeGreaterThan(900);
  const fit = await box();
  expect(fit.height).toBeLessThanOrEqual(stage.height + 1);
  const density = await page.evaluate(() => devicePixelRatio);
  const natural = () =>
    page.locator('[data-original]').evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth);

  // As long as that is enough a smaller picture is shown.
  const preview = page.getByRole('img', { name: 'large.jpg' });
  await expect(preview).toHaveJSProperty('naturalWidth', 2048);
  await expect(page.locator('[data-original]')).toHaveCount(0);
  await shown(page).dblclick();
  await expect(zoom).toHaveText('100%');
  await expect.poll(natural).toBe(3000);
  expect((await box()).width * density).toBeCloseTo(3000, 0);
  await page.keyboard.press('0');
  await expect.poll(async () => (await box()).width).toBeCloseTo(fit.width, 0);
  // As long as nothing is enlarged the same key is that of the rating; plus, minus and the wheel zoom.
  await page.keyboard.press('+');
  expect((await box()).width).toBeCloseTo(1.5 * fit.width, 0);
  await page.keyboard.press('-');
  await expect.poll(async () => (await box()).width).toBeCloseTo(fit.width, 0);

  // About the pointer: what lies below it stays there.
  const point = { x: stage.x + stage.width / 2 + 150, y: stage.y + stage.height / 2 - 100 };
  const partAt = async () => {
    const { x, y, width, height } = await box();
    return [(point.x - x) / width, (point.y - y) / height];
  };
  const [across = 0, down = 0] = await partAt();
  await page.mouse.move(point.x, point.y);
  await page.mouse.wheel(0, -400);
  await expect.poll(async () => (await box()).width).toBeGreaterThan(2 * fit.width);
  const [after = 0, below = 0] = await partAt();
  expect(after).toBeCloseTo(across, 2);
  expect(below).toBeCloseTo(down, 2);
  // Twice its pixels at most.
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -400);
  await expect(zoom).toHaveText('200%');

  await page.mouse.down();
  await page.mouse.move(point.x + 5000, point.y + 5000, { steps: 5 });
  await page.mouse.up();
  // To its edge and no further.
  await expect.poll(async () => Math.round((await box()).x)).toBe(Math.round(stage.x));
  expect(Math.round((await box()).y)).toBe(Math.round(stage.y));
  await page.getByRole('button', { name: 'Fit' }).click();
  await expect.poll(async () => (await box()).width).toBeCloseTo(fit.width, 0);
});

test('fingers swipe through the list, zoom, hide the bars and go back @phone-only', async ({ page, service }) => {
  for (const name of ['bison', 'clownfish', 'koala']) {
    await copyFile(picture(name), service.file(`${name}.jpg`));
    await service.addFile(`${name}.jpg`);
  }
  await service.signInPage('/?sort=filename');
  await mediaCard(page, /bison/).tap();
  await expect(heading(page, 'bison.jpg')).toBeVisible();
  const client = await page.context().newCDPSession(page);
  const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', points: [number, number][]) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
  const swipe = async (from: [number, number], to: [number, number]) => {
    await touch('touchStart', [from]);
    for (let i = 1; i <= 6; i++) {
      await touch('touchMove', [[from[0] + ((to[0] - from[0]) * i) / 6, from[1] + ((to[1] - from[1]) * i) / 6]]);
    }
    await touch('touchEnd', []);
  };
  await expect(shown(page)).toBeVisible();
  // No filmstrip on a phone that is held upright, and no buttons at the sides.
  await expect(page.getByRole('navigation', { name: 'Filmstrip' })).toBeHidden();
  await swipe([320, 420], [60, 430]);
  await expect(heading(page, 'clownfish.jpg')).toBeVisible();
  await swipe([320, 420], [60, 430]);
  await expect(heading(page, 'koala.jpg')).toBeVisible();
  // There is nothing behind the last one, and a short move is none.
  await swipe([320, 420], [60, 430]);
  await swipe([100, 420], [130, 420]);
  await expect(heading(page, 'koala.jpg')).toBeVisible();
  await expect.poll(async () => Math.round((await shown(page).boundingBox())?.x ?? -1)).toBeGreaterThanOrEqual(0);
  await swipe([60, 420], [320, 430]);
  await expect(heading(page, 'clownfish.jpg')).toBeVisible();

  const width = async () => Math.round((await shown(page).boundingBox())?.width ?? 0);
  const fit = await width();
  await touch('touchStart', [
    [180, 420],
    [210, 420],
  ]);
  for (let i = 1; i <= 5; i++)
    await touch('touchMove', [
      [180 - 10 * i, 420],
      [210 + 10 * i, 420],
    ]);
  await touch('touchEnd', []);
  await expect.poll(width).toBeGreaterThan(2 * fit);
  // What is enlarged is dragged: no step to the next one.
  await swipe([320, 420], [60, 430]);
  await expect(heading(page, 'clownfish.jpg')).toBeVisible();
  await page.touchscreen.tap(195, 420);
  await page.touchscreen.tap(195, 420);
  await expect.poll(width).toBe(fit);

  const bar = page.locator('[data-viewer]').getByRole('button', { name: 'More', exact: true });
  const opacity = () => bar.evaluate((button) => getComputedStyle(button.closest('header')!.parentElement!).opacity);
  await page.touchscreen.tap(195, 420);
  await expect.poll(opacity).toBe('0');
  await page.touchscreen.tap(195, 420);
  await expect.poll(opacity).toBe('1');
  for (const button of await page.locator('[data-viewer] header').locator('button:visible, a:visible').all()) {
    const { width: across = 0, height = 0 } = (await button.boundingBox()) ?? {};
    expect(Math.min(across, height)).toBeGreaterThanOrEqual(44);
  }
  await swipe([195, 300], [200, 620]);
  await expect(page).toHaveURL(/\/\?sort=filename$/);
  await expect(mediaCard(page, /clownfish/)).toBeVisible();
});
