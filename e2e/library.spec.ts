import { expect, type Page } from '@playwright/test';
import { makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { seedItems } from '../server/testing/seed-items.ts';
import {
  addFilter,
  chip,
  chooseFrom,
  expectToast,
  hits,
  mediaCards,
  openDetails,
  pickLabel,
  removeFilter,
  sortBy,
  typeFilter,
} from './dashboard.ts';
import { test } from './service.ts';

/** Holds a page of the dashboard back for longer than addresses wait for the next keystroke. */
const loadSlowly = (page: Page, part: string): Promise<unknown> =>
  page.route(`**/assets/${part}-*`, async (route) => {
    await page.waitForTimeout(600);
    await route.continue();
  });

test('items are selected one by one, as a range and all, filed and deleted', async ({ page, service }) => {
  const { client } = service;
  for (const [i, name] of ['a.png', 'b.png', 'c.png', 'd.png'].entries()) {
    await service.addPhoto(name, plain(60 * i, 90, 200));
  }
  await client.post('/creators', { name: 'Ana Lima' });
  await service.signInPage('/?sort=filename');
  await page.getByRole('checkbox', { name: 'Select a.png' }).click();
  await page.getByRole('checkbox', { name: 'Select c.png' }).click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar.getByText('3 selected')).toBeVisible();
  const assignCreator = async () => {
    await bar.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Set the creator…' }).click();
    await page.getByRole('option', { name: 'Ana Lima' }).click();
    await expectToast(page, '3 items: creator “Ana Lima”.');
  };
  await assignCreator();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect
    .poll(async () => (await client.get('/media?sort=filename')).data)
    .toMatchObject(Array.from({ length: 4 }, () => ({ creator_id: null })));
  await assignCreator();
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();

  await addFilter(page, 'Creator: Ana Lima');
  await expect(page.getByText('3 items', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/creator=/);
  await page.getByRole('checkbox', { name: 'Select b.png' }).click();
  await bar.getByRole('button', { name: 'Select all 3' }).click();
  await expect(bar.getByText('3 selected')).toBeVisible();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing matches these filters' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(mediaCards(page)).toHaveCount(1);
  expect((await client.get('/media')).meta).toMatchObject({ total: 1 });
});

test('names are found as one types, the order is in the address, and the size of pictures stays', async ({
  page,
  service,
}) => {
  for (const name of ['harbour.png', 'hill.png']) {
    await service.addPhoto(name, plain(name.length * 20, 90, 60));
  }
  await service.signInPage();
  await expect(mediaCards(page)).toHaveCount(2);
  await typeFilter(page, 'name');
  await page.getByRole('option', { name: 'Name', exact: true }).click();
  const name = page.getByRole('searchbox', { name: 'Name contains' });
  await name.pressSequentially('harb');
  await expect(mediaCards(page)).toHaveCount(1);
  await expect(page).toHaveURL(/name=harb/);
  await name.press('Enter');
  await expect(chip(page, 'Name: contains “harb”')).toBeVisible();
  await removeFilter(page, 'Name');
  await expect(mediaCards(page)).toHaveCount(2);
  await sortBy(page, 'Name, Z to A');
  await expect(mediaCards(page).first()).toContainText('hill.png');
  await expect(page).toHaveURL(/sort=-filename/);
  const heightOf = async () => (await mediaCards(page).first().boundingBox())?.height ?? 0;
  const before = await heightOf();
  await page.getByRole('slider', { name: 'Size of pictures' }).press('End');
  await expect.poll(heightOf).toBeGreaterThan(2 * before);
  const chosen = await heightOf();
  await page.reload();
  await expect(mediaCards(page).first()).toContainText('hill.png');
  expect(await heightOf()).toBe(chosen);
});

test.describe('a large library', () => {
  // Its items have rows and no files, which the service calls an error.
  test.use({ settings: {}, expectedErrors: /status of (4\d\d|500)|net::ERR_(CONNECTION|SOCKET)/ });

  test('100,000 items: only what can be seen is laid out, any place is gone to at once, and kept', async ({
    page,
    service,
  }) => {
    await service.addPhoto('one.png', plain(10, 120, 200));
    // What is tried here is the page.
    await seedItems(service.db, 100_000);
    await service.signInPage();
    await expect(page.getByText('100,001 items')).toBeVisible();
    await expect(page.getByRole('link', { name: /clip 000001/ })).toBeVisible();
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(height).toBeLessThan(2 ** 24);
    await page.evaluate((top) => window.scrollTo({ top }), height / 2);
    await expect(page.getByRole('link', { name: /clip 050\d\d\d|clip 049\d\d\d/ }).first()).toBeVisible();
    expect(await mediaCards(page).count()).toBeLessThan(120);
    await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
    await expect(page.getByRole('link', { name: /clip 100000/ })).toBeVisible();

    // A range takes what lies in between as well, though it was never shown.
    await page.evaluate(() => window.scrollTo({ top: 0 }));
    await page.getByRole('checkbox', { name: 'Select clip 000001.png' }).click();
    const further = 20 * 200;
    await page.evaluate((top) => window.scrollTo({ top }), further);
    const box = page.getByRole('checkbox', { name: /^Select clip 000[1-9]/ }).first();
    const label = (await box.getAttribute('aria-label')) ?? '';
    const place = Number(/\d{6}/.exec(label)?.[0]);
    await page.getByRole('checkbox', { name: label }).click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selection' });
    await expect(bar.getByText(`${place} selected`)).toBeVisible();
    await page.keyboard.press('Escape');

    await page.evaluate((top) => window.scrollTo({ top }), height / 3);
    const seen = page.getByRole('link', { name: /clip 03\d\d\d\d/ }).nth(8);
    const name = await seen.textContent();
    await seen.click();
    await expect(page.getByRole('heading', { name: name?.replace('image', '') ?? '' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('link', { name: name?.replace('image', '') ?? '' })).toBeInViewport();
  });
});

test('moving over a video goes through its chunks; its page has a timeline, filing and likeness', async ({
  page,
  service,
}) => {
  const scenes = [plain(200, 20, 20), plain(30, 150, 40), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(service.file('trip.mp4'), { scenes });
  await makePhoto(service.file('sea.png'), plain(20, 40, 200));
  const { data } = await service.client.upload(service.file('trip.mp4'));
  await service.client.waitUntilIndexed(data.id);
  await service.addFile('sea.png');
  await service.client.post('/creators', { name: 'Ana Lima' });
  await service.signInPage();
  const card = mediaCards(page).filter({ hasText: 'trip.mp4' });
  const picture = card.getByRole('presentation');
  const poster = await picture.getAttribute('src');
  // A blurred placeholder is shown until the thumbnail has loaded.
  await expect(card.locator('[style*="data:image/png"]')).toBeAttached();
  // A click at once, before the picture under the pointer is that of a chunk, opens the page.
  await page.mouse.move(700, 5);
  await card.click({ position: { x: 210, y: 40 } });
  await expect(page.getByRole('heading', { name: 'trip.mp4', exact: true })).toBeVisible();
  // Later, when the list is old. It is asked for once, though the page that goes read it too.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(...(/\/media\?page=.*/.exec(request.url()) ?? [])));
  await page.clock.setSystemTime(Date.now() + 10_000);
  await page.goBack();
  await card.hover({ position: { x: 210, y: 40 } });
  await expect(picture).toHaveAttribute('src', /chunk-00002/);
  expect(asked).toHaveLength(1);
  await card.hover({ position: { x: 5, y: 40 } });
  await expect(picture).toHaveAttribute('src', /chunk-00000/);
  await page.mouse.move(700, 5);
  await expect(picture).toHaveAttribute('src', poster ?? '');

  // By keyboard the chunks follow each other.
  await page.getByRole('checkbox', { name: 'Select trip.mp4' }).focus();
  await page.keyboard.press('Shift+Tab');
  await expect(card).toBeFocused();
  await expect(picture).toHaveAttribute('src', /chunk-00001/);
  await expect(picture).toHaveAttribute('src', /chunk-00002/);

  await card.click();
  await openDetails(page, 'Scenes');
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await expect(timeline.getByRole('button')).toHaveCount(3);
  await timeline.getByRole('button', { name: 'Go to 0:04.0' }).click();
  await expect(timeline.getByRole('button', { name: 'Go to 0:04.0' })).toHaveAttribute('aria-current', 'time');
  await openDetails(page);
  await pickLabel(page.getByRole('button', { name: /^Creator / }), 'Ana Lima');
  await expect
    .poll(async () => (await service.client.get<{ creator_id: string }>(`/media/${data.id}`)).data.creator_id)
    .not.toBeNull();
  await openDetails(page, 'Scenes');
  // The address follows the player a moment later, which does not lead back from a page that is still loading.
  await loadSlowly(page, 'search-page');
  await timeline.getByRole('button', { name: 'Go to 0:02.0' }).click();
  await timeline.getByRole('button', { name: 'Go to 0:04.0' }).click();
  await chooseFrom(page, 'Playback options', 'Find similar to this moment');
  await expect(page.getByRole('heading', { name: 'Similar to trip.mp4 at 0:04.0' })).toBeVisible();
  await expect(hits(page).nth(0)).toHaveAccessibleName(/^Play trip\.mp4 .*0:04\.0 – 0:06\.0/);
  // The photo of the same sea is nearly the same.
  await expect(page.getByRole('button', { name: '1 similar to trip.mp4' })).toBeVisible();
});

test('a failed item says why and can be tried again', async ({ page, service }) => {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(service.file('broken.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  const { data } = await service.client.upload(service.file('broken.png'));
  await service.client.waitUntilIndexed(data.id);
  await service.signInPage(`/media/${data.id}`);
  await expect(page.getByRole('alert')).toContainText('cannot be decoded');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await service.client.waitUntilIndexed(data.id)).status).toBe('error');
  await expect(page.getByRole('heading', { name: 'This file could not be indexed' })).toBeVisible();
});
