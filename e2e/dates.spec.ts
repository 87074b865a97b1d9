import { expect } from '@playwright/test';
import { sql } from 'kysely';
import sharp from 'sharp';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { addFilter, chip, mediaCard, mediaCards, openDetails, removeFilter, sortBy } from './dashboard.ts';
import { test } from './service.ts';

test('a photograph says when and where it was taken; the library sorts and filters by that date', async ({
  page,
  service,
}) => {
  const photos = {
    'harbour.jpg': '2026:12:31 23:30:00',
    'hill.jpg': '2026:07:14 10:00:00',
    'old.jpg': '2019:05:01 08:00:00',
  };
  await makePhoto(service.file('plain.png'), plain(60, 90, 200));
  for (const [i, [name, date]] of Object.entries(photos).entries()) {
    await sharp(service.file('plain.png'))
      .resize(320 + i)
      .withExif({
        IFD0: { Make: 'NIKON CORPORATION', Model: 'NIKON D850' },
        IFD2: { DateTimeOriginal: date, OffsetTimeOriginal: '+02:00', LensModel: 'NIKKOR 50mm' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '53/1 30/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '9/1 45/1 0/1' },
      })
      .toFile(service.file(name));
    await service.addFile(name);
  }
  await service.addFile('plain.png');
  await service.signInPage();
  await sortBy(page, 'Date taken, latest first');
  await expect(mediaCards(page)).toHaveText([/31 Dec 2026harbour/, /14 Jul 2026hill/, /1 May 2019old/, /^plain/]);

  // By a year, by days, and without.
  await addFilter(page, 'Date taken: 2026');
  await expect(mediaCards(page)).toHaveText([/harbour/, /hill/]);
  await chip(page, 'Date taken: 2026').click();
  await page.getByRole('dialog', { name: 'Date taken' }).getByLabel('To').fill('2026-12-30');
  await expect(mediaCards(page)).toHaveText([/hill/]);
  await expect(page).toHaveURL(/from=2026-01-01&to=2026-12-30/);
  await page.keyboard.press('Escape');
  await expect(chip(page, 'Date taken: 1 Jan – 30 Dec 2026')).toBeFocused();
  await page.reload();
  await expect(mediaCards(page)).toHaveText([/hill/]);
  await removeFilter(page, 'Date taken');
  await expect(mediaCards(page)).toHaveCount(4);

  await mediaCard(page, 'harbour.jpg').click();
  await openDetails(page);
  const details = page.getByRole('region', { name: 'Details' });
  await expect(details.getByText('31 Dec 2026, 23:30')).toBeVisible();
  await details.getByText('Technical details').click();
  await expect(details.getByText('2026:12:31 23:30:00 · UTC+02:00')).toBeVisible();
  await expect(details.getByText('EXIF DateTimeOriginal')).toBeVisible();
  await expect(details.getByText('NIKON D850')).toBeVisible();
  await expect(details.getByText('53.5000, 9.7500')).toBeVisible();
  const map = details.getByRole('link', { name: 'Show on OpenStreetMap' });
  await expect(map).toHaveAttribute('href', /openstreetmap\.org\/\?mlat=53\.5&mlon=9\.75/);
  await expect(map).toHaveAttribute('rel', 'noreferrer');
  await expect(details.getByText('NIKKOR 50mm')).toBeVisible();
});

test.describe('twenty thousand photographs', () => {
  test.use({ settings: {} });

  test('are grouped by month, and a scrubber leads to each month, by hand and by keys @phone', async ({
    page,
    service,
  }) => {
    await service.addPhoto('one.png', plain(10, 120, 200));
    // A photograph each four hours, back from the middle of 2026: 174 in June, 186 in May. What is tried here is the page.
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
      insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at, details, taken_at)
      select workspace_id, printf('00000000-0000-7000-8000-%012d', i), printf('clip %05d.png', i), type, status, size, mime_type,
        printf('%064d', i), created_at, updated_at, '{}', strftime('%Y-%m-%dT%H:%M:%fZ', '2026-06-30', printf('-%d hours', i * 4))
      from media_items, n`.execute(service.db);
    await service.signInPage('/?view=months');
    await expect(page.getByRole('heading', { name: 'June 2026' })).toBeVisible();
    await expect(page.getByText('174 items')).toBeVisible();
    const scrubber = page.getByRole('slider', { name: 'Go to' });
    await expect(scrubber).toHaveAttribute('aria-valuetext', 'June 2026');
    await scrubber.press('ArrowDown');
    await expect(page.getByRole('heading', { name: 'May 2026' })).toBeInViewport();
    await expect(page.getByText('186 items').first()).toBeInViewport();
    await scrubber.press('PageDown');
    await expect(scrubber).toHaveAttribute('aria-valuetext', 'May 2025');
    await expect(page.getByRole('heading', { name: 'May 2025' })).toBeInViewport();
    await expect(page.getByRole('link', { name: /31 May 2025/ }).first()).toBeInViewport();
    await scrubber.press('End');
    await expect(page.getByRole('heading', { name: 'No date' })).toBeInViewport();
    await expect(mediaCard(page, 'one.png')).toBeInViewport();
    await scrubber.press('ArrowUp');
    await expect(scrubber).toHaveAttribute('aria-valuetext', 'May 2017');

    // Dragged to the middle: the month there, and its items once the hand lets go.
    const box = await scrubber.boundingBox();
    const [x, height] = [(box?.x ?? 0) + 20, page.viewportSize()?.height ?? 0];
    await page.mouse.move(x, (box?.y ?? 0) + (box?.height ?? 0) / 2);
    await page.mouse.down();
    await page.mouse.move(x, height / 2, { steps: 4 });
    await expect(page.locator('p').getByText(/^\w+ 202[1-3]$/)).toBeVisible();
    await page.mouse.up();
    await expect(page.getByRole('link', { name: /clip \d{5}/ }).nth(8)).toBeVisible();
    expect(await mediaCards(page).count()).toBeLessThan(120);
  });
});
