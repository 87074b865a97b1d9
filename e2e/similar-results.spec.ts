import { expect } from '@playwright/test';
import { plain, square } from '../packages/media/samples/draw-media.ts';
import { hits, player, pressQuickly } from './dashboard.ts';
import { test } from './service.ts';

test('near-duplicates are hidden behind the best of them and unfold in place, by keyboard too @phone', async ({
  page,
  service,
}) => {
  const paint = square([210, 20, 30], [255, 255, 255]);
  await service.addPhoto('berry.png', paint, { width: 160, height: 120 });
  await service.addPhoto('berry-small.png', paint, { width: 120, height: 90 });
  await service.addPhoto('berry-smaller.png', paint, { width: 80, height: 60 });
  await service.addPhoto('plum.png', plain(120, 20, 60), { width: 160, height: 120 });
  await service.signInPage('/search?q=red+berry');
  await expect(page.getByText(/ 2 similar hidden$/)).toBeVisible();
  const berries = page.getByRole('button', { name: /^Show berry/ });
  await expect(berries).toHaveCount(1);

  const similar = page.getByRole('button', { name: /^2 similar to berry/ });
  const panel = page.getByRole('region', { name: /^Similar to berry/ });
  await similar.click();
  await expect(similar).toHaveAttribute('aria-expanded', 'true');
  const cards = panel.getByRole('button', { name: /^Show berry/ });
  await expect(cards).toHaveCount(2);
  // The state of the view is in its address.
  await page.reload();
  await expect(cards).toHaveCount(2);

  // From the hit through those similar to it, as they stand.
  await berries.first().click();
  await expect(player(page, /^berry/)).toBeVisible();
  const first = page.url();
  await pressQuickly(page, 'ArrowRight', 3);
  await expect(player(page, 'plum.png')).toBeVisible();
  await pressQuickly(page, 'ArrowLeft', 3);
  await expect(page).toHaveURL(first);
  await expect(player(page, /^berry/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(berries.first()).toBeFocused();

  await cards.first().focus();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(similar).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(cards).toHaveCount(2);
  await expect(page).toHaveURL(/similar=/);
});

test('more results follow those that are shown, which stay in their places', async ({ page, service }) => {
  const add = (i: number) =>
    service.addPhoto(`photo-${i}.png`, plain(10 * i, 250 - 9 * i, (67 * i) % 255), { width: 48, height: 32 });
  for (let i = 0; i < 25; i += 5) await Promise.all([0, 1, 2, 3, 4].map((j) => add(i + j)));
  await service.signInPage('/search?q=photo&n=20&dedupe=0');
  await expect(page.getByText(/^Top 20 results/)).toBeVisible();
  const names = () => hits(page).evaluateAll((cards) => cards.map((card) => card.textContent));
  const before = await names();
  const more = page.getByRole('button', { name: 'Show more' });
  await more.scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => window.scrollY);
  expect(scrolled).toBeGreaterThan(0);
  await more.click();
  await expect(page.getByText(/^25 results/)).toBeVisible();
  const after = await names();
  expect(after).toHaveLength(25);
  expect(after.slice(0, 20)).toEqual(before);
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThanOrEqual(scrolled);
  // The keyboard goes on at the first new one.
  await expect(hits(page).nth(20)).toBeFocused();
  await expect(page).toHaveURL(/n=48/);
  await expect(more).toBeHidden();
});
