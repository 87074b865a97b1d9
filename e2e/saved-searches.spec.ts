import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { addFilter, chooseMore, expectToast, hits } from './dashboard.ts';
import { test } from './service.ts';

test('a search is saved with its filters, opened from the menu and the palette, renamed and deleted', async ({
  page,
  service,
}) => {
  const { client } = service;
  const { id: kept } = await service.addPhoto('berry.png', plain(215, 25, 25), { width: 160, height: 120 });
  await service.addPhoto('rose.png', plain(200, 40, 60), { width: 160, height: 120 });
  const tag = (await client.post<{ id: string }>('/tags', { name: 'Garden' })).data.id;
  await client.post(`/tags/${tag}/items`, { add: [kept] });
  await service.signInPage('/search?q=red+fruit&dedupe=0');
  const shown = page.getByRole('button', { name: /^Show (berry|rose)\.png/ });
  await expect(shown).toHaveCount(2);
  await addFilter(page, 'Tag: Garden');
  await expect(shown).toHaveCount(1);
  const address = page.url();

  await chooseMore(page, 'Save search');
  const name = page.getByRole('dialog', { name: 'Save search' }).getByLabel('Name');
  await expect(name).toHaveValue('red fruit');
  await page.keyboard.type('Garden in red');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Garden in red was saved.');
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'Saved as Garden in red' })).toBeVisible();
  await page.keyboard.press('Escape');

  // From the menu, which marks what is shown.
  await page.goto(`${service.url}/highlights`);
  const entry = page.getByRole('list', { name: 'Saved searches' }).getByRole('link', { name: 'Garden in red' });
  await entry.click();
  await expect(shown).toHaveCount(1);
  // The highlights may show as many.
  const parametersOf = (url: string) => new URL(url).searchParams.toString().split('&').toSorted();
  await expect.poll(() => parametersOf(page.url())).toEqual(parametersOf(address));
  await expect(entry).toHaveAttribute('aria-current', 'page');

  // The same name again is refused in words.
  await page.goto(`${service.url}/search?q=berry`);
  await expect(hits(page).first()).toBeVisible();
  await chooseMore(page, 'Save search');
  await name.fill('garden IN red');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('There is a saved search named garden IN red already.');
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Saved searches', exact: true }).click();
  const row = page.getByRole('list', { name: 'All saved searches' }).getByRole('listitem');
  await expect(row).toContainText('Search · “red fruit” · Tag: Garden');
  await page.getByRole('button', { name: 'Rename Garden in red' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Berries');
  await page.keyboard.press('Enter');
  await expect(row.getByRole('link', { name: 'Berries' })).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('berries');
  await expect(page.getByRole('option', { name: 'Berries', exact: true })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'red fruit' })).toBeVisible();

  await chooseMore(page, 'Saved as');
  await page.getByRole('button', { name: 'Delete Berries' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No saved searches yet' })).toBeVisible();

  // An image that only this browser has is not saved.
  await page.getByLabel('Image to search by').setInputFiles(service.file('rose.png'));
  await chooseMore(page, 'Save search');
  await expectToast(page, 'A search by an uploaded image cannot be saved.');
});

test('a saved search tells of new matches: the bell, the count in the menu, and what is looked at', async ({
  page,
  service,
}) => {
  await service.addPhoto('dusk.png', plain(30, 40, 90), { width: 160, height: 120 });
  await service.signInPage('/search?q=red&type=image');
  await chooseMore(page, 'Save search');
  const dialog = page.getByRole('dialog', { name: 'Save search' });
  await dialog.getByLabel('Name').fill('Red things');
  await dialog.getByLabel('Tell me about new matches').check();
  await page.keyboard.press('Enter');
  await expectToast(page, 'Red things was saved.');
  const bell = page.getByRole('button', { name: 'Tell me about new matches of Red things' });
  await expect(bell).toHaveAttribute('aria-pressed', 'true');

  await page.goto(`${service.url}/trash`);
  await service.addPhoto('grass.png', plain(40, 150, 40), { width: 160, height: 120 });
  await service.addPhoto('berry.png', plain(215, 25, 25), { width: 160, height: 120 });
  const entry = page.getByRole('list', { name: 'Saved searches' }).getByRole('link', { name: /^Red things/ });
  await expectToast(page, 'New match for “Red things”: berry.png');
  await expect(entry).toHaveAccessibleName('Red things 1 new match');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'berry.png' })).toBeVisible();

  // It is looked at where it is opened.
  await page.keyboard.press('Escape');
  await entry.click();
  await expect(hits(page).first()).toBeVisible();
  await expect(entry).toHaveAccessibleName('Red things');

  // Turned off with the keyboard; a reload finds it so.
  await page.goto(`${service.url}/saved-searches`);
  await bell.focus();
  await page.keyboard.press('Space');
  await expectToast(page, 'New matches of Red things are no longer told.');
  await expect(bell).toHaveAttribute('aria-pressed', 'false');
  await page.reload();
  await expect(bell).toHaveAttribute('aria-pressed', 'false');

  // A view of the library has no bell.
  await page.goto(`${service.url}/?name=berry`);
  await chooseMore(page, 'Save search');
  await expect(dialog.getByLabel('Name')).toHaveValue('berry');
  await expect(dialog.getByLabel('Tell me about new matches')).toHaveCount(0);
});
