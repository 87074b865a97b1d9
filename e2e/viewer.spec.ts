import { copyFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { subtitleTrack, writeMatroska } from '../packages/media/testing/write-matroska.ts';
import { findViolations } from './axe.ts';
import { chooseFrom, hits, mediaCard, openDetails } from './dashboard.ts';
import { picture } from './films.ts';
import { test } from './service.ts';

const shown = (page: Page): Locator => page.locator('[data-picture]');
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { name, exact: true });

const namesOfPhotos = ['bison', 'clownfish', 'giraffes', 'koala', 'moose'];

type Service = { file: (name: string) => string; addFile: (name: string) => Promise<{ id: string }> };

/** Adds photographs. @returns their identifiers, in the order of their names */
async function addPhotos(service: Service, names = namesOfPhotos): Promise<string[]> {
  const ids = [];
  for (const name of names) {
    await copyFile(picture(name), service.file(`${name}.jpg`));
    ids.push((await service.addFile(`${name}.jpg`)).id);
  }
  return ids;
}

/** Controls of the viewer that can be seen, and where they are. */
const readControls = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('[data-viewer] :is(button, a, h1, h2, input)')].flatMap((element) => {
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      if (width < 2 || height < 2 || style.visibility === 'hidden' || style.opacity === '0') return [];
      const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
      return [{ name: name.slice(0, 40), left, top, right, bottom }];
    }),
  );

type Control = Awaited<ReturnType<typeof readControls>>[number];

/** Pairs that lie over each other by more than a border. */
function findOverlaps(controls: Control[]): string[] {
  const share = (a: Control, b: Control) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return controls.flatMap((a, i) =>
    controls.slice(i + 1).flatMap((b) => (share(a, b) ? [`${a.name} / ${b.name}`] : [])),
  );
}

test('no two controls lie over each other on any screen, and a long name leaves the picture its room', async ({
  page,
  service,
}) => {
  const long = `${'scan of a letter from the archive, second box '.repeat(5)}.jpg`;
  await copyFile(picture('moose'), service.file('moose.jpg'));
  const photo = await service.addFile('moose.jpg');
  await service.client.patch(`/media/${photo.id}`, { filename: long });
  const scenes = [plain(200, 20, 20), plain(30, 150, 40)].map((paint) => ({ paint, seconds: 1 }));
  const video = await service.addVideo('trip.mkv', { scenes, subtitles: [{ start: 0, end: 1, text: 'Aboard' }] });
  await service.signInPage(`/media/${photo.id}`);
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) shifts.push(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  for (const [width, height] of [
    [390, 844],
    [768, 1024],
    [820, 1180],
    [1024, 768],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const id of [photo.id, video.id]) {
      await page.goto(`${service.url}/media/${id}`);
      await expect(page.locator('[data-viewer]').getByRole('button', { name: 'More', exact: true })).toBeVisible();
      if (id === photo.id) await expect(shown(page)).toBeInViewport({ ratio: 1 });
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
      expect(
        shifts.reduce((sum, shift) => sum + shift, 0),
        `${width} px, shifts`,
      ).toBeLessThanOrEqual(0.02);
      for (const isOpen of [false, true]) {
        if (isOpen) await openDetails(page);
        const where = `${width} px, ${id === photo.id ? 'photo' : 'video'}, ${isOpen ? 'with' : 'without'} details`;
        const controls = await readControls(page);
        expect(findOverlaps(controls.filter(({ bottom }) => bottom <= height)), where).toEqual([]);
        expect(
          controls.filter(({ left, right }) => left < 0 || right > width),
          where,
        ).toEqual([]);
        // One row: the controls of the bar have one middle.
        const bar = await page
          .locator('[data-viewer] header')
          .locator('button:visible, a:visible')
          .evaluateAll((elements) =>
            elements.map((element) => {
              const { top, height: own } = element.getBoundingClientRect();
              return Math.round(top + own / 2);
            }),
          );
        expect(new Set(bar).size, where).toBe(1);
        if (id === video.id) {
          const controls = await readControls(page);
          const row = controls.filter(({ name }) => /^(Play|Mute|Playback options|Full screen)$/.test(name));
          expect(row.length, where).toBe(4);
          expect(new Set(row.map(({ top, bottom }) => Math.round(top + bottom))).size, where).toBe(1);
        }
        // The name is cut off, not squeezed away.
        const title = await page.getByRole('heading', { level: 1 }).boundingBox();
        expect(title?.width, where).toBeGreaterThan(60);
        expect(title?.height, where).toBeLessThan(40);
        if (isOpen) await page.keyboard.press('i');
      }
    }
  }
  // The whole name is in the details: two lines of it, and all of it when it is asked for.
  await page.goto(`${service.url}/media/${photo.id}`);
  await openDetails(page);
  const name = page.getByRole('region', { name: 'Details' }).getByText(long);
  expect((await name.boundingBox())?.height).toBeLessThan(60);
  await page.getByRole('button', { name: 'Show the whole name' }).click();
  expect((await name.boundingBox())?.height).toBeGreaterThan(80);
});

