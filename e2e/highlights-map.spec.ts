import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import type { MapPoint } from '../contract/highlights.ts';
import type { SearchHit } from '../contract/search.ts';
import { makePhoto, plain, square } from '../packages/media/samples/draw-media.ts';
import { findViolations } from './axe.ts';
import { addFilter, expectPlaying, hits, player } from './dashboard.ts';
import { expectNoLayoutShift, recordLayoutShifts } from './layout-shift.ts';
import { test } from './service.ts';

type Service = Parameters<Parameters<typeof test>[2]>[0]['service'];

const map = (page: Page) => page.getByRole('application', { name: /^Map of/ });

/** The map as the dashboard asks for it, complete. */
const readPoints = async ({ client }: Service): Promise<MapPoint[]> =>
  (await client.get<MapPoint[]>('/media/highlights/map?layout=umap')).data;

/** Eight blue images and one unusual clip. */
async function fill(service: Service): Promise<void> {
  const { client } = service;
  for (let i = 0; i < 8; i++) {
    await makePhoto(service.file(`blue ${i}.png`), plain(20 + 3 * i, 60 + 2 * i, 180));
    await client.upload(service.file(`blue ${i}.png`));
  }
  await service.addVideo('odd.mp4', { scenes: [{ paint: square([250, 240, 30], [120, 0, 90]), seconds: 2 }] });
  await expect.poll(async () => (await client.get<SearchHit[]>('/media/highlights')).data.length).toBe(9);
}

/** Waits until nothing of the map is on its way any more: its groups, and the pictures that can be seen. */
async function waitForMap(page: Page): Promise<void> {
  await expect(page.getByText('Groups are being formed')).toHaveCount(0);
  await expect
    .poll(() =>
      map(page)
        .locator('canvas')
        .evaluate((canvas: HTMLCanvasElement) => Number(canvas.dataset['pictures'])),
    )
    .toBeGreaterThan(0);
}

/** Where a point is drawn: a margin, and both sides filled. */
async function placesOn(page: Page): Promise<(point: MapPoint) => [number, number]> {
  const { x, y, width, height } = (await map(page).locator('canvas').boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  };
  return (point) => [x + 28 + point.x * (width - 56), y + 28 + point.y * (height - 56)];
}

test('the map by pointer: hover shows a clip, a click plays it, a drag selects, and all is in the address', async ({
  page,
  service,
}) => {
  await fill(service);
  await service.signInPage('/highlights');
  await page.getByRole('button', { name: 'Map' }).click();
  await expect(map(page)).toHaveAccessibleName(/^Map of 9 moments/);
  await waitForMap(page);
  const [odd] = (await readPoints(service)) as [MapPoint];
  const placeOf = await placesOn(page);

  await page.mouse.move(...placeOf(odd));
  await expect(page.getByRole('status').filter({ hasText: 'odd.mp4' })).toContainText('0:00.0 – 0:02.0');
  await page.mouse.click(...placeOf(odd));
  await expectPlaying(page, 'odd.mp4');
  await expect(page).toHaveURL(new RegExp(`hit=${odd.chunk_id}`));
  await page.reload();
  await expect(player(page, 'odd.mp4')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Select', exact: true }).click();
  const [left, top] = placeOf(odd);
  await page.mouse.move(left - 20, top - 20);
  await page.mouse.down();
  await page.mouse.move(left + 20, top + 20, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByRole('heading', { name: '1 moment selected' })).toBeVisible();
  await expect(hits(page)).toHaveCount(1);
  await expect(hits(page).first()).toHaveAccessibleName(/Play odd\.mp4/);
  await expect(page).toHaveURL(/box=/);
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 moment selected' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page).not.toHaveURL(/box=/);

  // Magnified, the same clip is elsewhere.
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Fit all' }).click();
  await page.getByRole('button', { name: 'Pan', exact: true }).click();
  // The page was scrolled to the selection meanwhile.
  await page.mouse.move(...(await placesOn(page))(odd));
  await expect(page.getByRole('status').filter({ hasText: 'odd.mp4' })).toBeVisible();
});

test('the map by keyboard, and of one kind', async ({ page, service }) => {
  await fill(service);
  await service.signInPage('/highlights?view=map');
  await map(page).focus();
  await waitForMap(page);
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('status').filter({ hasText: 'odd.mp4' })).toBeVisible();
  await page.keyboard.press('PageDown');
  await expect(page.getByRole('status').filter({ hasText: 'blue' })).toBeVisible();
  // Arrows lead from one blue image to another; some of them lies in one of the directions.
  const tip = page.getByRole('status').filter({ hasText: 'blue' });
  const before = await tip.innerText();
  await expect
    .poll(async () => {
      for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
        await page.keyboard.press(key);
        if ((await page.getByRole('figure').getByRole('status').last().innerText()) !== before) return true;
      }
      return false;
    })
    .toBe(true);
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(player(page, 'odd.mp4')).toBeVisible();
  await page.keyboard.press('Escape');
  await addFilter(page, 'Type: Photos');
  await expect(map(page)).toHaveAccessibleName(/^Map of 8 moments/);
});

