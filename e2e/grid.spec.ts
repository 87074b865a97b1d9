import { expect, type Locator, type Page } from '@playwright/test';
import sharp from 'sharp';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { seedItems } from '../server/testing/seed-items.ts';
import { findViolations } from './axe.ts';
import { mediaCard, mediaCards } from './dashboard.ts';
import { expectNoLayoutShift, recordLayoutShifts } from './layout-shift.ts';
import { test } from './service.ts';

/** Adds small photographs of different shapes, `a01.png` the first. */
async function addPhotos(service: Parameters<Parameters<typeof test>[2]>[0]['service'], count: number): Promise<void> {
  const shapes = [
    { width: 96, height: 64 },
    { width: 64, height: 96 },
    { width: 112, height: 63 },
    { width: 80, height: 60 },
  ];
  for (let i = 1; i <= count; i++) {
    const name = `a${String(i).padStart(2, '0')}.png`;
    await makePhoto(service.file(name), plain(i * 2, 120, 200 - i), shapes[i % shapes.length]);
    await service.client.upload(service.file(name));
  }
  for (const { id } of (await service.client.get<{ id: string }[]>('/media?per_page=100')).data) {
    await service.client.waitUntilIndexed(id);
  }
}

const boxOf = async (card: Locator) => {
  const box = await card.boundingBox();
  if (!box) throw new Error('The card is not shown.');
  return box;
};

