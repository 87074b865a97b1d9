import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import { makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { chooseFiles, expectToast, openBatchLabels, pickLabel, uploadRow, uploads } from './dashboard.ts';
import { startReverseProxy } from './reverse-proxy.ts';
import { test } from './service.ts';
import { slowDown } from './slow-down.ts';

// A test lets an upload fail for a reason that passes.
test.use({ expectedErrors: /status of (4\d\d|50[03])|net::ERR_(CONNECTION|SOCKET)/ });

/** A real video, made so large by data behind its end that sending it takes a while. */
async function makeLargeVideo(file: string): Promise<void> {
  await makeVideo(file, { scenes: [{ paint: plain(30, 90, 200), seconds: 2 }] });
  await writeFile(file, Buffer.concat([await readFile(file), randomBytes(8_000_000)]));
}

test.describe('a service that is stopped', () => {
  test.use({ settings: {} });

  test('the service stops in the middle of an upload and comes back: the file arrives, once', async ({
    page,
    service,
  }) => {
    await makeLargeVideo(service.file('large.mp4'));
    await service.signInPage();
    await slowDown(page, 300_000);
    await chooseFiles(page, [service.file('large.mp4')]);
    await expect(uploads(page).getByText(/^Uploading [1-9]\d?%/)).toBeVisible();
    await service.stop();
    await expect(uploads(page).getByText('Retrying automatically')).toBeVisible();
    await service.restart();
    await slowDown(page, 50_000_000);
    await expect(uploads(page).getByText('Ready', { exact: true })).toBeVisible({ timeout: 60_000 });
    expect((await service.client.get<MediaItem[]>('/media')).data.map(({ filename }) => filename)).toEqual([
      'large.mp4',
    ]);
  });
});

test('uploads are paused and go on; each batch gets what was chosen for it', async ({ page, service }) => {
  const { client } = service;
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Ana Lima' })).data.id;
  const collection = (await client.post<{ id: string }>('/collections', { name: 'Trip to Lisbon' })).data.id;
  await makeLargeVideo(service.file('large.mp4'));
  const photos = ['a.png', 'b.png'].map((name) => service.file(name));
  for (const [i, photo] of photos.entries()) await makePhoto(photo, plain(100 * i, 60, 60));
  await service.signInPage();
  await slowDown(page, 200_000);
  await chooseFiles(page, [service.file('large.mp4')]);
  await expect(uploads(page).getByText(/^Uploading \d+%/)).toBeVisible();
  await uploads(page).getByRole('button', { name: 'Pause all' }).click();
  await expect(uploadRow(page, 'large.mp4').getByText(/^Paused/)).toBeVisible();
  await chooseFiles(page, photos);
  const labels = await openBatchLabels(page);
  await pickLabel(labels.getByLabel('Creator'), 'Ana Lima');
  await pickLabel(labels.getByLabel('Collection'), 'Trip to Lisbon');
  await labels.getByLabel('Tags').fill('sea, holiday,');
  await expect(
    uploads(page).getByRole('button', { name: 'Labels Ana Lima · Trip to Lisbon · sea, holiday' }),
  ).toBeVisible();
  await expect(
    uploads(page)
      .getByRole('listitem')
      .getByText(/^Paused/),
  ).toHaveCount(3);
  expect((await client.get<MediaItem[]>('/media')).data).toEqual([]);
  await slowDown(page, 50_000_000);
  await uploads(page).getByRole('button', { name: 'Resume all' }).click();
  await expect(uploads(page).getByText('Ready', { exact: true })).toHaveCount(3, { timeout: 60_000 });
  const { data } = await client.get<MediaItem[]>('/media?sort=filename');
  expect(data.map(({ creator_id }) => creator_id)).toEqual([creator, creator, null]);
  expect(data.map(({ collection_ids }) => collection_ids)).toEqual([[collection], [collection], []]);
  expect(data.map(({ tag_ids }) => tag_ids.length)).toEqual([2, 2, 0]);
  // The next files can get the same by one press, also a file that the library has.
  await chooseFiles(page, [service.file('large.mp4')]);
  await expect(uploads(page).getByRole('listitem')).toHaveCount(1);
  await labels.getByRole('button', { name: /^As last time: Ana Lima/ }).click();
  const large = async () => (await client.get<MediaItem[]>('/media?q=large')).data[0];
  await expect.poll(async () => (await large())?.tag_ids.length).toBe(2);
  expect(await large()).toMatchObject({ creator_id: creator, collection_ids: [collection] });
});

test('what the service has is not sent again; a folder is taken with all that is in it', async ({ page, service }) => {
  await mkdir(service.file('holiday/day 2'), { recursive: true });
  const names = ['holiday/a.png', 'holiday/day 2/b.png'];
  for (const [i, name] of names.entries()) await makePhoto(service.file(name), plain(100 * i, 60, 60));
  await writeFile(service.file('holiday/.hidden'), 'not meant to be uploaded');
  const known = (await service.addFile('holiday/a.png')).id;
  await service.signInPage();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/media/upload')) sent.push(request.method());
  });
  await page.getByLabel('Folder to upload').setInputFiles(service.file('holiday'));
  await expect(uploads(page).getByRole('listitem')).toHaveCount(2);
  await expect(uploadRow(page, 'a.png')).toContainText('Already in your library');
  await expect(uploadRow(page, 'b.png')).toContainText('Ready');
  expect(sent).toEqual(['POST']);
  await uploadRow(page, 'a.png').getByRole('link', { name: 'Open' }).click();
  await expect(page).toHaveURL(new RegExp(known));
});

