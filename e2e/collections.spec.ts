import { expect } from '@playwright/test';
import type { Collection } from '../contract/item-groups.ts';
import type { MediaItem } from '../contract/media.ts';
import { plain } from '../packages/media/samples/draw-media.ts';
import { seedItems } from '../server/testing/seed-items.ts';
import { findViolations } from './axe.ts';
import { addFilter, chip, expectToast, mediaCard, mediaCards, openDetails } from './dashboard.ts';
import { test } from './service.ts';

test('items are dragged into collections, tagged together, found by both, and each change can be undone', async ({
  page,
  service,
}) => {
  const { client, url } = service;
  for (const [i, name] of ['a.png', 'b.png', 'c.png'].entries()) await service.addPhoto(name, plain(60 * i, 90, 200));
  await service.signInPage();
  const menu = page.getByRole('navigation', { name: 'Main' });
  const names = async (query: string) =>
    (await client.get<MediaItem[]>(`/media?sort=filename&${query}`)).data.map(({ filename }) => filename);

  // A new collection of the items that are dropped on the button.
  await page.getByRole('checkbox', { name: 'Select a.png' }).click();
  await page.getByRole('checkbox', { name: 'Select b.png' }).click();
  await mediaCard(page, 'b.png').dragTo(menu.getByRole('button', { name: 'New collection' }));
  const dialog = page.getByRole('dialog', { name: 'New collection' });
  await dialog.getByLabel('Name').fill('Lisbon');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expectToast(page, '2 items added to “Lisbon”.');
  // One that is not selected goes alone.
  const lisbon = menu.getByRole('link', { name: 'Lisbon' });
  await mediaCard(page, 'c.png').dragTo(lisbon);
  await expectToast(page, '1 item added to “Lisbon”.');
  const collectionId = (await client.get<{ id: string }[]>('/collections')).data[0]?.id ?? '';
  expect(await names(`collection_id=${collectionId}`)).toEqual(['a.png', 'b.png', 'c.png']);

  // The selection gets a tag that does not exist yet, by keyboard.
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar.getByText('2 selected')).toBeVisible();
  await page.keyboard.press('t');
  await page.getByRole('combobox', { name: 'Find a tag' }).fill('Sunset');
  await page.keyboard.press('Enter');
  await expectToast(page, '2 items tagged “Sunset”.');
  const tagId = (await client.get<{ id: string }[]>('/tags')).data[0]?.id ?? '';
  expect(await names(`tag_id=${tagId}`)).toEqual(['a.png', 'b.png']);
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: 'tagged “Sunset”' });
  await toast.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'Undone.');
  expect(await names(`tag_id=${tagId}`)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();

  // On the page of an item; the backspace key takes the last one away.
  await mediaCard(page, 'c.png').click();
  await openDetails(page);
  await expect(page.getByRole('region', { name: 'Collections' }).getByRole('link', { name: 'Lisbon' })).toBeVisible();
  await page.getByRole('button', { name: 'Add tag' }).click();
  const field = page.getByRole('combobox', { name: 'Find a tag' });
  await field.fill('sun');
  await field.press('Enter');
  const tags = page.getByRole('region', { name: 'Tags' });
  const sunset = tags.getByRole('link', { name: 'Sunset', includeHidden: true });
  await expect(sunset).toBeVisible();
  await expect(field).toHaveValue('');
  await field.press('Backspace');
  await expect(sunset).toBeHidden();
  await field.fill('sunset');
  await field.press('Enter');
  await field.press('Escape');
  await sunset.click();
  await expect(page).toHaveURL(`${url}/?tag=${tagId}`);
  await expect(mediaCards(page)).toHaveCount(1);
  await chip(page, 'Tag: Sunset').click();
  await page.getByRole('option', { name: 'Any tag' }).click();
  await expect(mediaCards(page)).toHaveCount(3);

  // Within the collection, with the same filters, and out of it again.
  await lisbon.click();
  await expect(page.getByRole('heading', { name: 'Lisbon' })).toBeVisible();
  await addFilter(page, 'Tag: Sunset');
  await expect(mediaCards(page)).toHaveCount(1);
  await page.getByRole('checkbox', { name: 'Select c.png' }).click();
  await bar.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Remove from collection' }).click();
  await expectToast(page, '1 item removed from “Lisbon”.');
  await expect(page.getByRole('heading', { name: 'Nothing matches these filters' })).toBeVisible();
  expect(await names(`collection_id=${collectionId}`)).toEqual(['a.png', 'b.png']);
});

