import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import type { OpenUpload } from '../contract/uploads.ts';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { findViolations } from './axe.ts';
import { chooseFiles, openBatchLabels, signOutWithoutPassword, uploadRow, uploads } from './dashboard.ts';
import { startReverseProxy } from './reverse-proxy.ts';
import { test } from './service.ts';
import { slowDown } from './slow-down.ts';

// Connections are cut, and uploads taken away.
test.use({ expectedErrors: /status of (4\d\d|50\d)|net::ERR_/ });

const offer = (page: Page): Locator => uploads(page).getByRole('group', { name: 'Interrupted uploads' });

/** So slow that nothing large arrives before a test has clicked, bytes per second. */
const crawling = 50_000;

/** A photograph, made so large by data behind its end that it is sent in parts. Returns its content. */
async function makeLargePhoto(file: string, bytes = 20_000_000): Promise<Buffer> {
  await makePhoto(file, plain(30, 90, 200));
  const content = Buffer.concat([await readFile(file), randomBytes(bytes)]);
  await writeFile(file, content);
  return content;
}

test('what a reload interrupts is offered; the same files go on, others are new, the rest can be discarded', async ({
  page,
  service,
}) => {
  const names = ['a.png', 'b.png', 'c.png'];
  for (const [i, name] of names.entries()) await makePhoto(service.file(name), plain(100 * i, 60, 60));
  await service.signInPage();
  await slowDown(page, 1000);
  await page.getByLabel('Files to upload').setInputFiles(names.slice(0, 2).map((name) => service.file(name)));
  await (await openBatchLabels(page)).getByLabel('Tags').fill('sea');
  await expect(uploads(page).getByRole('button', { name: 'Labels sea' })).toBeVisible();
  await expect(uploads(page).getByRole('listitem')).toHaveCount(2);
  await page.reload();
  await expect(uploads(page).getByRole('heading')).toHaveText('2 uploads were interrupted');
  await expect(offer(page)).toContainText('a.png');
  await expect(offer(page)).toContainText('b.png');
  expect(await findViolations(page, { within: '[aria-label=Uploads]' })).toEqual([]);
  await slowDown(page, 50_000_000);
  await chooseFiles(page, [service.file('a.png'), service.file('c.png')]);
  for (const name of ['a.png', 'c.png']) await expect(uploadRow(page, name)).toContainText('Ready');
  await expect(offer(page)).toContainText('b.png');
  await expect(offer(page)).not.toContainText('a.png');
  const { data } = await service.client.get<MediaItem[]>('/media?sort=filename');
  expect(data.map(({ filename, tag_ids }) => [filename, tag_ids.length])).toEqual([
    ['a.png', 1],
    ['c.png', 0],
  ]);
  await offer(page).getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect(offer(page)).toBeHidden();
  await page.reload();
  await expect(page.getByRole('list', { name: 'Media' })).toBeVisible();
  await expect(uploads(page)).toBeHidden();
});

test('what was discarded meanwhile and what another person began is not offered; without storage all is sent', async ({
  page,
  service,
}) => {
  const other = await service.addWorkspace('Newsroom', 'Ben');
  await makeLargePhoto(service.file('large.png'), 8_000_000);
  await service.signInPage();
  const begin = async () => {
    await slowDown(page, 1_000_000);
    await chooseFiles(page, service.file('large.png'));
    await expect.poll(async () => (await listOpen())[0]?.offset ?? 0).toBeGreaterThan(0);
    await slowDown(page, crawling);
  };
  const listOpen = async (client = service.client) => (await client.get<OpenUpload[]>('/uploads')).data;
  await begin();
  await page.reload();
  await expect(offer(page)).toContainText(/are there already and are not sent again/);
  for (const { id } of await listOpen()) await service.client.delete(`/uploads/${id}`);
  await page.reload();
  await expect(page.getByRole('button', { name: /^Account: / })).toBeVisible();
  // Nothing is kept any more: the browser has forgotten it too.
  await expect.poll(() => page.evaluate(countKept)).toBe(0);
  await expect(uploads(page)).toBeHidden();

  await begin();
  await signOutWithoutPassword(page);
  await page.getByText('Sign in with a link instead').click();
  await page.getByLabel('Sign-in link').fill(await service.signInLink(other.id));
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
  await expect(page.getByRole('button', { name: /^Account: / })).toBeVisible();
  await expect(page.getByText('Newsroom').filter({ visible: true })).toBeVisible();
  await expect(uploads(page)).toBeHidden();
  expect(await page.evaluate(countKept)).toBe(0);
  expect(await listOpen(other.client)).toEqual([]);

  await page.addInitScript(() => {
    indexedDB.open = () => {
      throw new DOMException('Blocked.', 'SecurityError');
    };
    const setItem = Reflect.get(Storage.prototype, 'setItem');
    Storage.prototype.setItem = function store(name, text) {
      if (this === localStorage) throw new DOMException('Full.', 'QuotaExceededError');
      setItem.call(this, name, text);
    };
  });
  await page.reload();
  await slowDown(page, 50_000_000);
  await makePhoto(service.file('small.png'), plain(3, 60, 60));
  await chooseFiles(page, service.file('small.png'));
  await expect(uploadRow(page, 'small.png')).toContainText('Ready');
});

