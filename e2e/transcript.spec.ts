import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { addSegments } from '../server/catalog/texts/text-segments.ts';
import { choose, expectPlaying, openDetails } from './dashboard.ts';
import { test } from './service.ts';

const captions = (page: Page) => page.locator('[data-captions]');
const lines = (page: Page) => page.getByRole('list', { name: 'Transcript' }).getByRole('button');

test('subtitles are read along, jumped to, shown as captions and downloaded', async ({ page, service }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const scenes = [plain(200, 20, 20), plain(30, 150, 40)].map((paint) => ({ paint, seconds: 3 }));
  const { id } = await service.addVideo('trip.mkv', {
    scenes,
    subtitleTracks: [
      {
        language: 'eng',
        lines: [
          { start: 0.4, end: 1.2, text: 'The café is closed' },
          { start: 2, end: 3.4, text: 'The ferry leaves at noon' },
          { start: 4, end: 5.5, text: 'Fish & chips\nfor two' },
        ],
      },
      { language: 'ger', lines: [{ start: 2, end: 3.4, text: 'Die Fähre fährt mittags' }] },
    ],
  });
  const said = Array.from({ length: 900 }, (_, i) => ({ start: i * 4, end: i * 4 + 3, text: `sentence ${i}` }));
  await addSegments(
    service.db,
    { workspace_id: service.workspaceId, id },
    'speech',
    said.map((line) => ({ ...line, language: 'en', box: null, confidence: 0.9 })),
  );
  await service.signInPage();

  // Captions are off until they are switched on, and then there at their seconds.
  await page.goto(`${service.url}/media/${id}?t=2`);
  await openDetails(page, 'Transcript');
  const toggle = page.getByRole('button', { name: 'Captions', exact: true });
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
  await expect(captions(page)).toBeHidden();
  await page.keyboard.press('c');
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
  await expect(captions(page)).toHaveText('The ferry leaves at noon');
  await expect(captions(page)).toHaveAttribute('lang', 'en');
  for (const [moment, time, text] of [
    [1.88, /^1\.8/, null],
    [0.6, /^0\.[56]/, 'The café is closed'],
    [4.2, /^4\.[12]/, 'Fish & chips\nfor two'],
    [5.6, /^5\.[56]/, null],
  ] as const) {
    await page.goto(`${service.url}/media/${id}?t=${moment}`);
    await expect(lines(page)).toHaveCount(3);
    await expect(page.locator('[data-time]')).toHaveAttribute('data-time', time);
    if (text === null) await expect(captions(page)).toBeHidden();
    else await expect.poll(() => captions(page).innerText()).toBe(text);
  }

  // A line plays where it is said, and is marked while it is.
  await expect(lines(page)).toHaveCount(3);
  await lines(page).filter({ hasText: 'The ferry' }).click();
  const video = page.getByLabel('Clip', { exact: true });
  await expect(video).toHaveJSProperty('paused', false);
  await expect(captions(page)).toHaveText('The ferry leaves at noon');
  await expect(lines(page).nth(1)).toHaveAttribute('aria-current', 'true');
  await expect(lines(page).nth(2)).toHaveAttribute('aria-current', 'true');
  await expect(captions(page)).toHaveText('Fish & chips for two');
  await page.keyboard.press('k');
  // By keyboard.
  await lines(page).nth(2).focus();
  await page.keyboard.press('Home');
  await expect(lines(page).nth(0)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(lines(page).nth(0)).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('k');

  await page.getByLabel('Filter: Transcript').fill('CAFE the');
  await expect(lines(page)).toHaveCount(1);
  await expect(lines(page).locator('mark')).toHaveText('The');
  await page.getByLabel('Filter: Transcript').fill('');
  await page.getByRole('button', { name: 'Copy all of the transcript' }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('The café is closed\nThe ferry leaves at noon\nFish & chips for two');

  // An hour of speech is not rendered as a whole, and followed until the user scrolls elsewhere.
  await choose(page.getByLabel('Transcript in'), 'English (recognised)');
  await expect(lines(page).first()).toContainText('sentence 0');
  expect(await lines(page).count()).toBeLessThan(40);
  await lines(page).first().focus();
  await page.keyboard.press('End');
  await expect(lines(page).filter({ hasText: 'sentence 899' })).toBeFocused();
  await page.keyboard.press('PageUp');
  const focused = lines(page).filter({ hasText: 'sentence 891' });
  await expect(focused).toBeFocused();
  // Scrolled away it keeps the focus.
  await page.getByRole('list', { name: 'Transcript' }).hover();
  await page.mouse.wheel(0, -100_000);
  await expect(lines(page).first()).toContainText('sentence 0');
  await expect(focused).toBeFocused();
  await page.keyboard.press('End');
  await page.getByRole('button', { name: 'Follow playback' }).click();
  await expect(lines(page).filter({ hasText: /sentence 0$/ })).toBeInViewport();
  // What a filter leaves is read from its first line.
  await page.getByRole('list', { name: 'Transcript' }).hover();
  await page.mouse.wheel(0, 100_000);
  // The page scrolls some frames later.
  await expect(lines(page).filter({ hasText: 'sentence 899' })).toBeInViewport();
  await page.getByLabel('Filter: Transcript').fill('sentence 7');
  await expect(lines(page).filter({ hasText: /sentence 7$/ })).toBeInViewport();
  await page.getByLabel('Filter: Transcript').fill('');

  // Another language, here and in the player, which remembers it.
  await choose(page.getByLabel('Transcript in'), 'German');
  await expect(lines(page)).toHaveText([/Die Fähre fährt mittags/]);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download captions' }).click();
  await page.getByRole('menuitem', { name: 'SubRip (.srt)' }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe('trip.de.srt');
  expect(await readFile(await file.path(), 'utf8')).toBe(
    '1\r\n00:00:02,000 --> 00:00:03,400\r\nDie Fähre fährt mittags\r\n\r\n',
  );
  await page.goto(`${service.url}/search?q=ferry`);
  // From where it is said; again and again, for a busy machine may miss it.
  await page
    .getByRole('button', { name: /^Subtitle 0:02/ })
    .first()
    .click();
  await expectPlaying(page, 'trip.mkv');
  await page.keyboard.press('r');
  await expect(captions(page)).toHaveText('Die Fähre fährt mittags', { timeout: 10_000 });
  await page.getByRole('button', { name: 'Playback options' }).click();
  await page.getByRole('menuitemradio', { name: 'English', exact: true }).click();
  await expect(captions(page)).toHaveAttribute('lang', 'en', { timeout: 10_000 });
});
