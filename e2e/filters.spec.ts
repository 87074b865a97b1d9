import { mkdir } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { allFilters, itemFilters } from '../contract/fields.ts';
import { addSource } from '../server/catalog/sources/sources.ts';
import { findViolations } from './axe.ts';
import { chip, filterBar, mediaCards, openDetails, removeFilter, typeFilter } from './dashboard.ts';
import { fillLabels } from './labelled-items.ts';
import { expectNoLayoutShift, recordLayoutShifts } from './layout-shift.ts';
import { test } from './service.ts';

/** What is typed for a value of each filter, its entry, and the parameters that it sets; `ID` stands for an identifier. */
const typed: Record<string, { type: string; option: string; url: Record<string, string> }> = {
  Creator: { type: 'ana', option: 'Creator: Ana Lima', url: { creator: 'ID' } },
  Category: { type: 'interv', option: 'Category: Interviews', url: { category: 'ID' } },
  Type: { type: 'photo', option: 'Type: Photos', url: { type: 'image' } },
  Collection: { type: 'lisbon', option: 'Collection: Trip to Lisbon', url: { collection: 'ID' } },
  Tag: { type: 'sunset', option: 'Tag: Sunset', url: { tag: 'ID' } },
  'Date taken': { type: '2019', option: 'Date taken: 2019', url: { from: '2019-01-01', to: '2019-12-31' } },
  Status: { type: 'failed', option: 'Status: Failed', url: { status: 'error' } },
  Name: { type: 'harb', option: 'Name: contains “harb”', url: { name: 'harb' } },
  Rating: { type: '5 stars', option: 'Rating: 5 stars', url: { rating_min: '5' } },
  Review: { type: 'approved', option: 'Review: Approved', url: { review: 'approved' } },
  Orientation: { type: 'portrait', option: 'Orientation: Portrait', url: { orientation: 'portrait' } },
  Camera: { type: 'gopro', option: 'Camera: contains “gopro”', url: { camera: 'gopro' } },
  Place: { type: 'lisb', option: 'Place: contains “lisb”', url: { place: 'lisb' } },
  Source: { type: 'nas', option: 'Source: NAS', url: { source: 'ID' } },
  Resolution: { type: '1080p', option: 'Resolution: 1080p (HD)', url: { resolution: '1080p' } },
  'Frame rate': { type: '30 fps', option: 'Frame rate: 30 fps', url: { frame_rate_min: '29', frame_rate_max: '30.5' } },
  Sound: { type: 'without s', option: 'Sound: Without sound', url: { sound: 'no' } },
  Codec: { type: 'hevc', option: 'Codec: contains “hevc”', url: { codec: 'hevc' } },
  Lens: { type: '50mm', option: 'Lens: contains “50mm”', url: { lens: '50mm' } },
  Area: { type: '53.55, 9.99', option: 'Area: within 10 km of 53.55, 9.99', url: { near: '53.55,9.99,10' } },
  Length: { type: '1 to 5 min', option: 'Length: 1 to 5 minutes', url: { duration_min: '60', duration_max: '300' } },
};

const parameters = (page: Page): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);

/** Folders are walked to, not typed: `sources.spec.ts` tests them. */
const labelsOf = (filters: typeof allFilters) => [
  ...new Set(
    filters
      .filter(({ operator }) => operator !== 'within')
      .map(({ field }) => (field.kind === 'sorted' ? '' : field.label)),
  ),
];

test('every filter of the table is set by typing and taken away by its chip, on the library and on searches', async ({
  page,
  service,
}) => {
  await fillLabels(service);
  await mkdir(service.file('nas'));
  const place = { kind: 'folder', location: service.file('nas'), managed: true } as const;
  await addSource(service.db, service.workspaceId, { name: 'NAS', ...place, include: [], exclude: [] });
  for (const [address, filters] of [
    ['/', allFilters],
    ['/search?q=blue', itemFilters],
    ['/highlights', itemFilters],
  ] as const) {
    await service.signInPage(address);
    const before = parameters(page);
    for (const label of labelsOf(filters)) {
      const { type, option, url } = typed[label] ?? { type: '', option: '', url: {} };
      await typeFilter(page, type);
      await page.getByRole('option', { name: option }).first().click();
      await expect(chip(page, option), label).toBeVisible();
      await expect
        .poll(() => parameters(page), label)
        .toEqual({
          ...before,
          ...Object.fromEntries(
            Object.entries(url).map(([name, value]) => [
              name,
              value === 'ID' ? expect.stringMatching(/^[\w-]{36}$/) : value,
            ]),
          ),
        });
      await removeFilter(page, label);
      await expect(chip(page, new RegExp(`^${label}:`)), label).toHaveCount(0);
      await expect.poll(() => parameters(page), label).toEqual(before);
    }
  }
});

