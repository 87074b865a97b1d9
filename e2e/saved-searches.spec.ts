import { expect } from '@playwright/test';
import { plain } from '../server/samples/draw-media.ts';
import { expectToast, hits } from './dashboard.ts';
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
  await page.getByLabel('Tag', { exact: true }).selectOption('Garden');
  await expect(shown).toHaveCount(1);
  const address = page.url();

  const save = page.getByRole('button', { name: 'Save search' });
  await save.click();
  const name = page.getByRole('dialog', { name: 'Save search' }).getByLabel('Name');
  await expect(name).toHaveValue('red fruit');
  await page.keyboard.type('Garden in red');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Garden in red was saved.');
  await expect(page.getByRole('link', { name: 'Saved', exact: true })).toBeVisible();

  // From the menu, which marks what is shown.
  await page.goto(`${service.url}/highlights`);
  const entry = page.getByRole('list', { name: 'Saved searches' }).getByRole('link', { name: 'Garden in red' });
  await entry.click();
  await expect(shown).toHaveCount(1);
  expect(new URL(page.url()).searchParams.toString().split('&').sort()).toEqual(
    new URL(address).searchParams.toString().split('&').sort(),
  );
  await expect(entry).toHaveAttribute('aria-current', 'page');

  // The same name again is refused in words.
  await page.goto(`${service.url}/search?q=berry`);
  await expect(hits(page).first()).toBeVisible();
  await save.click();
  await name.fill('garden IN red');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('There is a saved search named garden IN red already.');
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Saved searches', exact: true }).click();
  const row = page.getByRole('list', { name: 'All saved searches' }).getByRole('listitem');
  await expect(row).toContainText('Search · “red fruit” · Garden');
  await page.getByRole('button', { name: 'Rename Garden in red' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Berries');
  await page.keyboard.press('Enter');
  await expect(row.getByRole('link', { name: 'Berries' })).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill('berries');
  await expect(page.getByRole('option', { name: 'Berries', exact: true })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'red fruit' })).toBeVisible();

  await page.getByRole('link', { name: 'Saved', exact: true }).click();
  await page.getByRole('button', { name: 'Delete Berries' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No saved searches yet' })).toBeVisible();

  // An image that only this browser has is not saved.
  await page.getByLabel('Image to search by').setInputFiles(service.file('rose.png'));
  await save.click();
  await expectToast(page, 'A search by an uploaded image cannot be saved.');
});
