import { expect } from '@playwright/test';
import { expectPlaying, hits, searchFor } from './dashboard.ts';
import { makeFilm, picture } from './films.ts';
import { test } from './service.ts';

// With the weights that come with the service.
test.use({ settings: { embedder: 'builtin' } });

test('things are found by what they are, in photographs and at the right seconds of a film', async ({
  page,
  service,
}) => {
  const { client } = service;
  // File names are searched too, so they must not tell.
  const photos = { cat: 'IMG_1.jpg', duck: 'IMG_2.jpg', orchestra: 'IMG_3.jpg' };
  const uploaded = [];
  for (const [name, filename] of Object.entries(photos)) uploaded.push(await client.upload(picture(name), filename));
  const film = { width: 320, height: 214, fps: 10, seconds: 4 };
  await makeFilm(service.file('MOV_1.mp4'), ['dog', 'coffee', 'horses'], film);
  uploaded.push(await client.upload(service.file('MOV_1.mp4')));
  for (const { data } of uploaded) await client.waitUntilIndexed(data.id);
  await service.signInPage();

  const expected: [query: string, hit: RegExp][] = [
    ['cat', /^Show IMG_1\.jpg /],
    ['musicians on a stage', /^Show IMG_3\.jpg /],
    ['duck', /^Show IMG_2\.jpg /],
    ['a dog in the grass', /^Play MOV_1\.mp4 .*0:00\.0 – 0:04\.0/],
    ['food on a table', /^Play MOV_1\.mp4 .*0:04\.0 – 0:08\.0/],
    ['horses on a meadow', /^Play MOV_1\.mp4 .*0:08\.0 – 0:12\.0/],
  ];
  for (const [query, hit] of expected) {
    await searchFor(page, query);
    await expect(page.getByRole('heading', { name: query, exact: true })).toBeVisible();
    await expect(hits(page).first()).toHaveAccessibleName(hit);
  }
  await hits(page).first().click();
  const video = await expectPlaying(page, 'MOV_1.mp4');
  const timeOf = () => video.evaluate((element: HTMLVideoElement) => element.currentTime);
  expect(await timeOf()).toBeGreaterThanOrEqual(7.9);
  // At the end of the scene it stops.
  await expect(video).toHaveJSProperty('paused', true);
  expect(await timeOf()).toBeCloseTo(12, 0);

  // Something is always the nearest; the page says that it is no match.
  await page.keyboard.press('Escape');
  await searchFor(page, 'surfer on a wave');
  await expect(page.getByText('No clear matches. These are the closest results.')).toBeVisible();
  const weaker = page.getByRole('list', { name: 'Weaker matches' });
  await expect(page.getByRole('button', { name: 'Show 6 weaker matches' })).toBeVisible();
  await expect(weaker).toHaveCount(0);
  await page.getByRole('button', { name: 'Show 6 weaker matches' }).click();
  await expect(weaker.getByRole('listitem')).toHaveCount(6);
  await expect(hits(page)).toHaveCount(0);
  await searchFor(page, '🐕');
  await expect(page.getByText('The model does not understand “🐕”')).toBeVisible();
});
