import { expect } from '@playwright/test';
import { makePhoto, makeVideo, plain } from '../server/samples/draw-media.ts';
import { hits } from './dashboard.ts';
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
  await service.signInPage();
  await page.goto(`${service.url}/search?q=red+ferry&dedupe=0`);
  // Found by a word of the same stem, which is marked in what was said.
  await expect(hits(page).first()).toHaveAccessibleName(/trip\.mkv/);
  await expect(hits(page).first().locator('mark').filter({ hasText: 'ferries' })).toBeVisible();

  await page.getByRole('button', { name: 'Group by file' }).click();
  await expect(page).toHaveURL(/group=1/);
  const group = page.getByRole('region', { name: 'trip.mkv' });
  await expect(group.getByRole('button').first()).toHaveAccessibleName(/0:00\.0 – 0:01\.5/);

  await group.getByRole('button').first().click();
  const player = page.getByRole('dialog');
  await expect(player.getByText('The ferries leave the red harbour')).toBeVisible();
  await expect(player.getByText('Relevance')).toBeVisible();
  const first = page.url();
  await player.getByRole('button', { name: 'Autoplay next' }).click();
  await expect(page).not.toHaveURL(first);
  // Through the pictures as well, to the last hit, where it stays.
  await expect(player.getByRole('button', { name: 'Next result', exact: true })).toBeDisabled({ timeout: 40_000 });
  await page.keyboard.press('Escape');
  await expect(player).toBeHidden();

  // The choice is kept for the next clip; looping takes its place.
  await group.getByRole('button').first().click();
  await expect(player.getByRole('button', { name: 'Autoplay next' })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('r');
  await expect(player.getByRole('button', { name: 'Loop' })).toHaveAttribute('aria-pressed', 'true');
  await expect(player.getByRole('button', { name: 'Autoplay next' })).toHaveAttribute('aria-pressed', 'false');
});
