import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { findViolations } from './axe.ts';
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
  await form.getByRole('group', { name: 'Expires after' }).getByRole('button', { name: '30 days' }).click();
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
  const others = asked.filter((path) => !path.startsWith(token) && path !== '/favicon.ico');
  // The one script of the page.
  expect(others).toEqual([expect.stringMatching(/^\/assets\/share-page-[\w-]+\.js$/)]);
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

test('a collection with a password is looked at, commented and stored by a guest, and its link is changed', async ({
  page,
  browser,
  service,
}) => {
  const scenes = [{ paint: plain(200, 20, 20), seconds: 2 }];
  const film = await service.addVideo('secret-film.mp4', { scenes, width: 160, height: 120 });
  const photos = [
    await service.addPhoto('secret-beach.png', plain(20, 160, 40), { width: 300, height: 200 }),
    await service.addPhoto('secret-tower.png', plain(20, 40, 160), { width: 200, height: 300 }),
  ];
  const { data } = await service.client.post<{ id: string }>('/collections', { name: 'For the client' });
  for (const { id } of [film, ...photos]) await service.client.post(`/collections/${data.id}/items`, { add: [id] });
  await service.signInPage(`/collections/${data.id}`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Share by link' });
  await form.getByLabel('Title').fill('Harbour, first cut');
  await form.getByLabel('Note').fill('Please look at the middle.');
  await form.getByRole('group', { name: 'Download' }).getByRole('button', { name: 'Viewing copy' }).click();
  await form.getByRole('group', { name: 'Comments' }).getByRole('button', { name: 'Can write' }).click();
  await form.getByLabel('Password').fill('correct horse battery');
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await form.getByRole('button', { name: 'Create link' }).click();
  const created = page.getByRole('dialog', { name: 'Link created' });
  await expect(created).toContainText('Visitors need the password too.');
  const url = await created.getByRole('textbox', { name: 'Link' }).inputValue();

  const context = await browser.newContext();
  const guest = await context.newPage();
  await guest.goto(url);
  await guest.getByLabel('Password').fill('wrong');
  await guest.getByRole('button', { name: 'Open' }).click();
  await expect(guest.getByRole('alert')).toHaveText('This is not the password.');
  await guest.getByLabel('Password').fill('correct horse battery');
  await guest.getByRole('button', { name: 'Open' }).click();
  await expect(guest.getByRole('heading', { name: 'Harbour, first cut' })).toBeVisible();
  await expect(guest.getByText('Please look at the middle.')).toBeVisible();
  await expect(guest.getByText(/3 items · Shared by Owner/)).toBeVisible();
  const pictures = guest.getByRole('list', { name: 'Pictures' }).getByRole('link');
  await expect(pictures).toHaveCount(3);
  for (const colorScheme of ['light', 'dark'] as const) {
    await guest.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findViolations(guest)).toEqual([]);
  }
  const archive = guest.waitForEvent('download');
  await guest.getByRole('link', { name: 'Download all' }).click();
  expect((await archive).suggestedFilename()).toBe('Harbour, first cut.zip');
  // Keys lead from picture to picture and back to all; the browser's Back does too.
  await pictures.nth(1).click();
  await expect(guest.getByText('2 of 3')).toBeVisible();
  await guest.keyboard.press('ArrowRight');
  await expect(guest.getByText('3 of 3')).toBeVisible();
  await guest.goBack();
  await expect(pictures).toHaveCount(3);
  await pictures.first().click();
  await guest.getByLabel('Your name').fill('Client');
  await guest.getByLabel('At').fill('0:01');
  await guest.getByRole('textbox', { name: 'Comment', exact: true }).fill('Too dark <b>here</b>');
  await guest.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(guest.getByRole('region', { name: 'Comments' })).toContainText('Too dark <b>here</b>');
  for (const colorScheme of ['light', 'dark'] as const) {
    await guest.emulateMedia({ colorScheme });
    expect(await findViolations(guest)).toEqual([]);
  }
  await guest.getByRole('link', { name: '0:01' }).click();
  await expect
    .poll(() => guest.locator('video').evaluate(({ currentTime }: HTMLVideoElement) => currentTime))
    .toBeCloseTo(1, 1);
  await guest.getByRole('link', { name: 'Back to all' }).click();
  await expect(pictures).toHaveCount(3);
  expect(await guest.content()).not.toContain('secret');

  await created.getByRole('link', { name: 'All shared links' }).click();
  const row = page.getByRole('list', { name: 'Shared links' }).getByRole('listitem');
  await expect(row).toContainText('3 items');
  await expect(row).toContainText('Password');
  await row.getByRole('button', { name: /^Edit link/ }).click();
  const edit = page.getByRole('dialog', { name: 'Edit link' });
  await edit.getByRole('group', { name: 'Download' }).getByRole('button', { name: 'No' }).click();
  await edit.getByRole('button', { name: 'Remove the password' }).click();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toBeHidden();
  await expect(row).not.toContainText('Password');
  await guest.reload();
  await expect(guest.getByRole('link', { name: 'Download all' })).toHaveCount(0);
  await context.close();
});
