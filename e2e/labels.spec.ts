import { expect, type Page } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { addFilter, expectToast, mediaCards, openDetails, typeFilter } from './dashboard.ts';
import { fillLabels, type Service } from './labelled-items.ts';
import { test } from './service.ts';

test('labels are created where they are chosen, and the focus stays', async ({ page, service }) => {
  const { client } = service;
  const { id } = await service.addPhoto('harbour.png', plain(60, 90, 200));
  await service.signInPage(`/media/${id}`);
  await openDetails(page);
  const creator = page.getByRole('button', { name: /^Creator / });
  await creator.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Ana Lima');
  await expect(page.getByRole('option', { name: 'Create “Ana Lima”' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(creator).toHaveAccessibleName('Creator Ana Lima');
  await expect(creator).toBeFocused();
  const category = page.getByRole('button', { name: /^Category / });
  await category.click();
  await page.getByRole('combobox', { name: 'Find a category' }).fill('Talks');
  await page.getByRole('option', { name: 'Create “Talks”' }).click();
  await expect(category).toHaveAccessibleName('Category Talks');
  const item = async () =>
    (await client.get<{ creator_id: string; category_id: string; tag_ids: string[] }>(`/media/${id}`)).data;
  await expect.poll(async () => (await item()).category_id).not.toBeNull();
  expect((await item()).creator_id).not.toBeNull();

  // A tag, by keyboard: the field keeps the focus for the next one, and the button has it afterwards.
  const addTag = page.getByRole('button', { name: 'Add tag' });
  await addTag.focus();
  await page.keyboard.press('Enter');
  for (const name of ['Sunset', 'sea']) {
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await expectToast(page, `1 item tagged “${name}”.`);
    await expect(page.getByRole('combobox', { name: 'Find a tag' })).toBeFocused();
    await expect(page.getByRole('combobox', { name: 'Find a tag' })).toHaveValue('');
  }
  await page.keyboard.press('Escape');
  await expect(addTag).toBeFocused();
  await expect.poll(async () => (await item()).tag_ids.length).toBe(2);
  // One that is taken away leaves the focus beside it.
  await page.getByRole('button', { name: 'Remove tag Sunset' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await item()).tag_ids.length).toBe(1);
  await expect(page.getByRole('button', { name: 'Remove tag sea' })).toBeFocused();

  // Why it could not be created is said where it was tried.
  await page.route('**/api/v1/tags', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'There are 10,000 tags already.' } } }),
  );
  await addTag.click();
  await page.getByRole('combobox', { name: 'Find a tag' }).fill('storm');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Change tags' }).getByRole('alert')).not.toBeEmpty();
  await expect(page.getByRole('combobox', { name: 'Find a tag' })).toHaveValue('storm');
});

test('the selection gets a tag by keyboard, and the focus stays at the button', async ({ page, service }) => {
  await service.addPhoto('harbour.png', plain(60, 90, 200));
  await service.signInPage();
  await page.getByRole('checkbox', { name: 'Select harbour.png' }).click();
  const tags = page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Tags' });
  await tags.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Sunset');
  await page.keyboard.press('Enter');
  await expectToast(page, '1 item tagged “Sunset”.');
  await expect(tags).toBeFocused();
});

test('all labels are on one page of the settings, which old addresses lead to', async ({ page, service }) => {
  await fillLabels(service);
  await service.signInPage('/settings/tags');
  await expect(page).toHaveURL(/settings\/labels\?kind=tag$/);
  const kinds = page.getByRole('navigation', { name: 'Kinds of labels' });
  for (const [kind, name, address] of [
    ['Collections', 'Trip to Lisbon', /\/collections\//],
    ['Categories', 'Interviews', /\/\?category=/],
    ['Creators', 'Ana Lima', /\/\?creator=/],
    ['Tags', 'Sunset', /\/\?tag=/],
  ] as const) {
    await page.goto(`${service.url}/settings/labels`);
    await kinds.getByRole('link', { name: kind }).click();
    const list = page.getByRole('main').getByRole('list', { name: kind });
    await expect(list.getByRole('listitem')).toContainText('1 item');
    await list.getByRole('link', { name }).click();
    await expect(page).toHaveURL(address);
    await expect(mediaCards(page)).toHaveCount(1);
  }
  await page.goto(`${service.url}/settings/labels?kind=collection`);
  await page.getByRole('button', { name: 'Edit Trip to Lisbon' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Lisbon');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Lisbon', exact: true }).last()).toBeVisible();
  await page.getByRole('button', { name: 'Delete Lisbon' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'Lisbon was deleted.');
  await addFilterStillWorks(page, service);
});

/** What is deleted elsewhere is not offered any more. */
async function addFilterStillWorks(page: Page, service: Service): Promise<void> {
  await page.goto(service.url);
  await typeFilter(page, 'lisbon');
  await expect(page.getByRole('option', { name: /^Collection/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await addFilter(page, 'Tag: Sunset');
  await expect(mediaCards(page)).toHaveCount(1);
}