test('a full plan says which limit it is', async ({ page, service }) => {
  await service.setPlan('tiny', { name: 'Tiny', media_items: 0 });
  await makePhoto(service.file('a.png'), plain(90, 60, 60));
  await service.signInPage();
  await chooseFiles(page, [service.file('a.png')]);
  const alert = uploads(page).getByRole('alert');
  await expect(alert).toHaveText('The plan is full. Make room, then retry. See what uses the plan');
  // The service says which limit it is.
  await uploads(page).getByRole('button', { name: 'Retry a.png' }).click();
  await expect(alert).toHaveText('The plan Tiny allows 0 media items, and 0 are used. See what uses the plan');
  await service.setPlan('tiny', { media_items: 1 });
  await uploads(page).getByRole('button', { name: 'Retry a.png' }).click();
  await expect(uploads(page).getByText('Ready', { exact: true })).toBeVisible();
});

test('what is no media is not sent, and what the plan has no room for is said before anything is', async ({
  page,
  service,
}) => {
  await service.setPlan('tiny', { name: 'Tiny', media_items: 2 });
  const photos = ['a.png', 'b.png', 'c.png', 'd.png'].map((name) => service.file(name));
  for (const [i, photo] of photos.entries()) await makePhoto(photo, plain(60 * i, 60, 60));
  await writeFile(service.file('notes.txt'), 'only text');
  await writeFile(service.file('budget.pdf'), 'only text');
  await service.signInPage();
  await chooseFiles(page, [...photos, service.file('notes.txt'), service.file('budget.pdf')]);
  await expect(uploads(page).getByText('2 files are no videos, photos or audio')).toBeVisible();
  await expect(uploads(page).getByText('notes.txt, budget.pdf')).toBeVisible();
  await expect(uploads(page).getByText('Ready', { exact: true })).toHaveCount(2);
  await expect(uploads(page).getByText('The plan had room for 2 more items.')).toHaveCount(2);
  expect((await service.client.get<MediaItem[]>('/media?sort=filename')).data.map(({ filename }) => filename)).toEqual([
    'a.png',
    'b.png',
  ]);
  await service.setPlan('tiny', { media_items: 5 });
  // The browser may be wrong: then the service says what it is.
  await uploads(page).getByRole('button', { name: 'Upload anyway' }).click();
  await expect(uploadRow(page, 'notes.txt').getByRole('alert')).toBeVisible();
  await uploadRow(page, 'c.png').getByRole('button', { name: 'Retry c.png' }).click();
  await expect(uploadRow(page, 'c.png')).toContainText('Ready');
});

test('the uploads cover nothing of the page, at any width', async ({ page, service }) => {
  await makePhoto(service.file('a.png'), plain(60, 60, 60));
  await service.signInPage();
  await chooseFiles(page, [service.file('a.png')]);
  await expect(uploads(page).getByText('Ready', { exact: true })).toBeVisible();
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const tray = await page.locator('[data-tray]').boundingBox();
    const main = await page.getByRole('main').boundingBox();
    if (!tray || !main) throw new Error('Neither may be hidden.');
    const isBeside = main.x + main.width <= tray.x;
    const isAbove = main.y + main.height <= tray.y;
    expect(isBeside || isAbove, `${width}`).toBe(true);
  }
});