/** How many files the page keeps, for the browser to run. */
const countKept = () =>
  new Promise<number>((resolve) => {
    const opened = indexedDB.open('uploads');
    opened.addEventListener('success', () => {
      const counted = opened.result.transaction('files').objectStore('files').count();
      counted.addEventListener('success', () => resolve(counted.result));
    });
  });

test('a connection that breaks, a pause, a reload and changed bytes send nothing again that the service has', async ({
  page,
  service,
}) => {
  await using proxy = await startReverseProxy(service.url);
  const content = await makeLargePhoto(service.file('large.png'));
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  /** Where each part began, and where the service said that it goes on. */
  const began: number[] = [];
  const acknowledged: number[] = [];
  const statuses: number[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') began.push(Number(request.headers()['upload-offset']));
  });
  page.on('response', (response) => {
    statuses.push(response.status());
    const { 'upload-offset': offset } = response.headers();
    if (offset !== undefined) acknowledged.push(Number(offset));
  });
  const row = uploadRow(page, 'large.png');
  await slowDown(page, 2_000_000);
  // In the middle of the second part.
  proxy.cutNext(/^PATCH/, 3_000_000);
  await chooseFiles(page, service.file('large.png'));
  await expect.poll(() => began.length).toBeGreaterThanOrEqual(3);
  expect(began[2]).toBe(began[1]);
  await slowDown(page, crawling);
  await row.getByRole('button', { name: 'Pause large.png' }).click();
  await expect(row).toContainText(/Paused · .* of 20 MB sent/);
  const paused = began.length;
  await row.getByRole('button', { name: 'Resume large.png' }).click();
  await expect.poll(() => began.length).toBeGreaterThan(paused);
  await row.getByRole('button', { name: 'Pause large.png' }).click();
  await page.reload();
  await expect(offer(page)).toContainText(/are there already and are not sent again/);
  const kept = Math.max(...acknowledged);
  const reloaded = began.length;
  await slowDown(page, 100_000_000);
  proxy.changeNext(/^PATCH/, 1);
  await page.getByLabel('Files to upload').setInputFiles(service.file('large.png'));
  await expect(row).toContainText('Ready');
  expect(statuses).toContain(460);
  expect(began[reloaded]).toBeGreaterThanOrEqual(kept);
  // Each part begins where the service was, so none goes back.
  expect(began).toEqual(began.toSorted((a, b) => a - b));
  const [item] = (await service.client.get<MediaItem[]>('/media')).data;
  expect(item?.sha256).toBe(createHash('sha256').update(content).digest('hex'));
  // Nothing is left to be offered.
  await page.reload();
  await expect(page.getByRole('list', { name: 'Media' })).toBeVisible();
  await expect(uploads(page)).toBeHidden();
});

test('what is cancelled, and not taken up again, is nothing that the service keeps', async ({ page, service }) => {
  await using proxy = await startReverseProxy(service.url);
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await makeLargePhoto(service.file('other.png'), 6_000_000);
  await slowDown(page, 200_000);
  await chooseFiles(page, service.file('other.png'));
  await expect(uploadRow(page, 'other.png')).toContainText(/Uploading [1-9]/);
  await uploadRow(page, 'other.png').getByRole('button', { name: 'Cancel' }).click();
  await uploadRow(page, 'other.png').getByRole('button', { name: 'Undo' }).click();
  await expect(uploadRow(page, 'other.png')).toContainText(/Uploading [1-9]/);
  await uploadRow(page, 'other.png').getByRole('button', { name: 'Cancel' }).click();
  await uploads(page).getByRole('button', { name: 'Close uploads' }).click();
  await expect.poll(() => proxy.count(/^DELETE .*\/uploads\//)).toBe(1);
});

test('what arrives changed each time is given up, and the reason is said', async ({ page, service }) => {
  await using proxy = await startReverseProxy(service.url);
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  let refused = 0;
  page.on('response', (response) => (refused += Number(response.status() === 460)));
  await makeLargePhoto(service.file('changed.png'), 6_000_000);
  await page.clock.install();
  proxy.changeNext(/^PATCH/, 9);
  await chooseFiles(page, service.file('changed.png'));
  await expect(async () => {
    const text = await uploadRow(page, 'changed.png').textContent();
    if (text?.includes('Retrying automatically')) await page.clock.fastForward(30_000);
    expect(text).toContain('These bytes were changed on their way');
  }).toPass({ intervals: [50] });
  expect(refused).toBe(9);
});