test('filters are added, changed and taken away by keyboard alone, and the focus is never lost', async ({
  page,
  service,
}) => {
  await fillLabels(service);
  await service.signInPage();
  await expect(mediaCards(page)).toHaveCount(2);
  const add = filterBar(page).getByRole('button', { name: 'Filter', exact: true });
  // A value by its name.
  await page.keyboard.press('f');
  await expect(page.getByRole('combobox', { name: 'Add filter' })).toBeFocused();
  await page.keyboard.type('ana');
  await page.keyboard.press('Enter');
  await expect(chip(page, 'Creator: Ana Lima')).toBeVisible();
  await expect(add).toBeFocused();
  await expect(mediaCards(page)).toHaveCount(1);
  // A filter, then one of its values.
  await page.keyboard.press('f');
  await page.keyboard.type('rat');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Rating' })).toBeFocused();
  // Backspace leads back to all of them.
  await page.keyboard.press('Backspace');
  await expect(page.getByRole('combobox', { name: 'Add filter' })).toBeFocused();
  await page.keyboard.type('rat');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(chip(page, 'Rating: 4 stars or more')).toBeVisible();
  await expect(add).toBeFocused();
  // Changed in place.
  await page.keyboard.press('Tab');
  await expect(chip(page, 'Creator: Ana Lima')).toBeFocused();
  await chip(page, /^Rating/).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Rating' })).toBeVisible();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await expect(chip(page, 'Rating: 5 stars')).toBeFocused();
  // Escape changes nothing.
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await expect(chip(page, 'Rating: 5 stars')).toBeFocused();
  // Backspace in the list is not for the chip behind it.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Escape');
  await expect(chip(page, 'Rating: 5 stars')).toBeFocused();
  await page.keyboard.press('Backspace');
  await expect(chip(page, 'Creator: Ana Lima')).toBeFocused();
  await page.keyboard.press('Delete');
  await expect(add).toBeFocused();
  await expect(mediaCards(page)).toHaveCount(2);
  expect(parameters(page)).toEqual({});
  // A letter that is typed somewhere is for that.
  await page.getByRole('combobox', { name: 'Search' }).focus();
  await page.keyboard.type('f');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('ranges of one’s own, what is wrong with them, and all filters at once away', async ({ page, service }) => {
  await fillLabels(service);
  await service.signInPage('/?type=image&rating_min=1');
  await chip(page, 'Rating: 1 star or more').click();
  const panel = page.getByRole('dialog', { name: 'Rating' });
  const [least, most] = [panel.getByLabel('At least'), panel.getByLabel('At most')];
  await most.fill('9');
  await expect(panel.getByText('Whole numbers from 0 to 5.')).toBeVisible();
  await most.press('Enter');
  await expect(panel).toBeVisible();
  await least.fill('3');
  await most.fill('2');
  await expect(panel.getByText('The first is the smaller one.')).toBeVisible();
  await most.fill('4');
  await most.press('Enter');
  await expect(chip(page, 'Rating: 3 to 4 stars')).toBeFocused();
  await expect(page.getByRole('heading', { name: 'Nothing matches these filters' })).toBeVisible();
  // Both emptied: the filter goes.
  await chip(page, /^Rating/).click();
  await least.fill('');
  await most.fill('');
  await panel.getByRole('button', { name: 'Apply' }).click();
  await expect(chip(page, /^Rating/)).toHaveCount(0);
  await expect(chip(page, 'Type: Photos')).toBeFocused();

  await typeFilter(page, 'length');
  await page.getByRole('option', { name: 'Length', exact: true }).click();
  await page.getByRole('dialog', { name: 'Length' }).getByLabel('At least').fill('1,5');
  await page.keyboard.press('Enter');
  await expect(chip(page, 'Length: At least 1.5 seconds')).toBeVisible();
  await filterBar(page).getByRole('button', { name: 'Clear all' }).click();
  await expect(filterBar(page).getByRole('listitem')).toHaveCount(0);
  await expect(mediaCards(page)).toHaveCount(2);
  await page.goBack();
  await expect(chip(page, 'Type: Photos')).toBeVisible();
});

test('a link with what does not exist says so or leaves it out', async ({ page, service }) => {
  const { tag } = await fillLabels(service);
  await service.signInPage(
    `/?tag=${tag.slice(0, -4)}0000&creator=${tag}&type=sculpture&rating_min=99&from=2026-02-31&status=`,
  );
  await expect(chip(page, 'Tag: Deleted tag')).toBeVisible();
  await expect(chip(page, 'Creator: Deleted creator')).toBeVisible();
  await expect(filterBar(page).getByRole('listitem')).toHaveCount(2);
  await removeFilter(page, 'Tag');
  await removeFilter(page, 'Creator');
  await expect(mediaCards(page)).toHaveCount(2);
});

test('a phone has filters in a sheet, with room for fingers, and one row @phone-only', async ({ page, service }) => {
  const { creator, tag } = await fillLabels(service);
  await service.signInPage(`/?creator=${creator}&tag=${tag}&type=image&rating_min=1`);
  const bar = filterBar(page);
  await expect(chip(page, 'Creator: Ana Lima')).toBeVisible();
  expect((await bar.boundingBox())?.height).toBe(44);
  await bar.getByRole('button', { name: 'Filter', exact: true }).tap();
  const sheet = page.getByRole('dialog', { name: 'Add filter' });
  await expect(sheet).toBeInViewport({ ratio: 1 });
  // No keys on the screen before the field is touched.
  await expect(sheet.getByRole('combobox')).not.toBeFocused();
  for (const option of await sheet.getByRole('option').all()) {
    expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  await sheet.getByRole('option', { name: 'Length', exact: true }).tap();
  await page.getByRole('option', { name: 'Up to 10 seconds' }).tap();
  await expect(chip(page, 'Length: Up to 10 seconds')).toBeAttached();
  for (const button of await bar.getByRole('button').all()) {
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, window.innerWidth));
  expect(width).toBe(390);
  await chip(page, 'Creator: Ana Lima').tap();
  await page.getByRole('dialog', { name: 'Creator' }).getByRole('option', { name: 'All creators' }).tap();
  await expect(chip(page, /^Creator/)).toHaveCount(0);
});

test('nothing moves while labels are read, at any width @phone', async ({ page, service, isMobile }) => {
  const { creator, category, tag, collection } = await fillLabels(service);
  await recordLayoutShifts(page);
  // The names come late.
  await page.route(/\/api\/v1\/(creators|categories|tags|collections)\?/, async (route) => {
    await page.waitForTimeout(500);
    await route.continue().catch(() => undefined);
  });
  await service.signInPage();
  const query = `creator=${creator}&category=${category}&tag=${tag}&collection=${collection}&rating_min=2`;
  for (const width of isMobile ? [390] : [1440, 820]) {
    if (!isMobile) await page.setViewportSize({ width, height: 900 });
    for (const address of ['/', `/?${query}`, `/search?q=blue&${query}`, `/highlights?${query}`]) {
      await page.goto(service.url + address);
      if (address !== '/') await expect(chip(page, 'Creator: Ana Lima')).toBeAttached();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await page.waitForTimeout(700);
      expect((await filterBar(page).boundingBox())?.height, `${address} at ${width}`).toBe(44);
      await expectNoLayoutShift(page);
    }
  }
});

test('axe finds nothing in the panels, the menus and the sheets, light and dark @phone', async ({
  page,
  service,
  isMobile,
}) => {
  const { creator, tag, id } = await fillLabels(service);
  await service.signInPage(`/?creator=${creator}&tag=${tag}&rating_min=1&from=2020-01-01`);
  // Behind a menu, and behind a sheet of a phone, the page is hidden from everybody.
  const check = async (what: string, within?: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator('html.dark')).toHaveCount(colorScheme === 'dark' ? 1 : 0);
      await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => 0))));
      expect(await findViolations(page, within === undefined ? {} : { within }), `${what}, ${colorScheme}`).toEqual([]);
    }
    await page.keyboard.press('Escape');
  };
  await check('bar');
  await typeFilter(page, '');
  const panel = isMobile ? '[role=dialog]' : undefined;
  await check('all filters', panel);
  await typeFilter(page, 's');
  await check('what matches', panel);
  await typeFilter(page, 'xqzt');
  await check('nothing but a name', panel);
  for (const label of ['Creator', 'Tag', 'Rating', 'Date taken']) {
    await chip(page, new RegExp(`^${label}:`)).click();
    await expect(page.getByRole('dialog', { name: label })).toBeVisible();
    await check(label, panel);
  }
  await filterBar(page)
    .getByRole('button', { name: isMobile ? 'View and order' : /^Sort: / })
    .click();
  await expect(page.getByRole('menu')).toBeVisible();
  await check('order', '[role=menu]');
  await page.goto(`${service.url}/search?q=blue`);
  await filterBar(page).getByRole('button', { name: 'View options' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await check('view options', '[role=menu]');
  await page.goto(`${service.url}/media/${id}`);
  await openDetails(page);
  await page.getByRole('button', { name: /^Creator / }).click();
  await page.getByRole('combobox', { name: 'Find a creator' }).fill('Bo');
  await expect(page.getByRole('option', { name: 'Create “Bo”' })).toBeVisible();
  // The viewer is dark in any theme.
  expect(await findViolations(page, { within: '[cmdk-root]' }), 'picker').toEqual([]);
});
