import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { choose } from './dashboard.ts';
import { test } from './service.ts';

test('a moment is shared by a link that strangers can open, until it is revoked', async ({
  page,
  browser,
  service,
}) => {
  const scenes = [plain(200, 20, 20), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 2 }));
  const { id } = await service.addVideo('harbour.mp4', { scenes, width: 160, height: 120 });
  await service.signInPage(`/search?like=${id}`);
  await page
    .getByRole('button', { name: /^Play harbour\.mp4/ })
    .first()
    .click();
  await page.getByRole('dialog', { name: 'harbour.mp4' }).getByRole('button', { name: 'Share' }).click();
  const form = page.getByRole('dialog', { name: 'Share by link' });
  await form.getByLabel('From').fill('nonsense');
  await form.getByRole('button', { name: 'Create link' }).click();
  await expect(form.getByRole('alert')).toContainText('Write times like');
  await form.getByLabel('From').fill('0:02.5');
  await form.getByRole('textbox', { name: 'To' }).fill('0:03.5');
  await form.getByLabel('Title').fill('The blue part');
  await choose(form.getByLabel('Expires after'), '30 days');
  await form.getByRole('button', { name: 'Create link' }).click();
  const created = page.getByRole('dialog', { name: 'Link created' });
  const link = await created.getByRole('textbox', { name: 'Link' }).inputValue();

  // A visitor who is not signed in.
  const context = await browser.newContext();
  const stranger = await context.newPage();
  const asked: string[] = [];
  stranger.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await stranger.goto(link);
  await expect(stranger.getByRole('heading', { name: 'The blue part' })).toBeVisible();
  const video = stranger.locator('video');
  await expect.poll(() => video.evaluate(({ duration }: HTMLVideoElement) => duration)).toBeCloseTo(1, 0);
  await video.evaluate((element: HTMLVideoElement) => element.play());
  await expect.poll(() => video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime)).toBeGreaterThan(0);
  const token = new URL(link).pathname;
  expect(asked.filter((path) => !path.startsWith(token) && path !== '/favicon.ico')).toEqual([]);
  expect(await stranger.content()).not.toContain('harbour');

  await created.getByRole('link', { name: 'All shared links' }).click();
  const rows = page.getByRole('list', { name: 'Shared links' }).getByRole('listitem');
  await expect(rows).toContainText('The blue part');
  await expect(rows).toContainText('by Owner');
  await page.getByRole('button', { name: 'Revoke link to The blue part' }).click();
  await page.getByRole('alertdialog', { name: 'Revoke this link?' }).getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('Nothing is shared.')).toBeVisible();
  await stranger.reload();
  await expect(stranger.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await context.close();
});
