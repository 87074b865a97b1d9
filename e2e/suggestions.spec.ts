import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { findViolations } from './axe.ts';
import { mediaCards, searchField, searchFor } from './dashboard.ts';
import { test } from './service.ts';

test('the search field suggests searches of before, labels and files, by keyboard alone @phone', async ({
  page,
  service,
}) => {
  const creator = (await service.client.post<{ id: string }>('/creators', { name: 'Marina Costa' })).data.id;
  await service.client.post('/tags', { name: 'Marina' });
  await service.client.post('/collections', { name: 'Old marina' });
  const { id } = await service.addPhoto('marina-at-dawn.png', plain(215, 25, 25));
  await service.client.patch(`/media/${id}`, { creator_id: creator });
  await service.signInPage();
  await searchFor(page, 'marina red');
  await expect(page.getByRole('heading', { name: 'marina red', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Show marina-at-dawn/ })).toBeVisible();

  await searchField(page).fill('mari');
  const list = page.getByRole('listbox', { name: 'Suggestions' });
  const options = list.getByRole('option');
  await expect(options).toHaveText(['marina red', 'Marina', 'Marina Costa', 'Old marina', 'marina-at-dawn.png']);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findViolations(page, { within: '[role=search]' })).toEqual([]);
  }
  // The focus stays in the field, which names what is chosen.
  for (const place of [0, 1, 2]) {
    await page.keyboard.press('ArrowDown');
    await expect(options.nth(place)).toHaveAttribute('aria-selected', 'true');
    const active = (await searchField(page).getAttribute('aria-activedescendant')) ?? '';
    expect(await options.nth(place).getAttribute('id')).toBe(active);
  }
  await expect(searchField(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`creator=${creator}`));
  await expect(mediaCards(page)).toHaveCount(1);

  // Past the last one is what is typed.
  await searchField(page).fill('marina red');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/search\?q=marina\+red|\/search\?q=marina%20red/);
  // A search of before is taken off the list.
  await searchField(page).fill('marina r');
  await expect(options.first()).toHaveText('marina red');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Delete');
  await expect(list.getByRole('option', { name: 'marina red' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
});

test('words that nobody knows find nothing clearly, and the weaker matches are folded', async ({ page, service }) => {
  for (let i = 0; i < 7; i++) await service.addPhoto(`${i}.png`, plain(30 * i, 200 - 20 * i, 90));
  await service.signInPage('/search?q=red&dedupe=0');
  await expect(page.getByText('1 result · 6 weaker', { exact: true })).toBeVisible();
  const fold = page.getByRole('button', { name: 'Show 6 weaker matches' });
  await expect(fold).toBeVisible();
  await expect(page.getByRole('button', { name: /^Show \d\.png / })).toHaveCount(1);
  await fold.click();
  await expect(page.getByRole('button', { name: /^Show \d\.png Weak match/ })).toHaveCount(6);
  await page.goto(`${service.url}/search?q=xqzt`);
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
});
