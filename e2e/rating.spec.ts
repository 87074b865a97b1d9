import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import {
  addFilter,
  chip,
  expectToast,
  mediaCards,
  openDetails,
  removeFilter,
  sortBy,
  typeFilter,
} from './dashboard.ts';
import { test } from './service.ts';

const names = ['a.png', 'b.png', 'c.png', 'd.png'];

test('cards are rated by digits, one and many, and taken back', async ({ page, service }) => {
  const { client } = service;
  for (const [i, name] of names.entries()) await service.addPhoto(name, plain(60 * i, 90, 200));
  const ratings = async () => {
    const { data } = await client.get<{ rating: number }[]>('/media?sort=filename');
    return data.map(({ rating }) => rating);
  };
  await service.signInPage('/?sort=filename');
  await mediaCards(page).first().focus();
  await page.keyboard.press('4');
  await expectToast(page, '1 item: 4 stars.');
  await expect(mediaCards(page).first().getByRole('img', { name: '4 stars' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('2');
  await expect(mediaCards(page).nth(1).getByRole('img', { name: '2 stars' })).toBeVisible();
  expect(await ratings()).toEqual([4, 2, 0, 0]);

  await page.getByRole('checkbox', { name: 'Select b.png' }).click();
  await page.getByRole('checkbox', { name: 'Select d.png' }).click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar.getByText('3 selected')).toBeVisible();
  await page.keyboard.press('5');
  await expectToast(page, '3 items: 5 stars.');
  await expect.poll(ratings).toEqual([4, 5, 5, 5]);
  await page
    .getByRole('listitem')
    .filter({ hasText: '3 items: 5 stars.' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(ratings).toEqual([4, 2, 0, 0]);
  await bar.getByRole('button', { name: '1 star' }).click();
  await expect.poll(ratings).toEqual([4, 1, 1, 1]);
  // A digit that is typed into a field is none of a rating.
  await typeFilter(page, '3');
  await page.getByRole('option', { name: 'Name: contains “3”' }).click();
  await expect(mediaCards(page)).toHaveCount(0);
  expect(await ratings()).toEqual([4, 1, 1, 1]);
});

test('ratings limit and order the library, highlights and searches @phone', async ({ page, service }) => {
  const { client } = service;
  const ids: string[] = [];
  for (const [i, name] of names.entries()) {
    const { id } = await service.addPhoto(name, plain(60 * i, 90, 200));
    ids.push(id);
    if (i > 0) await client.patch(`/media/${id}`, { rating: i });
  }
  await service.signInPage('/');
  await addFilter(page, 'Rating: 2 stars or more');
  await expect(page).toHaveURL(/rating_min=2/);
  await expect(mediaCards(page)).toHaveCount(2);
  await chip(page, /^Rating/).click();
  await page.getByRole('option', { name: 'Not rated' }).click();
  await expect(page).not.toHaveURL(/rating_min/);
  await expect(mediaCards(page)).toHaveCount(1);
  await removeFilter(page, 'Rating');
  await sortBy(page, 'Highest rated first');
  await expect(mediaCards(page).first()).toContainText('d.png');
  await page.goto(new URL('/?rating_min=1&rating_max=2', page.url()).href);
  await expect(chip(page, 'Rating: 1 to 2 stars')).toBeVisible();
  await expect(mediaCards(page)).toHaveCount(2);
  await page.goto(new URL('/highlights?rating_min=3', page.url()).href);
  await expect(page.getByText('1 moment compared')).toBeVisible();
  await page.goto(new URL(`/search?like=${ids[0]}&rating_max=0`, page.url()).href);
  await expect(page.getByText(/^1 result/)).toBeVisible();
});

test('an item is rated by its stars and by digits, while it plays too', async ({ page, service }) => {
  const { client } = service;
  const { id } = await service.addVideo('harbour.mp4', { scenes: [{ paint: plain(20, 60, 200), seconds: 3 }] });
  const rating = async () => (await client.get<{ rating: number }>(`/media/${id}`)).data.rating;
  await service.signInPage(`/media/${id}`);
  await openDetails(page);
  const stars = page.getByRole('group', { name: 'Rating' });
  await stars.getByRole('button', { name: '3 stars' }).click();
  await expect(stars.getByRole('button', { name: '3 stars' })).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(rating).toBe(3);
  await page.keyboard.press('5');
  await expect.poll(rating).toBe(5);
  await page.keyboard.press('k');
  await page.keyboard.press('0');
  await expect.poll(rating).toBe(0);
  await stars.getByRole('button', { name: '2 stars' }).click();
  await expect.poll(rating).toBe(2);
  // The star that is chosen takes the rating away.
  await stars.getByRole('button', { name: '2 stars' }).click();
  await expect.poll(rating).toBe(0);
});