const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` });

test('pictures keep their shape and fill straight rows; drawing a frame, or from checkbox to checkbox, selects; Escape gives up', async ({
  page,
  service,
}) => {
  await addPhotos(service, 26);
  await service.signInPage('/?sort=filename');
  await expect(mediaCards(page)).toHaveCount(26);
  const boxes = await Promise.all((await mediaCards(page).all()).map(boxOf));
  const [first, second] = [boxes[0], boxes[1]];
  if (!first || !second) throw new Error('There are no cards.');
  // The first is high, as 64 by 96, and the second wide, as 112 by 63. Both stand in one row, of one height.
  expect(first.width / first.height).toBeCloseTo(64 / 96, 1);
  expect(second.width / second.height).toBeCloseTo(112 / 63, 1);
  expect(second.y).toBe(first.y);
  expect(second.height).toBe(first.height);
  expect(second.x - first.x - first.width).toBeCloseTo(4, 0);
  const grid = await boxOf(page.getByRole('list', { name: 'Media' }));
  const ends = boxes.filter(({ x, width }) => Math.abs(x + width - grid.x - grid.width) < 1);
  expect(ends.length).toBeGreaterThanOrEqual(3);

  // From the free place right of the grid to the left, over the ends of two rows.
  const endOfRow = boxes.findIndex(({ y }) => y > first.y) - 1;
  const name = (position: number) => `a${String(position + 1).padStart(2, '0')}.png`;
  await page.mouse.move(grid.x + grid.width + 12, first.y + 20);
  await page.mouse.down();
  await page.mouse.move(grid.x + grid.width - 10, first.y + first.height + 30, { steps: 5 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(bar(page)).toBeHidden();
  await page.mouse.move(grid.x + grid.width + 12, first.y + 20);
  await page.mouse.down();
  await page.mouse.move(grid.x + grid.width - 10, first.y + first.height + 30, { steps: 5 });
  await page.mouse.up();
  await expect(bar(page).getByText('2 selected')).toBeVisible();
  await expect(box(page, name(endOfRow))).toBeChecked();
  await expect(page).toHaveURL(/\/\?sort=filename$/);
  await page.keyboard.press('Escape');
  await expect(bar(page)).toBeHidden();

  // From the checkbox of the second over cards to the fifth.
  await mediaCard(page, name(1)).hover();
  await box(page, name(1)).hover();
  await page.mouse.down();
  const fifth = boxes[4] ?? first;
  await page.mouse.move(fifth.x + fifth.width / 2, fifth.y + fifth.height / 2, { steps: 5 });
  await page.mouse.up();
  await expect(bar(page).getByText('4 selected')).toBeVisible();
  for (const position of [1, 2, 3, 4]) await expect(box(page, name(position))).toBeChecked();
  await expect(box(page, name(0))).not.toBeChecked();
  // With Shift a press goes on from there, and what it would select is shown before.
  await page.keyboard.down('Shift');
  await mediaCard(page, name(7)).hover();
  await expect(bar(page).getByText('4 selected')).toBeVisible();
  await mediaCard(page, name(7)).click({ modifiers: ['Shift'] });
  await page.keyboard.up('Shift');
  await expect(bar(page).getByText('7 selected')).toBeVisible();
});

test('nothing moves while the library loads, and the first screen is full of pictures @phone', async ({
  page,
  service,
  isMobile,
}) => {
  await addPhotos(service, 60);
  const { client } = service;
  await client.post('/creators', { name: 'Ana Lima' });
  await client.post('/categories', { name: 'Talks' });
  await client.post('/tags', { name: 'favourite' });
  await client.post('/collections', { name: 'Wildlife' });
  await recordLayoutShifts(page);
  for (const address of ['/', '/?view=months', '/?view=list']) {
    await service.signInPage(address);
    await expect(mediaCards(page).nth(5)).toBeVisible();
    await expect(mediaCards(page).first().getByRole('presentation').first()).toHaveJSProperty('complete', true);
    await page.waitForTimeout(1000);
    await expectNoLayoutShift(page);
    // With something selected, which shows all that there is to press.
    await mediaCards(page).first().focus();
    await page.keyboard.press('x');
    await expect(bar(page).getByText('1 selected')).toBeVisible();
    expect(await findViolations(page, { within: '#main' })).toEqual([]);
    if (address !== '/') continue;
    const inView = await mediaCards(page).evaluateAll(
      (cards, foot) =>
        cards.filter((card) => {
          const { top, bottom } = card.getBoundingClientRect();
          return bottom > 0 && top < window.innerHeight - foot;
        }).length,
      isMobile ? 56 : 0,
    );
    expect(inView).toBeGreaterThanOrEqual(isMobile ? 20 : 28);
  }
});

test('a finger that rests on a picture selects it, and drawing on selects all up to where it is @phone-only', async ({
  page,
  service,
}) => {
  await addPhotos(service, 40);
  await service.signInPage('/?sort=filename');
  await expect(mediaCards(page).nth(20)).toBeVisible();
  const client = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  const middle = async (name: string) => {
    const { x, y, width, height } = await boxOf(mediaCard(page, name));
    return [x + width / 2, y + height / 2] as const;
  };

  // A finger that moves at once scrolls.
  const [x, y] = await middle('a13.png');
  await touch('touchStart', x, y);
  for (let i = 1; i <= 6; i++) await touch('touchMove', x, y - i * 30);
  await touch('touchEnd');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(60);
  await expect(bar(page)).toBeHidden();
  // It rolls on for a moment, and would after the way back to the top too.
  await page.evaluate(async () => {
    for (let before = -1; before !== window.scrollY;) {
      before = window.scrollY;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
  await page.evaluate(() => window.scrollTo({ top: 0 }));

  const [fromX, fromY] = await middle('a05.png');
  const [toX, toY] = await middle('a11.png');
  await touch('touchStart', fromX, fromY);
  await expect(bar(page).getByText('1 selected')).toBeVisible();
  await touch('touchMove', (fromX + toX) / 2, (fromY + toY) / 2);
  await touch('touchMove', toX, toY);
  await touch('touchEnd');
  await expect(bar(page).getByText('7 selected')).toBeVisible();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await expect(page).toHaveURL(/\/\?sort=filename$/);
  // From now on a touch selects.
  await page.touchscreen.tap(...(await middle('a02.png')));
  await expect(bar(page).getByText('8 selected')).toBeVisible();

  // Two fingers make pictures larger.
  const height = async () => (await boxOf(page.getByRole('list', { name: 'Media' }))).height;
  const before = await height();
  const two = (type: 'touchStart' | 'touchMove', apart: number) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [
        { x: 150 - apart, y: 400, id: 1 },
        { x: 150 + apart, y: 400, id: 2 },
      ],
    });
  await two('touchStart', 30);
  for (const apart of [40, 55, 70, 90]) await two('touchMove', apart);
  await touch('touchEnd');
  await expect.poll(height).toBeGreaterThan(before * 2);
});

test('the list shows what is known in lines, sorts by its columns, and has the keys of the grid', async ({
  page,
  service,
}) => {
  await service.addPhoto('small.png', plain(90, 60, 10), { width: 64, height: 64 });
  await service.addPhoto('wide.png', plain(10, 60, 90), { width: 640, height: 160 });
  const { client } = service;
  const [wide] = (await client.get<{ id: string }[]>('/media?q=wide')).data;
  const creator = await client.post<{ id: string }>('/creators', { name: 'Ana Lima' });
  await client.patch(`/media/${wide?.id}`, { creator_id: creator.data.id, rating: 4 });
  await service.signInPage();
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await expect(page).toHaveURL(/view=list/);
  await expect(mediaCard(page, 'wide.png')).toContainText('Ana Lima');
  await expect(mediaCard(page, 'wide.png').getByRole('img', { name: '4 stars' })).toBeVisible();
  await expect(mediaCards(page)).toHaveText([/wide/, /small/]);
  await page.getByRole('button', { name: 'Name' }).click();
  await expect(mediaCards(page)).toHaveText([/small/, /wide/]);
  await expect(page).toHaveURL(/view=list&sort=filename/);
  await page.getByRole('button', { name: 'Name (ascending)' }).click();
  await expect(mediaCards(page)).toHaveText([/wide/, /small/]);
  await mediaCard(page, 'wide.png').focus();
  await page.keyboard.press('ArrowDown');
  await expect(mediaCard(page, 'small.png')).toBeFocused();
  await page.keyboard.press('x');
  await expect(bar(page).getByText('1 selected')).toBeVisible();
});

test('months with few pictures stand in one row, and a box selects all of them', async ({ page, service }) => {
  const taken = ['2024:05:03', '2024:03:20', '2024:03:02', '2023:01:09'];
  for (const [i, day] of taken.entries()) {
    const name = `${day.slice(0, 7).replace(':', '-')} ${i}.jpg`;
    const picture = sharp({
      create: { width: 90 + i, height: 60, channels: 3, background: { r: 40 * i, g: 90, b: 70 } },
    });
    await picture.withExif({ IFD2: { DateTimeOriginal: `${day} 12:00:00` } }).toFile(service.file(name));
    await service.addFile(name);
  }
  await service.addPhoto('undated.png', plain(90, 60, 10));
  await service.signInPage('/?view=months');
  await expect(page.getByRole('heading', { level: 2 })).toHaveText([/^Jan 2023.+May 2024$/, 'No date']);
  const months = page.getByRole('checkbox', { name: /^Select all of Jan 2023/ });
  await months.click();
  await expect(bar(page).getByText('4 selected')).toBeVisible();
  await expect(months).toBeChecked();
  await months.click();
  await expect(bar(page)).toBeHidden();
  // On larger pictures less fits into a row.
  await page.getByRole('slider', { name: 'Size of pictures' }).fill('220');
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Mar – May 2024', 'January 2023', 'No date']);
});

test.describe('a library of many shapes', () => {
  // Its items have rows and no files, which the service calls an error.
  test.use({ settings: {}, expectedErrors: /status of (4\d\d|500)|net::ERR_(CONNECTION|SOCKET)/ });

  test('what is seen stays when the shapes of all items come late, and when the size changes; Back leads to the item', async ({
    page,
    service,
  }) => {
    await service.addPhoto('last.png', plain(10, 120, 200));
    await seedItems(service.db, 3000);
    // High ones, of which more stand in a row than was assumed.
    await service.db.updateTable('media_items').set({ width: 60, height: 100 }).execute();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/media/aspect-ratios*', async (route) => {
      await held;
      await route.continue();
    });
    await service.signInPage();
    await expect(mediaCard(page, /clip 000001/)).toBeVisible();
    await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight / 2 }));
    await expect(page.getByRole('link', { name: /clip 00[12]\d\d\d/ }).nth(25)).toBeInViewport();
    // The first picture that can be seen below the bar at the top.
    const grid = await boxOf(page.getByRole('list', { name: 'Media' }));
    const name = await page.evaluate(
      ([x, y]) =>
        document.elementFromPoint(x, y)?.closest('[data-position]')?.querySelector('[title]')?.textContent ?? '',
      [grid.x + 12, 82] as const,
    );
    expect(name).toMatch(/^clip 00[12]\d\d\d\.png$/);
    const card = mediaCard(page, name);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    release();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(height * 0.6);
    await expect(card).toBeInViewport();
    const { width, height: high } = await boxOf(card);
    expect(width / high).toBeCloseTo(0.6, 1);
    await page.mouse.move(grid.x + 300, 400);
    await page.keyboard.down('Control');
    for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -50);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await boxOf(card)).height).toBeGreaterThan(high * 1.5);
    await expect(card).toBeInViewport();

    // The next item is viewed as well: it is the one that the library shows.
    await card.click();
    await expect(page.getByRole('heading', { name })).toBeVisible();
    const next = `clip ${String(Number(/\d{6}/.exec(name)?.[0]) + 1).padStart(6, '0')}.png`;
    await page.getByRole('button', { name: 'Next item' }).click();
    await expect(page.getByRole('heading', { name: next })).toBeVisible();
    await page.goBack();
    await expect(mediaCard(page, next)).toBeFocused();
    await expect(mediaCard(page, next)).toBeInViewport();
  });
});