test('a batch takes few requests, tells how far it is, and can be tried again where that helps', async ({
  page,
  service,
}) => {
  await using proxy = await startReverseProxy(service.url);
  const names = Array.from({ length: 24 }, (_, i) => `${String(i).padStart(2, '0')}.png`);
  for (const [i, name] of names.entries()) {
    await makePhoto(service.file(name), plain(10 * i, 60, 90), { width: 160, height: 120 });
  }
  await writeFile(service.file('notes.mp4'), 'only text');
  const files = [...names, 'notes.mp4'].map((name) => service.file(name));
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  let bytes = 0;
  page.on('requestfinished', async (request) => {
    if (!/\/api\/v1\/media\?/.test(request.url())) return;
    // One that ends as the page closes, after all that is expected, has no sizes any more.
    const sizes = await request.sizes().catch(() => null);
    bytes += sizes?.responseBodySize ?? 0;
  });
  // One of them fails for a reason that passes.
  const full = { success: false, error: { code: 'internal_error', message: 'Something broke.' } };
  let failures = 1;
  proxy.stub((path) =>
    path.endsWith('/media/upload') && failures-- > 0
      ? { status: 500, type: 'application/json', body: JSON.stringify(full) }
      : null,
  );
  const startedAt = Date.now();
  await chooseFiles(page, files);
  const heading = uploads(page).getByRole('heading');
  await expect(heading).toHaveText(/^\d+ of 25/);
  await expect(page).toHaveTitle(/^\(\d+\/25\) /);
  await expect(heading).toHaveText('23 ready · 2 failed', { timeout: 60_000 });
  await expectToast(page, '23 items are ready, 2 failed');
  await uploads(page).getByRole('button', { name: 'Retry 1 failed' }).click();
  await expect(heading).toHaveText('24 ready · 1 failed');
  await expect(page).not.toHaveTitle(/\//);
  const seconds = (Date.now() - startedAt) / 1000;
  // Events tell how far each is: what they do not say is read every three seconds, as the list is.
  expect(proxy.count(/GET \/api\/v1\/events/)).toBe(1);
  expect(proxy.count(/GET \/api\/v1\/media\?ids=/)).toBeLessThan(seconds / 3 + 3);
  expect(proxy.count(/GET \/api\/v1\/media\?(?!ids=)/)).toBeLessThan(seconds / 3 + 5);
  expect(proxy.count(/GET \/api\/v1\/media\/[0-9a-f]/)).toBe(0);
  // A list of 24 items is 27 kB as it is.
  expect(bytes / (proxy.count(/GET \/api\/v1\/media\?/) || 1)).toBeLessThan(9000);
  // Collapsed, also after a reload; what failed is first.
  await expect(uploads(page).getByRole('listitem').first()).toContainText('notes.mp4');
  await uploads(page).getByRole('button', { name: 'Collapse uploads' }).click();
  await expect(uploads(page).getByRole('listitem')).toHaveCount(0);
  await chooseFiles(page, files.slice(0, 2));
  await expect(uploads(page).getByRole('button', { name: 'Expand uploads' })).toBeVisible();
  await expect(uploads(page).getByRole('listitem')).toHaveCount(0);
});

test('all uploads are cancelled at once, after a question', async ({ page, service }) => {
  await makeLargeVideo(service.file('large.mp4'));
  await makePhoto(service.file('a.png'), plain(1, 60, 60));
  await service.signInPage();
  await slowDown(page, 200_000);
  await chooseFiles(page, [service.file('large.mp4'), service.file('a.png')]);
  await expect(uploads(page).getByText(/^Uploading [1-9]\d?%/)).toBeVisible();
  await uploads(page).getByRole('button', { name: 'Cancel all' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText(/^Cancel [12] uploads?\?/);
  await question.getByRole('button', { name: 'Cancel uploads' }).click();
  await expect(uploadRow(page, 'large.mp4')).toContainText('Cancelled');
  await uploads(page).getByRole('button', { name: 'Close uploads' }).click();
  await expect(uploads(page)).toBeHidden();
});

test('the buttons of an empty library hold their words @phone-only', async ({ page, service }) => {
  await service.signInPage();
  const actions = page.getByRole('main').getByRole('button');
  await expect(actions).toHaveCount(2);
  for (const action of await actions.all())
    expect(await action.evaluate((button) => button.scrollWidth - button.clientWidth)).toBeLessThanOrEqual(0);
});
