import path from 'node:path';
import { expect } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { startTestService } from '../server/testing/running-service.ts';
import {
  chooseFiles,
  chooseFrom,
  mediaCards,
  openAccount,
  searchFor,
  toggleViewOption,
  turnOnDeveloperMode,
  uploads,
} from './dashboard.ts';
import { test } from './service.ts';

test.describe('a service that is stopped', () => {
  test.use({ settings: {} });

  test('every page reports an unreachable service and recovers by itself when it is back', async ({
    page,
    service,
  }) => {
    await service.addPhoto('berry.png', plain(215, 25, 25));
    await service.signInPage('/search?q=red');
    await expect(page.getByText(/ 1 weaker$/)).toBeVisible();
    // Its menu is there once it was opened.
    await toggleViewOption(page, 'Group by file');
    await service.stop();
    await toggleViewOption(page, 'Hide duplicates');
    const notice = page.getByText('The server cannot be reached. Retrying automatically');
    await expect(notice).toBeVisible();
    await page.getByRole('link', { name: 'Library' }).click();
    await expect(notice).toBeVisible();
    await service.restart();
    await expect(notice).toBeHidden();
    await expect(mediaCards(page)).toHaveCount(1);
  });
});

test('every page shows its request, and the request gives what the page shows', async ({ page, service }) => {
  await makePhoto(service.file('berry.png'), plain(215, 25, 25));
  const { id } = await service.client.waitUntilIndexed(
    (await service.client.upload(service.file('berry.png'))).data.id,
  );
  await turnOnDeveloperMode(page);
  await service.signInPage();
  const addresses = ['/', `/media/${id}`, '/search?q=red+%26+round&group=1', '/highlights', '/highlights?view=map'];
  for (const address of [...addresses, '/workspace', '/settings/labels']) {
    await page.goto(service.url + address);
    if (address.startsWith('/media/')) await chooseFrom(page, 'More', 'View API request');
    else await page.getByRole('button', { name: 'View API request' }).click();
    const dialog = page.getByRole('dialog', { name: 'API request' });
    const command = dialog.getByLabel('Command', { exact: true });
    await expect(command).toContainText('Bearer $KEY');
    await dialog.getByRole('button', { name: 'Include API key' }).click();
    await expect(command).toContainText(`Bearer ${service.key}`);
    const url = /'(http[^']+)'$/.exec((await command.textContent()) ?? '')?.[1] ?? '';
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${service.key}` } });
    expect(answer.status, url).toBe(200);
    if (address.startsWith('/search')) expect(new URL(url).searchParams.get('q')).toBe('red & round');
    await page.keyboard.press('Escape');
  }
  await page.goto(`${service.url}/search?like=${id}`);
  await page.getByRole('button', { name: 'View API request' }).click();
  await expect(page.getByLabel('Command', { exact: true })).toContainText(`-d '{"media_id":"${id}"}'`);
});

test('searches are remembered until they are cleared or one signs out', async ({ page, service }) => {
  await service.addPhoto('berry.png', plain(215, 25, 25));
  await service.signInPage();
  for (const query of ['blue sky', 'red']) {
    await searchFor(page, query);
    await expect(page.getByRole('heading', { name: query, exact: true })).toBeVisible();
    await expect(page.getByText(/ 1 weaker$/)).toBeVisible();
  }
  await page.goto(`${service.url}/search`);
  const recent = page.getByRole('region', { name: 'Recent and saved searches' });
  await expect(recent.getByRole('link')).toHaveText(['red', 'blue sky']);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('option', { name: 'blue sky' }).click();
  await expect(page.getByRole('heading', { name: 'blue sky', exact: true })).toBeVisible();
  // What was not answered is not remembered.
  await expect(page.getByText(/ 1 weaker$/)).toBeVisible();
  await page.goto(`${service.url}/search`);
  await expect(recent.getByRole('link')).toHaveText(['blue sky', 'red']);
  await recent.getByRole('button', { name: 'Clear recent' }).click();
  await expect(recent).toBeHidden();
});

test('the dashboard connects to another service by its URL and key, and refuses a wrong key', async ({
  page,
  service,
}) => {
  await using other = await startTestService();
  await makePhoto(path.join(other.folder, 'elsewhere.png'), plain(30, 160, 60));
  await other.client.waitUntilIndexed((await other.client.upload(path.join(other.folder, 'elsewhere.png'))).data.id);
  await service.signInPage('/settings/connection');
  await page.getByRole('button', { name: 'Connect to another server' }).click();
  const form = page.getByRole('dialog', { name: 'Connect to another server' });
  await form.getByLabel('API URL').fill(`${other.url}/api/v1/`);
  await form.getByLabel('API key').fill('service_wrong');
  await form.getByRole('button', { name: 'Connect' }).click();
  await expect(form.getByRole('alert')).toContainText('key');
  await form.getByLabel('API key').fill(other.key);
  await form.getByRole('button', { name: 'Connect' }).click();

  await expect(mediaCards(page)).toHaveCount(1);
  await expect(mediaCards(page).first()).toContainText('elsewhere.png');
  const picture = mediaCards(page).first().getByRole('presentation');
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await searchFor(page, 'green');
  await expect(page.getByText(/ 1 weaker$/)).toBeVisible();
  await makePhoto(service.file('new.png'), plain(90, 20, 120));
  await chooseFiles(page, service.file('new.png'));
  await expect(uploads(page).getByText('Ready', { exact: true })).toBeVisible();
  expect((await other.client.get('/media')).meta).toMatchObject({ total: 2 });
  expect((await service.client.get('/media')).meta).toMatchObject({ total: 0 });

  await expect(page.getByRole('button', { name: /^Account: / })).toContainText(new URL(other.url).host);
  await openAccount(page);
  await page.getByRole('link', { name: 'Connection' }).click();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
});
