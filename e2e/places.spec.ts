import { expect, type Page } from '@playwright/test';
import sharp, { type Exif } from 'sharp';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { findViolations } from './axe.ts';
import { addFilter, mediaCards } from './dashboard.ts';
import { test } from './service.ts';

type Service = Parameters<Parameters<typeof test>[2]>[0]['service'];

/** Whole minutes, as EXIF has them: two in Hamburg and one in Lisbon, and one that nobody knows where. */
const positions: Record<string, [latitude: string, longitude: string, east: string] | null> = {
  'harbour.jpg': ['53/1 33/1 0/1', '9/1 58/1 0/1', 'E'],
  'town hall.jpg': ['53/1 33/1 0/1', '9/1 59/1 0/1', 'E'],
  'tram.jpg': ['38/1 43/1 0/1', '9/1 8/1 0/1', 'W'],
  'nowhere.jpg': null,
};

async function fill(service: Service): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [i, [name, position]] of Object.entries(positions).entries()) {
    await makePhoto(service.file('plain.png'), plain(60 * i, 90, 200 - 40 * i));
    const [GPSLatitude, GPSLongitude, GPSLongitudeRef] = position ?? [];
    const exif = {
      IFD0: { Make: 'Canon', Model: i === 2 ? 'Canon EOS 90D' : 'Canon EOS R5' },
      ...(position ? { IFD3: { GPSLatitudeRef: 'N', GPSLatitude, GPSLongitudeRef, GPSLongitude } } : {}),
    };
    await sharp(service.file('plain.png'))
      .withExif(exif as unknown as Exif)
      .toFile(service.file(name));
    ids.set(name, (await service.addFile(name)).id);
  }
  return ids;
}

const groups = (page: Page) => page.locator('.place-marker');
const panel = (page: Page) => page.getByRole('region', { name: 'Selected place' });

/** The addresses outside of the service that a page asks. */
function recordStrangers(page: Page, own: string): string[] {
  const strangers: string[] = [];
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(own)) strangers.push(request.url());
  });
  return strangers;
}

test('the map says how places come about where there are none', async ({ page, service }) => {
  await service.signInPage('/map');
  await expect(page.getByRole('heading', { name: 'No places yet' })).toBeVisible();
});

test('a place leads to its pictures, to a search there, and to the library; nobody else is asked @phone', async ({
  page,
  service,
}) => {
  const strangers = recordStrangers(page, service.url);
  const ids = await fill(service);
  await service.signInPage('/map');
  await expect(page.getByText('3 items have a position')).toBeVisible();
  const hamburg = page.getByRole('button', { name: 'Around Hamburg, Germany: 2 items' });
  await expect(hamburg).toBeVisible();
  await expect(groups(page)).toHaveCount(2);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findViolations(page)).toEqual([]);
  }

  // By keys alone.
  await hamburg.focus();
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('heading', { name: 'Around Hamburg, Germany' })).toBeFocused();
  await expect(panel(page).getByRole('status')).toHaveText('2 items');
  await expect(panel(page).getByRole('link', { name: 'harbour.jpg' })).toHaveAttribute(
    'href',
    `/media/${ids.get('harbour.jpg')}`,
  );
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);

  await hamburg.click();
  await panel(page).getByRole('link', { name: 'Show in the library' }).click();
  await expect(mediaCards(page)).toHaveCount(2);
  await page.goBack();
  await hamburg.click();
  await panel(page).getByRole('searchbox', { name: 'Search here' }).fill('jpg');
  await panel(page).getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page).toHaveURL(/\/search\?(?=.*q=jpg)(?=.*area=53)/);
  await expect(page.getByText('2 results')).toBeVisible();
  expect(strangers).toEqual([]);
});

test('an area that is drawn, and the filters of the page, limit what is shown; the address keeps the view', async ({
  page,
  service,
}) => {
  await fill(service);
  await service.signInPage('/map');
  const lisbon = page.getByRole('button', { name: 'Lisbon, Portugal: tram.jpg' });
  const { x = 0, y = 0 } = (await lisbon.boundingBox()) ?? {};
  await page.getByRole('button', { name: 'Select area' }).click();
  await page.mouse.move(x - 10, y - 10);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 60, { steps: 4 });
  await page.mouse.up();
  await expect(panel(page).getByRole('heading', { name: 'Selected area' })).toBeVisible();
  await expect(panel(page).getByRole('link', { name: 'tram.jpg' })).toBeVisible();
  await expect(panel(page).getByRole('status')).toHaveText('1 item');
  await panel(page).getByRole('button', { name: 'Close' }).click();

  await addFilter(page, 'Camera: Canon EOS R5');
  await expect(groups(page)).toHaveCount(1);
  await expect(page.getByText('2 items have a position')).toBeVisible();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(page).toHaveURL(/at=[-\d.]+%2C[-\d.]+%2C\d+/);
});

test('an item shows its place, its lens and the way to the map', async ({ page, service }) => {
  const ids = await fill(service);
  await page.addInitScript(() => localStorage.setItem('viewer-drawer', 'open'));
  await service.signInPage(`/media/${ids.get('tram.jpg')}`);
  await expect(page.getByText('Lisbon, Portugal')).toBeVisible();
  await page.getByRole('link', { name: 'Show on the map' }).click();
  await expect(page.getByRole('button', { name: 'Lisbon, Portugal: tram.jpg' })).toBeVisible();
});

test.describe('with tiles', () => {
  test.use({
    settings: { mapTiles: { url: 'https://tiles.example.com/{z}/{x}/{y}.png', attribution: '© <b>Somebody</b>' } },
  });
  test('tiles come from the server that the operator names, and from no other', async ({ page, service }) => {
    const strangers = recordStrangers(page, service.url);
    const tile = await sharp({ create: { width: 256, height: 256, channels: 3, background: '#cde' } })
      .png()
      .toBuffer();
    await page.route('https://tiles.example.com/**', (route) =>
      route.fulfill({ contentType: 'image/png', body: tile }),
    );
    await fill(service);
    await service.signInPage('/map');
    await expect(page.getByText('© <b>Somebody</b>')).toBeVisible();
    await expect(page.locator('.leaflet-tile-loaded').first()).toBeVisible();
    for (const url of strangers) expect(url).toMatch(/^https:\/\/tiles\.example\.com\/\d+\/\d+\/\d+\.png$/);
    expect(strangers.length).toBeGreaterThan(0);
  });
});
