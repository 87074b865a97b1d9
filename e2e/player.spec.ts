import { expect, type Locator, type Page } from '@playwright/test';
import { makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { makeFlashAndBeep } from '../packages/media/testing/flash-and-beep.ts';
import { expectPlaying, hits, player, toggleViewOption } from './dashboard.ts';
import { test } from './service.ts';

test('hits play one after the other, by item or not, and say why they matched', async ({ page, service }) => {
  const scenes = [plain(210, 30, 30), plain(30, 150, 40), plain(200, 20, 20)].map((paint) => ({ paint, seconds: 1.5 }));
  const subtitles = [
    { start: 0.2, end: 1, text: 'The ferries leave the red harbour' },
    { start: 3.2, end: 4, text: 'No ferry today' },
  ];
  await makeVideo(service.file('trip.mkv'), { scenes, subtitles });
  await makePhoto(service.file('berry.png'), plain(215, 25, 25));
  for (const name of ['trip.mkv', 'berry.png']) {
    await service.addFile(name);
  }
  await service.signInPage('/search?q=red+ferry&dedupe=0');
  // Found by a word of the same stem, which is marked in what was said.
  await expect(hits(page).first()).toHaveAccessibleName(/trip\.mkv/);
  const words = page.getByRole('button', { name: /^Subtitle 0:00/ }).first();
  await expect(words.locator('mark').filter({ hasText: 'ferries' })).toBeVisible();

  await toggleViewOption(page, 'Group by file');
  await expect(page).toHaveURL(/group=1/);
  const group = page.getByRole('region', { name: 'trip.mkv' });
  await expect(group.getByRole('button').first()).toHaveAccessibleName(/0:00\.0 – 0:01\.5/);

  await group.getByRole('button').first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('The ferries leave the red harbour')).toBeVisible();
  // Numbers are there for those who look for them.
  await expect(dialog.getByText('Relevance')).toBeHidden();
  await dialog.getByText('Details', { exact: true }).click();
  await expect(dialog.getByText('Relevance')).toBeVisible();
  await expect(dialog.getByText('match (good from 25%, strong from 60%)')).toBeVisible();
  const first = page.url();
  await dialog.getByRole('button', { name: 'Autoplay next' }).click();
  await expect(page).not.toHaveURL(first);
  // Through the pictures as well, to the last hit, where it stays.
  await expect(dialog.getByRole('button', { name: 'Next result', exact: true })).toBeDisabled({ timeout: 40_000 });
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  // The choice is kept for the next clip; looping takes its place.
  await group.getByRole('button').first().click();
  await expect(dialog.getByRole('button', { name: 'Autoplay next' })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('r');
  await expect(dialog.getByRole('button', { name: 'Loop' })).toHaveAttribute('aria-pressed', 'true');
  await expect(dialog.getByRole('button', { name: 'Autoplay next' })).toHaveAttribute('aria-pressed', 'false');
});

/** The time of the frame that is shown, seconds, as the player says it. */
const shownTime = async (scope: Page | Locator): Promise<number> =>
  Number(await scope.locator('[data-time]').getAttribute('data-time'));

test('a clip starts silently, obeys the keys of editors, and remembers sound; an error is said and passes', async ({
  page,
  service,
}) => {
  await makeFlashAndBeep(service.file('beep.mp4'), { videoCodec: 'libx264', audioCodec: 'aac', duration: 4 });
  const { id } = await service.addFile('beep.mp4');
  await service.signInPage();
  const [hit] = (await service.client.search('beep')).data;
  const address = `${service.url}/search?q=beep&hit=${hit?.chunk_id}`;
  await page.goto(address);
  const video = await expectPlaying(page, 'beep.mp4');
  await expect(video).toHaveJSProperty('muted', true);
  const open = player(page, 'beep.mp4');
  await page.keyboard.press('m');
  await expect(video).toHaveJSProperty('muted', false);
  await open.getByLabel('Volume').fill('0.4');
  await expect(video).toHaveJSProperty('volume', 0.4);

  await page.keyboard.press('r');
  await page.keyboard.press('k');
  await expect(video).toHaveJSProperty('paused', true);
  await page.keyboard.press('l');
  await expect(video).toHaveJSProperty('paused', false);
  await page.keyboard.press('l');
  await expect(video).toHaveJSProperty('playbackRate', 2);
  await page.keyboard.press('j');
  await expect(video).toHaveJSProperty('playbackRate', 1);
  await page.keyboard.press('k');
  await open.getByRole('slider', { name: 'Position in the clip' }).fill('2');
  await expect.poll(() => shownTime(open)).toBeCloseTo(2, 1);
  const before = await shownTime(open);
  await page.keyboard.press('.');
  await expect.poll(() => shownTime(open)).toBeCloseTo(before + 0.04, 3);
  await page.keyboard.press(',');
  await expect.poll(() => shownTime(open)).toBeCloseTo(before, 3);
  // Backwards it comes to the start, and stops there.
  await page.keyboard.press('j');
  await expect.poll(() => shownTime(open)).toBe(0);
  await expect(open.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => shownTime(open)).toBeGreaterThan(3.9);
  await page.keyboard.press('f');
  await expect(open.getByRole('button', { name: 'Exit full screen' })).toBeVisible();
  await page.keyboard.press('f');
  await expect(open.getByRole('button', { name: 'Full screen', exact: true })).toBeVisible();

  // This tab was asked for sound; another one is not, and neither forgets how loud.
  await page.reload();
  await expectPlaying(page, 'beep.mp4');
  await expect(video).toHaveJSProperty('muted', false);
  const other = await page.context().newPage();
  await other.goto(address);
  const silent = await expectPlaying(other, 'beep.mp4');
  await expect(silent).toHaveJSProperty('muted', true);
  await expect(silent).toHaveJSProperty('volume', 0.4);
  await other.close();

  // What is played on purpose is heard. A URL that fails is asked for again, and the position stays.
  await page.route(/\/files\//, (route) => route.fulfill({ status: 403 }));
  await page.goto(`${service.url}/media/${id}?t=1.8`);
  await expect(page.getByRole('alert')).toContainText('could not be loaded');
  await page.unroute(/\/files\//);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('alert')).toBeHidden();
  const clip = page.getByLabel('Clip', { exact: true });
  await expect.poll(() => shownTime(page)).toBeGreaterThanOrEqual(1.8);
  await expect(clip).toHaveJSProperty('muted', false);
});