test('one pages through a list with what follows fetched before, and comes back to its place', async ({
  page,
  service,
}) => {
  const more = ['cat', 'chameleon', 'coffee', 'crocodile', 'dog', 'duck'];
  await addPhotos(service, [...namesOfPhotos, ...more]);
  await page.setViewportSize({ width: 640, height: 330 });
  await service.signInPage('/?sort=filename');
  const last = mediaCard(page, /moose/);
  await last.scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  await last.click();
  await expect(heading(page, 'moose.jpg')).toBeVisible();
  await expect(page.getByText('11 of 11')).toBeVisible();
  // The menu and the search field are not behind it.
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
  const source = () =>
    shown(page)
      .locator('img')
      .last()
      .evaluate((image: HTMLImageElement) => image.currentSrc);
  const pathOf = (url: string) => new URL(url).pathname;
  const fetched = async () =>
    (await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))).map(pathOf);
  const { data: items } = await service.client.get<{ filename: string; url: string }[]>('/media');
  for (const name of ['koala', 'giraffes']) {
    const { url } = items.find(({ filename }) => filename === `${name}.jpg`)!;
    await expect.poll(fetched, name).toContain(pathOf(url));
    await page.keyboard.press('ArrowLeft');
    await expect(heading(page, `${name}.jpg`)).toBeVisible();
    await expect(page.getByRole('img', { name: `${name}.jpg` })).toBeVisible();
    expect(pathOf(await source()), name).toBe(pathOf(url));
  }
  await expect(page.getByText('9 of 11')).toBeVisible();
  const strip = page.getByRole('navigation', { name: 'Filmstrip' });
  await expect(strip.getByRole('button', { name: 'giraffes.jpg' })).toHaveAttribute('aria-current', 'true');
  await expect(strip.getByRole('button')).toHaveCount(11);
  await strip.getByRole('button', { name: 'clownfish.jpg' }).click();
  await expect(heading(page, 'clownfish.jpg')).toBeVisible();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
  await expect(heading(page, 'bison.jpg')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Previous item' })).toBeDisabled();

  await page.goBack();
  // The item that was viewed last is in view.
  await expect(mediaCard(page, /bison/)).toBeInViewport();
  await last.scrollIntoViewIfNeeded();
  await last.click();
  await expect(heading(page, 'moose.jpg')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/\?sort=filename$/);
  await expect(last).toBeInViewport();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  // By a link from outside there is no list: the way back leads to the library.
  await last.click();
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await page.evaluate(() => history.replaceState(null, ''));
  await page.reload();
  await expect(heading(page, 'moose.jpg')).toBeVisible();
  await expect(page.getByText('11 of 11')).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(mediaCard(page, /moose/)).toBeVisible();
});