test.describe('with an embedder that can describe pictures', () => {
  test.use({ settings: { embedder: 'builtin' } });

  test('the map shows pictures and not dots, names what groups show, and more when it is magnified', async ({
    page,
    service,
  }) => {
    test.setTimeout(600_000);
    const { client } = service;
    await recordLayoutShifts(page);
    // Photographs, each from three sides, so that not all have room at first and groups have something in common.
    const folder = path.join(import.meta.dirname, 'pictures');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg')).slice(0, 19);
    const uploaded = new Set<string>();
    for (const name of names) {
      for (const position of ['west', 'east', 'centre']) {
        const file = service.file(`${position} ${name}`);
        await sharp(path.join(folder, name)).resize(280, 220, { position }).toFile(file);
        // What has this shape already is the same from each side, and stored once.
        uploaded.add((await client.upload(file)).data.id);
      }
    }
    const count = uploaded.size;
    const find = async () => (await client.get<MapPoint[]>('/media/highlights/map')).data.length;
    await expect.poll(find, { timeout: 480_000 }).toBe(count);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await service.signInPage('/highlights?view=map');
    await waitForMap(page);
    await expectNoLayoutShift(page);
    const canvas = map(page).locator('canvas');
    const counts = () =>
      canvas.evaluate(({ dataset }: HTMLCanvasElement) => ({
        shown: Number(dataset['shown']),
        missing: Number(dataset['drawn']) - Number(dataset['pictures']),
      }));
    await expect.poll(async () => (await counts()).missing).toBe(0);
    const { shown } = await counts();
    expect(shown).toBeGreaterThan(12);
    expect(shown).toBeLessThan(count);
    // Dots have the few colours of the theme; photographs have thousands.
    const colours = await canvas.evaluate((element: HTMLCanvasElement) => {
      const pixels = element.getContext('2d')?.getImageData(0, 0, element.width, element.height).data ?? [];
      const found = new Set<number>();
      for (let at = 0; at < pixels.length; at += 4)
        found.add(((pixels[at]! * 256 + pixels[at + 1]!) * 256 + pixels[at + 2]!) >> 2);
      return found.size;
    });
    expect(colours).toBeGreaterThan(3000);

    const coarse = page.locator('[data-map-label="0"]');
    await expect(coarse.first()).toBeVisible();
    const texts = await coarse.allInnerTexts();
    expect(texts.join(', ')).toMatch(/animals|bird|cat|dog|buildings|temple|palace|monument/);
    await expect(page.getByText(/^Groups on the map: \w/)).toBeAttached();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page)).toEqual([]);
    }
    for (let i = 0; i < 2; i++) await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect(page.locator('[data-map-label="1"]').first()).toBeAttached();
    await expect.poll(async () => (await counts()).shown).toBeGreaterThan(shown);
    // The pictures of before need not come again.
    await page.getByRole('button', { name: 'Fit all' }).click();
    await expect.poll(async () => (await counts()).missing).toBe(0);
  });
});

for (const width of [390, 820, 1440]) {
  test(`nothing of the page moves while it loads, ${width} pixels wide`, async ({ page, service }) => {
    await fill(service);
    await service.client.post('/creators', { name: 'Ana' });
    await page.setViewportSize({ width, height: 900 });
    await recordLayoutShifts(page);
    for (const view of ['', '?view=map']) {
      await service.signInPage(`/highlights${view}`);
      if (view === '') await expect(hits(page).first()).toBeVisible();
      else await waitForMap(page);
      await expectNoLayoutShift(page);
    }
  });
}