test('collections are created, renamed and deleted after a question; tags are merged; a phone has all pages @phone', async ({
  page,
  service,
  isMobile,
}) => {
  const { client, url } = service;
  const photo = await service.addPhoto('a.png', plain(60, 90, 200));
  for (const [i, name] of ['dusk', 'evening'].entries()) {
    const tag = (await client.post<{ id: string }>('/tags', { name })).data;
    if (i === 0) await client.post(`/tags/${tag.id}/items`, { add: [photo.id] });
  }
  await service.signInPage();
  const menu = page.getByRole('navigation', { name: 'Main' });
  await menu.getByRole('link', { name: 'Collections', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No collections yet' })).toBeVisible();
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'New collection' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Lisbon');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'This collection is empty' })).toBeVisible();
  // Its name and its description are changed in place.
  await main.getByRole('heading', { name: 'Lisbon' }).getByRole('button').click();
  await main.getByRole('textbox', { name: 'Name' }).fill('Porto');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Porto' })).toBeVisible();
  await expect(main.getByRole('button', { name: 'Porto' })).toBeFocused();
  await main.getByRole('button', { name: 'Add a description' }).click();
  await main.getByRole('textbox', { name: 'Description' }).fill('Bridges');
  await page.keyboard.press('Control+Enter');
  await main.getByRole('button', { name: 'Bridges' }).click();
  await main.getByRole('textbox', { name: 'Description' }).fill('Never kept');
  await page.keyboard.press('Escape');
  await expect(main.getByRole('button', { name: 'Bridges' })).toBeVisible();
  const [made] = (await client.get<Collection[]>('/collections')).data;
  expect(made).toMatchObject({ name: 'Porto', description: 'Bridges' });
  await main.getByRole('button', { name: 'Delete collection' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No collections yet' })).toBeVisible();
  await page.goto(`${url}/collections/${photo.id}`);
  await expect(page.getByRole('heading', { name: 'There is no such collection' })).toBeVisible();

  if (isMobile) {
    await menu.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog', { name: 'More' }).getByRole('link', { name: 'Settings' }).click();
  } else await menu.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Labels' }).click();
  await page.getByRole('navigation', { name: 'Kinds of labels' }).getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('button', { name: 'Merge dusk' }).click();
  await page.getByRole('dialog', { name: 'Merge dusk' }).getByRole('button', { name: 'Merge' }).click();
  await expectToast(page, 'dusk was merged into evening.');
  await expect(page.getByRole('list', { name: 'Tags' }).getByRole('listitem')).toHaveText([/evening1 item/]);
});

test.describe('a large library', () => {
  test.use({ settings: {} });

  test('all of thousands are tagged by one request, and Undo takes back exactly what it changed', async ({
    page,
    service,
  }) => {
    const { client } = service;
    await service.addPhoto('one.png', plain(10, 120, 200));
    // What is tried here is the page.
    await seedItems(service.db, 2500);
    const { id } = (await client.post<{ id: string }>('/tags', { name: 'Sunset' })).data;
    const before = (await client.get<MediaItem[]>('/media?per_page=10&page=50')).data.map((item) => item.id);
    await client.post(`/tags/${id}/items`, { add: before });
    await service.signInPage();
    await expect(page.getByText('2,501 items')).toBeVisible();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (/\/(?:changes|media|tags|trash)\b/.test(request.url()) && request.method() !== 'GET')
        sent.push(request.url());
      if (request.url().includes('per_page=100&page=1') || request.url().includes('/media/ids'))
        sent.push(request.url());
    });
    await page.keyboard.press('Control+a');
    const bar = page.getByRole('region', { name: 'Selection' });
    await expect(bar.getByText('2,501 selected')).toBeVisible();
    // Nothing was read for it.
    expect(sent).toEqual([]);
    await bar.getByRole('button', { name: 'Tags' }).click();
    await page.getByRole('option', { name: 'Sunset 10' }).click();
    await expectToast(page, '2,491 items tagged “Sunset”.');
    const count = async () => (await client.get<{ media_count: number }>(`/tags/${id}`)).data.media_count;
    expect(await count()).toBe(2501);
    expect(sent.filter((url) => url.endsWith('/changes'))).toHaveLength(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectToast(page, 'Undone.');
    expect(await count()).toBe(10);
    const after = (await client.get<MediaItem[]>(`/media?tag_id=${id}`)).data.map((item) => item.id);
    expect(after).toEqual(before);
  });

  test('single items are taken out of all, and a change is cancelled on its way and undone', async ({
    page,
    service,
  }) => {
    const { client } = service;
    const kept = await service.addPhoto('one.png', plain(10, 120, 200));
    await seedItems(service.db, 100_000);
    await service.signInPage();
    await page.keyboard.press('Control+a');
    const bar = page.getByRole('region', { name: 'Selection' });
    await expect(bar.getByText('100,001 selected')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select one.png' }).click();
    await expect(bar.getByText('100,000 selected')).toBeVisible();
    await expect(page.getByRole('checkbox', { name: 'Select one.png' })).not.toBeChecked();
    await page.keyboard.press('5');
    const toast = page.locator('[data-sonner-toast]');
    await expect(toast.getByRole('progressbar')).toBeVisible();
    await toast.getByRole('button', { name: 'Cancel' }).click();
    await expectToast(page, /^Cancelled\. [\d,]+ items: 5 stars\.$/);
    const rated = async () =>
      (await client.get<MediaItem[], { total: number }>('/media?rating_min=5&per_page=1')).meta.total;
    const until = await rated();
    expect(until).toBeGreaterThan(0);
    expect(until).toBeLessThan(100_000);
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expectToast(page, 'Undone.');
    expect(await rated()).toBe(0);
    expect((await client.get<MediaItem>(`/media/${kept.id}`)).data.rating).toBe(0);
  });
});

test('items of a collection are moved by the mouse and by the keyboard, and back', async ({ page, service }) => {
  const { client } = service;
  const ids: string[] = [];
  for (const [i, name] of ['a.png', 'b.png', 'c.png', 'd.png'].entries())
    ids.push((await service.addPhoto(name, plain(60 * i, 90, 200))).id);
  const { id } = (await client.post<Collection>('/collections', { name: 'Lisbon' })).data;
  for (const media of ids) await client.post(`/collections/${id}/items`, { add: [media] });
  const order = async () =>
    (await client.get<MediaItem[]>(`/media?collection_id=${id}&sort=position`)).data
      .map(({ filename }) => filename[0])
      .join('');
  await service.signInPage(`/collections/${id}`);
  await expect(mediaCards(page)).toHaveCount(4);
  // In front of the first one.
  await mediaCard(page, 'd.png').dragTo(mediaCard(page, 'a.png'), { targetPosition: { x: 6, y: 40 } });
  await expectToast(page, '1 item moved.');
  await expect.poll(order).toBe('dabc');
  await expect(mediaCards(page).first()).toHaveAccessibleName(/d\.png/);

  await mediaCards(page).first().focus();
  await page.keyboard.press('Alt+ArrowRight');
  await expect.poll(order).toBe('adbc');
  await expect(mediaCard(page, 'd.png')).toBeFocused();
  await page.keyboard.press('Alt+End');
  await expect.poll(order).toBe('abcd');
  await page.locator('[data-sonner-toast]').getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(order).toBe('adbc');

  // Another order cannot be changed: there the key does nothing.
  await page.goto(new URL(`/collections/${id}?sort=filename`, page.url()).href);
  await expect(mediaCards(page)).toHaveCount(4);
  await mediaCards(page).first().focus();
  await page.keyboard.press('Alt+End');
  await expect(page).toHaveURL(/sort=filename/);
  expect(await order()).toBe('adbc');
});

test('a selection is one row, also on a phone, and covers nothing; a cover is chosen; the best are collected @phone', async ({
  page,
  service,
}) => {
  const { client } = service;
  const ids: string[] = [];
  for (const [i, name] of ['a.png', 'b.png', 'c.png'].entries())
    ids.push((await service.addPhoto(name, plain(60 * i, 90, 200))).id);
  await client.post('/changes', { items: { ids: ids.slice(0, 2) }, change: { rating: 4 } });
  await service.signInPage('/');
  // By touch a long press selects; the key does so everywhere.
  await mediaCard(page, 'a.png').focus();
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selection' });
  const box = await bar.boundingBox();
  expect(box?.height).toBeLessThanOrEqual(57);
  for (const button of await bar.getByRole('button').all()) {
    if (!(await button.isVisible())) continue;
    const own = await button.boundingBox();
    expect(own && box && own.x >= box.x && own.x + own.width <= box.x + box.width + 1).toBe(true);
  }
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  expect(await findViolations(page)).toEqual([]);
  const lowest = (await mediaCards(page).last().boundingBox()) ?? { y: 0, height: 0 };
  expect(lowest.y + lowest.height).toBeLessThanOrEqual((await bar.boundingBox())?.y ?? 0);
  await page.keyboard.press('Escape');

  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Collect the best…' }).click();
  await expect(page.getByRole('dialog').getByLabel('Name')).toHaveValue('Best of the library');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await expectToast(page, '2 items collected in “Best of the library”.');
  await expect(page.getByRole('heading', { name: 'Best of the library' })).toBeVisible();
  await expect(mediaCards(page)).toHaveCount(2);

  await mediaCard(page, 'b.png').focus();
  await page.keyboard.press('x');
  await bar.getByRole('button', { name: 'More' }).click();
  await expect(page.getByRole('button', { name: 'Use as cover' })).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use as cover' }).click();
  await expectToast(page, 'Cover of “Best of the library” chosen.');
  expect((await client.get<Collection[]>('/collections')).data[0]?.cover_id).toBe(ids[1]);
});