test('a slideshow goes on by itself until one does something; the choice of the strip and of the details stays', async ({
  page,
  service,
}) => {
  await addPhotos(service, ['bison', 'clownfish']);
  await service.addVideo('film.mp4', { scenes: [{ paint: plain(20, 40, 200), seconds: 1 }] });
  await addPhotos(service, ['moose']);
  await service.signInPage('/?sort=filename');
  await mediaCard(page, /bison/).click();
  await page.locator('[data-viewer]').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitemradio', { name: '3 seconds' }).click();
  await page.getByRole('menuitem', { name: /^Slideshow/ }).click();
  await expect(page.getByRole('navigation', { name: 'Filmstrip' })).toBeHidden();
  await expect(heading(page, 'clownfish.jpg')).toBeVisible({ timeout: 8000 });
  // The video plays to its end, and then the last one is shown.
  await expect(heading(page, 'film.mp4')).toBeVisible({ timeout: 8000 });
  await expect(heading(page, 'moose.jpg')).toBeVisible({ timeout: 8000 });
  await expect(page.getByRole('navigation', { name: 'Filmstrip' })).toBeVisible({ timeout: 8000 });

  await page.keyboard.press('ArrowLeft');
  await expect(heading(page, 'film.mp4')).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('s');
  await expect(page.getByRole('navigation', { name: 'Filmstrip' })).toBeHidden();
  // The key that stops it does nothing else.
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('navigation', { name: 'Filmstrip' })).toBeVisible();
  await expect(heading(page, 'clownfish.jpg')).toBeVisible();

  await chooseFrom(page, 'More', 'Hide the filmstrip');
  await openDetails(page, 'Text');
  await page.reload();
  await expect(page.getByRole('tab', { name: 'Text' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('navigation', { name: 'Filmstrip' })).toBeHidden();
  await page.keyboard.press('i');
  await expect(page.getByRole('tab', { name: 'Text' })).toBeHidden();
});

test('an item that is deleted elsewhere says so and comes back; one that was deleted here makes room for the next', async ({
  page,
  service,
}) => {
  const [bison = '', clownfish = ''] = await addPhotos(service, ['bison', 'clownfish', 'moose']);
  await service.signInPage('/?sort=filename');
  await mediaCard(page, /bison/).click();
  await expect(heading(page, 'bison.jpg')).toBeVisible();
  await service.client.post('/trash', { ids: [bison] });
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('This item was deleted');
  // Nothing can be done with it but that.
  await expect(page.getByRole('button', { name: 'Share' })).toBeHidden();
  await alert.getByRole('button', { name: 'Restore' }).click();
  await expect(alert).toBeHidden();
  await expect(page.getByRole('button', { name: 'Share' })).toBeVisible();
  await service.client.post('/trash', { ids: [bison] });
  await alert.getByRole('button', { name: 'Next item' }).click();
  await expect(heading(page, 'clownfish.jpg')).toBeVisible();

  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(heading(page, 'moose.jpg')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await service.client.get<unknown[]>('/media')).data.length).toBe(2);
  await page.goto(`${service.url}/media/${clownfish}`);
  await expect(heading(page, 'clownfish.jpg')).toBeVisible();
});

test('what no second reading can help has no button for it, and nobody speaks in a photo', async ({
  page,
  service,
}) => {
  const [photo = ''] = await addPhotos(service, ['bison']);
  await service.signInPage(`/media/${photo}`);
  await openDetails(page);
  const details = page.getByRole('region', { name: 'Details' });
  await details.getByText('Technical details').click();
  await expect(details.getByText('Dimensions')).toBeVisible();
  await expect(details.getByText('Speech')).toBeHidden();

  // Neither pictures nor sound.
  await writeMatroska(service.file('words.mkv'), [subtitleTrack], [{ track: 1, at: 0, data: Buffer.from('Aboard') }]);
  const words = await service.client.upload(service.file('words.mkv'));
  await service.client.waitUntilIndexed(words.data.id);
  await page.goto(`${service.url}/media/${words.data.id}`);
  await expect(page.getByRole('alert')).toContainText('neither pictures nor sound');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
});

test('axe finds nothing in the viewer, its details and menus, in both themes', async ({ page, service }) => {
  const [photo = ''] = await addPhotos(service, ['moose', 'koala']);
  const scenes = [plain(200, 20, 20), plain(30, 150, 40)].map((paint) => ({ paint, seconds: 1 }));
  const { id } = await service.addVideo('trip.mkv', { scenes, subtitles: [{ start: 0, end: 1, text: 'Aboard' }] });
  await service.signInPage('/?sort=filename');
  await mediaCard(page, /koala/).click();
  await expect(heading(page, 'koala.jpg')).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [address, tabs] of [
      [`/media/${photo}`, ['Info', 'Text']],
      [`/media/${id}?q=red`, ['Info', 'Transcript', 'Find', 'Scenes']],
    ] as const) {
      await page.goto(service.url + address);
      for (const tab of tabs) {
        await openDetails(page, tab);
        expect(await findViolations(page), `${address}, ${tab}, ${colorScheme}`).toEqual([]);
      }
      await page.locator('[data-viewer]').getByRole('button', { name: 'More', exact: true }).click();
      expect(await findViolations(page, { within: '[role=menu]' }), `${address}, menu`).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.goto(`${service.url}/search?q=moose`);
    await hits(page).first().click();
    await page.getByRole('dialog').getByText('Details', { exact: true }).click();
    expect(await findViolations(page, { within: '[role=dialog]' }), `a hit, ${colorScheme}`).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    // The theme is that of before.
    expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(colorScheme === 'dark');
  }
});
