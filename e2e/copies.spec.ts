import { open } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { makeVideo } from '../packages/media/samples/draw-media.ts';
import { scenery } from '../packages/media/testing/draw-scenery.ts';
import { expectToast } from './dashboard.ts';
import { test } from './service.ts';

const shot = (number: number) => ({ paint: scenery(number), seconds: 3 });
const large = { width: 320, height: 180 };
const small = { width: 192, height: 108 };

test('copies are shown beside an item and compared, and the best is kept, which can be undone @phone', async ({
  page,
  service,
}) => {
  const film = await service.addVideo('film.mp4', { scenes: [shot(1), shot(2)], ...large });
  const copy = `film-small with a name as ${'long '.repeat(20)}as it gets.mp4`;
  await service.addVideo(copy, { scenes: [shot(1), shot(2)], ...small });
  await service.addVideo('other.mp4', { scenes: [shot(5), shot(6)], ...small });
  const copies = async () => (await service.client.get<unknown[]>(`/media/${film.id}/copies`)).data.length;
  await expect.poll(copies, { timeout: 30_000 }).toBe(1);

  await service.signInPage('/duplicates');
  const group = page.getByRole('list', { name: 'Groups' }).getByRole('listitem');
  await expect(group).toHaveCount(1);
  await expect(group.getByRole('radio', { name: 'Keep film.mp4', exact: true })).toBeChecked();
  // Also beside a long name on a phone.
  for (const button of await group.getByRole('link', { name: /^Open/ }).all()) await expect(button).toBeInViewport();
  await expect(group.getByRole('button', { name: /^Compare/ })).toBeInViewport();
  await expect(group.getByText(/^Best copy/)).toHaveCount(1);
  await group.getByRole('button', { name: 'Not the same' }).click();
  await expect(page.getByRole('heading', { name: 'No duplicates' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(group).toHaveCount(1);
  await group.getByRole('button', { name: 'Keep this one' }).click();
  await expectToast(page, 'Kept one, and moved 1 item to the trash');
  await expect(page.getByRole('heading', { name: 'No duplicates' })).toBeVisible();
  await page
    .locator('[data-sonner-toast]')
    .filter({ hasText: 'Kept one' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(group).toHaveCount(1);

  await group.getByRole('link', { name: 'Open film.mp4', exact: true }).click();
  const used = page.getByRole('region', { name: 'Also used in' });
  await page.getByRole('button', { name: 'Details' }).click();
  await expect(used.getByRole('link', { name: copy })).toBeVisible();
  await expect(used.getByText(/Another version/)).toBeVisible();
  await used.getByRole('button', { name: `Compare with ${copy}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare' });
  const times = () =>
    dialog.locator('video').evaluateAll((videos) => videos.map((video) => (video as HTMLVideoElement).currentTime));
  await dialog.getByRole('slider', { name: 'Moment of what both show' }).fill('3');
  await expect.poll(async () => (await times()).every((time) => Math.abs(time - 3) < 0.5)).toBe(true);
  await dialog.getByRole('button', { name: 'Play both' }).click();
  await expect.poll(async () => Math.min(...(await times()))).toBeGreaterThan(3.3);
  const [first = 0, second = 0] = await times();
  expect(Math.abs(first - second)).toBeLessThan(0.5);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('a video that is chosen in the search field is found where it is used, or said to be used nowhere', async ({
  page,
  service,
}) => {
  await service.addVideo('film.mp4', { scenes: [shot(1), shot(2)], ...large });
  await makeVideo(service.file('clip.mp4'), { scenes: [shot(2)], ...small });
  await makeVideo(service.file('unknown.mp4'), { scenes: [shot(8)], ...small });
  await service.signInPage('/search');
  await page.getByLabel('Image to search by').setInputFiles(service.file('clip.mp4'));
  await expect(page.getByRole('heading', { name: 'Where clip.mp4 is used' })).toBeVisible();
  const found = page.getByRole('list', { name: 'Items that show the same' }).getByRole('listitem');
  await expect(found).toHaveCount(1, { timeout: 30_000 });
  await expect(found).toContainText('Holds all of it');
  await expect(found.getByRole('link', { name: 'film.mp4' })).toHaveAttribute('href', /\?t=[23]/);
  await page.getByLabel('Image to search by').setInputFiles(service.file('unknown.mp4'));
  await expect(page.getByRole('heading', { name: 'It is used nowhere' })).toBeVisible({ timeout: 30_000 });
  // One that is too large is not sent.
  await (await open(service.file('huge.mkv'), 'w')).truncate(201 * 2 ** 20);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await page.getByLabel('Image to search by').setInputFiles(service.file('huge.mkv'));
  await expect(page.getByRole('heading', { name: 'This video is too large to search by' })).toBeVisible();
  expect(sent.filter((url) => url.includes('/search'))).toEqual([]);
});
