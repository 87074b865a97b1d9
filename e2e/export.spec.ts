import { readFile, writeFile } from 'node:fs/promises';
import { expect, type Download, type Page } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { makeNumbered, readNumbers } from '../packages/media/testing/numbered-frames.ts';
import { readZip } from '../server/testing/read-zip.ts';
import { findViolations } from './axe.ts';
import { hits, mediaCards, player, searchFor } from './dashboard.ts';
import { test } from './service.ts';

const basketButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Basket/ });
const basket = (page: Page) => page.getByRole('dialog', { name: 'Basket' });
const names = (page: Page) =>
  basket(page)
    .getByRole('textbox')
    .evaluateAll((fields) =>
      fields.map((field) => (field as HTMLInputElement).value || field.getAttribute('placeholder')),
    );

/** Expects that axe finds nothing in what is open, in both themes. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findViolations(page, { within: '[role=dialog]' }), colorScheme).toEqual([]);
  }
}

/** Presses a button of a dialog, and reads the file that it makes. */
async function exportBy(page: Page, press: () => Promise<void>): Promise<{ name: string; data: Buffer }> {
  const download: Promise<Download> = page.waitForEvent('download');
  await press();
  const file = await download;
  return { name: file.suggestedFilename(), data: await readFile(await file.path()) };
}

test('moments of several searches are collected, put in order and exported', async ({ page, service }) => {
  await service.addVideo('red.mp4', { scenes: [{ paint: plain(200, 20, 20), seconds: 2 }] });
  await service.addVideo('blue.mp4', { scenes: [{ paint: plain(20, 30, 200), seconds: 2 }] });
  await service.signInPage();
  await searchFor(page, 'red');
  await page.getByRole('button', { name: 'In the basket: red.mp4' }).click();
  await searchFor(page, 'blue');
  await hits(page).filter({ hasText: 'blue.mp4' }).click();
  await player(page, 'blue.mp4').press('b');
  await expect(player(page, 'blue.mp4').getByRole('button', { name: 'In basket' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(basketButton(page)).toHaveAccessibleName('Basket, 2 moments');

  await page.reload();
  await basketButton(page).click();
  await expect(basket(page)).toContainText('2 moments · 0:04');
  expect(await names(page)).toEqual(['red.mp4', 'blue.mp4']);
  await expectAccessible(page);
  await basket(page).getByRole('textbox').first().fill('Red & <hot>');
  await page.keyboard.press('Enter');
  await basket(page).getByRole('button', { name: 'Move down: Red & <hot>' }).press('Alt+ArrowDown');
  expect(await names(page)).toEqual(['blue.mp4', 'Red & <hot>']);
  await basket(page).locator('[draggable]').nth(1).dragTo(basket(page).getByRole('listitem').first());
  expect(await names(page)).toEqual(['Red & <hot>', 'blue.mp4']);

  const project = await exportBy(page, () => basket(page).getByRole('button', { name: 'FCPXML' }).click());
  expect(project.name).toBe('Basket.fcpxml');
  const clips = await page.evaluate((text) => {
    const xml = new DOMParser().parseFromString(text, 'application/xml');
    return [...xml.querySelectorAll('parsererror, asset-clip')].map((clip) => clip.getAttribute('name'));
  }, project.data.toString());
  expect(clips).toEqual(['Red & <hot>', 'blue.mp4']);
  const archive = await exportBy(page, () => basket(page).getByRole('button', { name: 'Download clips' }).click());
  expect((await readZip(archive.data)).map(({ name }) => name)).toEqual([
    'Red & _hot_.mp4',
    expect.stringMatching(/^blue .*\.mp4$/),
  ]);

  await basket(page).getByRole('button', { name: 'Clear' }).click();
  await expect(basket(page)).toContainText('The basket is empty');
  await basket(page).getByRole('button', { name: 'Undo clear' }).click();
  expect(await names(page)).toEqual(['Red & <hot>', 'blue.mp4']);
  await page.goto(service.url);
  await expect(mediaCards(page)).toHaveCount(2);
  await page.keyboard.press('Control+a');
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'More' }).click();
  const originals = await exportBy(page, () => page.getByRole('button', { name: 'Download ZIP' }).click());
  expect((await readZip(originals.data)).map(({ name }) => name).toSorted()).toEqual(['blue.mp4', 'red.mp4']);
  // Deleting an item elsewhere does not take it out of the basket.
  const { data: items } = await service.client.get<{ id: string; filename: string }[]>('/media');
  await service.client.delete(`/media/${items.find(({ filename }) => filename === 'red.mp4')?.id}`);
  await page.reload();
  await basketButton(page).click();
  await expect(basket(page).getByRole('listitem').first()).toContainText('Deleted from the library');
  await expect(basket(page)).toContainText('2 moments · 0:02');
});

test('a clip is cut to the frame that is shown', async ({ page, service }) => {
  await makeNumbered(service.file('film.mp4'), 50);
  const { id } = await service.addFile('film.mp4');
  await service.signInPage(`/media/${id}?t=0.4`);
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Export clip' });
  await expect(dialog.getByLabel('Start', { exact: true })).toHaveValue('0:00.400');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Start: one frame later' }).click();
  await expect(dialog.getByLabel('Start', { exact: true })).toHaveValue('0:00.440');
  const preview = dialog.getByLabel('Preview of the clip');
  await preview.evaluate(
    (video: HTMLVideoElement) =>
      new Promise((resolve) => {
        video.addEventListener('seeked', resolve, { once: true });
        video.currentTime = 1.22;
      }),
  );
  await dialog.getByRole('button', { name: 'End: one frame later' }).press('o');
  await expect(dialog.getByLabel('End', { exact: true })).toHaveValue('0:01.240');
  const clip = await exportBy(page, () => dialog.getByRole('button', { name: 'Export', exact: true }).click());
  await expect(dialog.getByText(/^Downloading film .*re-encoded$/)).toBeVisible();
  await writeFile(service.file('clip.mp4'), clip.data);
  expect((await readNumbers(service.file('clip.mp4'))).numbers).toEqual(Array.from({ length: 20 }, (_, i) => 11 + i));
  // What cannot be is said before it is tried.
  await dialog.getByRole('button', { name: 'GIF' }).click();
  await expect(dialog.getByText(/at most 480 pixels/)).toBeVisible();
  const gif = await exportBy(page, () => dialog.getByRole('button', { name: 'Export', exact: true }).click());
  expect(gif.name).toMatch(/\.gif$/);
});
