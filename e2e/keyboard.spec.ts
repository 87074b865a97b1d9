import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { seedItems } from '../server/testing/seed-items.ts';
import { mediaCards } from './dashboard.ts';
import { test } from './service.ts';

// Its items have rows and no files, which the service calls an error.
test.use({ settings: {}, expectedErrors: /status of (4\d\d|500)|net::ERR_(CONNECTION|SOCKET)/ });

test('the library by keyboard alone: one tab stop, arrows, pages, selection of all, open and back, search and result', async ({
  page,
  service,
}) => {
  await service.addPhoto('last.png', plain(10, 120, 200));
  await seedItems(service.db, 260);
  await service.signInPage('/?sort=filename');
  await expect(page.getByText('261 items')).toBeVisible();
  const focused = page.locator('a:focus');
  await expect(mediaCards(page).first()).toBeVisible();
  await page.getByRole('slider', { name: 'Size of pictures' }).focus();
  await page.keyboard.press('Tab');
  await expect(focused).toContainText('clip 000001');
  await page.keyboard.press('ArrowRight');
  await expect(focused).toContainText('clip 000002');
  await page.keyboard.press('ArrowDown');
  const below = await focused.textContent();
  expect(below).not.toContain('clip 000003');
  await page.keyboard.press('ArrowUp');
  await expect(focused).toContainText('clip 000002');
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar.getByText('1 selected')).toBeVisible();

  // The last one was neither laid out nor loaded.
  await page.keyboard.press('End');
  await expect(focused).toContainText('last.png');
  await expect(focused).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Shift+X');
  await expect(bar.getByText('260 selected')).toBeVisible();
  await page.keyboard.press('Control+a');
  await expect(bar.getByText('261 selected')).toBeVisible();
  expect(await page.evaluate(() => getSelection()?.toString())).toBe('');
  await page.keyboard.press('PageUp');
  const there = (await focused.textContent()) ?? '';
  expect(there).not.toContain('last.png');
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  const place = await page.evaluate(() => window.scrollY);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: there.replace('image', '') })).toBeVisible();

  // Back by the link of the page, the filters and the place are those of before.
  await page.getByRole('link', { name: 'Back to the library' }).click();
  await expect(page).toHaveURL(/\/\?sort=filename$/);
  await expect(page.getByRole('link', { name: there.replace('image', '') })).toBeInViewport();
  expect(Math.abs((await page.evaluate(() => window.scrollY)) - place)).toBeLessThan(50);

  // On to a search, its result, the player, and back to the result.
  await page.keyboard.press('/');
  await page.keyboard.type('last');
  await page.keyboard.press('Enter');
  const result = page.getByRole('button', { name: /^Show last\.png/ });
  await expect(result).toBeVisible();
  for (let i = 0; i < 40 && !(await result.evaluate((button) => button === document.activeElement)); i++) {
    await page.keyboard.press('Tab');
  }
  await expect(result).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'last.png' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(result).toBeFocused();

  // The focus goes to the card of a dialog that the address opened as well.
  await page.keyboard.press('Enter');
  await page.reload();
  await expect(page.getByRole('dialog', { name: 'last.png' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(result).toBeFocused();
});
