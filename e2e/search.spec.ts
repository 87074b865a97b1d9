import { readFile } from 'node:fs/promises';
import { samples } from '@media-search/media/samples/samples';
import { expect } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import { makePhoto, plain, square } from '../packages/media/samples/draw-media.ts';
import { createTestBrowser } from '../server/testing/running-service.ts';
import {
  addFilter,
  expectPlaying,
  hits,
  playedTimes,
  player,
  searchField,
  toggleViewOption,
  turnOnDeveloperMode,
  uploads,
} from './dashboard.ts';
import { test } from './service.ts';

test('an image is chosen, dropped or pasted to find similar ones', async ({ page, service }) => {
  await makePhoto(service.file('berry.png'), square([210, 20, 30], [255, 255, 255]));
  await makePhoto(service.file('berry-small.jpg'), square([210, 20, 30], [255, 255, 255]), { width: 90, height: 60 });
  await makePhoto(service.file('grass.png'), plain(40, 150, 40));
  for (const name of ['berry.png', 'grass.png']) {
    await service.addFile(name);
  }
  await service.signInPage();
  await page.getByLabel('Image to search by').setInputFiles(service.file('berry-small.jpg'));
  await expect(page.getByRole('heading', { name: 'Similar to berry-small.jpg' })).toBeVisible();
  await expect(hits(page).first()).toHaveAccessibleName(/^Show berry\.png /);
  await expect(page).toHaveTitle('Similar to berry-small.jpg · Media Search');
  // The browser keeps the image for when the page is loaded again, until one signs out.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Similar to berry-small.jpg' })).toBeVisible();
  await expect(hits(page).first()).toHaveAccessibleName(/^Show berry\.png /);
  await page.goto(`${service.url}/search?image=gone`);
  await expect(page.getByRole('heading', { name: 'The image is no longer available' })).toBeVisible();

  const base64 = (await readFile(service.file('berry-small.jpg'))).toString('base64');
  for (const event of ['drop', 'paste']) {
    await page.goto(`${service.url}/search`);
    const transfer = await page.evaluateHandle((content) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      data.items.add(new File([bytes], 'berry.jpg', { type: 'image/jpeg' }));
      return data;
    }, base64);
    const field = searchField(page);
    if (event === 'drop') {
      await page.getByRole('main').dispatchEvent('dragenter', { dataTransfer: transfer });
      await page.getByText('Drop to search by it').dispatchEvent('drop', { dataTransfer: transfer });
    } else {
      await field.evaluate((element, data) => {
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      }, transfer);
    }
    await expect(page.getByRole('heading', { name: 'Similar to berry.jpg' })).toBeVisible();
    await expect(hits(page).first()).toHaveAccessibleName(/^Show berry\.png /);
  }
  // None of them was taken for an upload.
  await expect(uploads(page)).toHaveCount(0);
});

test('near-duplicates, rerank and filters are in the URL', async ({ page, service }) => {
  const { client } = service;
  await makePhoto(service.file('noon.png'), plain(110, 180, 240));
  await makePhoto(service.file('noon-small.jpg'), plain(110, 180, 240), { width: 80, height: 50 });
  await makePhoto(service.file('berry.png'), square([210, 20, 30], [255, 255, 255]));
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Ana Lima' })).data.id;
  for (const name of ['noon.png', 'noon-small.jpg', 'berry.png']) {
    const fields = name === 'berry.png' ? { creator_id: creator } : {};
    await service.addFile(name, fields);
  }
  await service.signInPage('/search?q=light+blue');
  await expect(page.getByText('No clear matches · 2 weaker · 1 similar hidden')).toBeVisible();
  await toggleViewOption(page, 'Hide duplicates');
  await expect(page.getByText('No clear matches · 3 weaker', { exact: true })).toBeVisible();
  await toggleViewOption(page, 'Rerank');
  await expect(page).toHaveURL(/dedupe=0&rerank=1/);
  await addFilter(page, 'Creator: Ana Lima');
  await expect(page.getByText(/1 weaker$/)).toBeVisible();
  await page.goBack();
  await expect(page.getByText(/3 weaker$/)).toBeVisible();
});

test('highlights: the odd one first, with the same player', async ({ page, service }) => {
  for (const [i, name] of ['one.png', 'two.png', 'three.png', 'four.png'].entries()) {
    await service.addPhoto(name, plain(60 + 2 * i, 110, 180));
  }
  await service.addVideo('odd.mp4', { scenes: [{ paint: square([250, 240, 30], [120, 0, 90]), seconds: 2 }] });
  await service.signInPage();
  await page.getByRole('link', { name: 'Highlights' }).click();
  await expect(page.getByText('5 moments compared')).toBeVisible();
  await expect(hits(page).first()).toHaveAccessibleName(/Play odd\.mp4/);
  await toggleViewOption(page, 'Hide duplicates');
  await expect(hits(page)).toHaveCount(5);
  for (const [name, method] of [
    ['Among similar', 'lof'],
    ['Overall', 'knn'],
  ] as const) {
    await page.getByRole('button', { name }).click();
    await expect(page).toHaveURL(new RegExp(`method=${method}`));
    await expect(hits(page)).toHaveCount(5);
    // By local rarity the odd one is not first among so few: all have the same neighbours.
    if (method !== 'lof') await expect(hits(page).first()).toHaveAccessibleName(/Play odd\.mp4/);
  }
  await expect(page).toHaveURL(/method=knn/);
  await hits(page).first().click();
  await expectPlaying(page, 'odd.mp4');
  await page.getByRole('link', { name: 'Find similar' }).click();
  await expect(page.getByRole('heading', { name: 'Similar to odd.mp4' })).toBeVisible();
});

test('commands and the list of keys are found by keyboard alone', async ({ page, service }) => {
  await service.signInPage();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await expect(palette).toBeVisible();
  await page.keyboard.type('members');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/settings\/members$/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('purple dusk');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/search\?q=purple/);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Previous frame');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dark');
  await palette.getByText('Theme: Dark').click();
  await expect(page.locator('html')).toHaveClass(/dark/);
});

test('typing errors are corrected, and phrases that no text holds are offered without quotation marks', async ({
  page,
  service,
}) => {
  await service.addPhoto('beach.png', plain(250, 225, 40));
  const beach = page.getByRole('button', { name: /^Show beach\.png / });
  await service.signInPage('/search?q=yelow');
  await expect(page.getByText('Showing results for “yellow” instead.')).toBeVisible();
  await expect(beach).toBeVisible();
  await page.getByRole('button', { name: 'Search for “yelow” as written' }).click();
  await expect(page.getByText('The model does not understand “yelow”')).toBeVisible();
  await expect(page).toHaveURL(/q=yelow&written=1/);

  // Another search is corrected again.
  await searchField(page).fill('"yellow beahc"');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
  await expect(page.getByText('No text contains “yellow beahc”, word for word.')).toBeVisible();
  await page.getByRole('button', { name: 'Search without quotation marks' }).click();
  await expect(page.getByText('Showing results for “beach” instead.')).toBeVisible();
  await expect(beach).toBeVisible();
  await expect(page).toHaveURL(/q=yellow\+beahc$/);
});

test('a search in another language says what it understood, and can be taken as it is written', async ({
  page,
  service,
}) => {
  await service.addPhoto('beach.png', plain(250, 225, 40));
  const beach = page.getByRole('button', { name: /^Show beach\.png / });
  await service.signInPage('/search?q=plage+jaune');
  await expect(page.getByText('Understood: plage → beach, jaune → yellow.')).toBeVisible();
  await expect(beach).toBeVisible();
  await page.getByRole('button', { name: 'Search for “plage”, “jaune” as written' }).click();
  await expect(page).toHaveURL(/q=plage\+jaune&written=1/);
  await expect(page.getByText(/Understood/)).toBeHidden();
});

test('a search without hits says what was not understood and what to do', async ({ page, service }) => {
  await service.addPhoto('rex.png', plain(150, 90, 40));
  await turnOnDeveloperMode(page);
  await service.signInPage('/search?q=dog');
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
  await expect(page.getByText('The model does not understand “dog”')).toBeVisible();
  await page.getByRole('link', { name: 'use a model that knows them' }).click();
  await expect(page.getByText('npm run --silent admin -- model use builtin')).toBeVisible();

  await page.goto(`${service.url}/search?q=brown&type=video`);
  await expect(page.getByText('No results match these filters.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('button', { name: /^Show rex\.png / })).toBeVisible();
  expect(new URL(page.url()).search).toBe('?q=brown');
});

test('an empty workspace is filled with samples once, which are found by words of all kinds and played', async ({
  page,
  service,
}) => {
  // Ten seconds of a core, beside whatever else the machine does.
  test.slow();
  const { client } = service;
  await service.signInPage();
  await page.getByRole('button', { name: 'Load sample clips' }).click();
  await expect(page.getByText('12 items')).toBeVisible({ timeout: 60_000 });
  const { data } = await client.get<MediaItem[]>('/media?per_page=100');
  expect(data.map(({ filename }) => filename).toSorted()).toEqual(samples.map(({ name }) => name).toSorted());
  for (const { id } of data) {
    const { status, creator_id: creator, tag_ids: tags, taken_at: taken } = await client.waitUntilIndexed(id);
    expect([status, creator, tags.length > 0, taken]).toEqual([
      'complete',
      expect.any(String),
      true,
      expect.any(String),
    ]);
  }
  // The rest of what they are for is asked for here as well: to index them takes 10 s of a core.
  for (const [words, filename] of [
    ['lemurs', 'lemurs-and-jaguars.mp4'],
    ['a koala in a tree', 'koala.jpg'],
    ['drums and lanterns', 'evening-concert.mkv'],
    ['hedgehog', 'hedgehog-and-chameleon.mp4'],
    ['brandenburg gate at night', 'brandenburg-gate-at-dusk.jpg'],
  ] as const) {
    expect((await client.search(words)).data[0]?.filename, words).toBe(filename);
  }
  expect((await client.get<unknown[]>('/media/highlights')).data.length).toBeGreaterThan(12);
  const owner = await service.signIn();
  expect(await owner.post('/manage/samples')).toMatchObject({ status: 202, data: { added: 0 } });
  // Each of the searches that are offered finds something clear.
  const offered = page.getByRole('listitem').filter({ hasText: 'The samples are ready' }).getByRole('button');
  await expect(offered).toHaveText(['animals in the grass', 'building at night', 'orchestra'], { timeout: 10_000 });
  for (const words of await offered.allTextContents())
    expect((await client.search(words)).data.filter(({ weak }) => !weak).length, words).toBeGreaterThan(0);
  await offered.filter({ hasText: 'orchestra' }).click();
  await expect(page).toHaveURL(/\/search\?q=orchestra$/);
  await hits(page).filter({ hasText: 'evening-concert.mkv' }).first().click();
  await expectPlaying(page, 'evening-concert.mkv');
});

test('a hit plays silently under the pointer, within its span; its player changes speed', async ({ page, service }) => {
  const scenes = [plain(200, 20, 20), plain(30, 150, 40), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 2 }));
  await service.addVideo('trip.mp4', { scenes });
  await service.signInPage('/search?q=green');
  const card = hits(page).first();
  await card.hover();
  const clip = card.locator('video');
  await expect.poll(() => clip.evaluate((video: HTMLVideoElement) => !video.paused && video.muted)).toBe(true);
  const times = await playedTimes(clip);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(1.9);
  expect(Math.max(...times)).toBeLessThan(4.1);
  await page.mouse.move(0, 0);
  await expect(clip).toHaveCount(0);
  await card.click();
  const open = player(page, 'trip.mp4');
  await open.getByRole('button', { name: 'Playback options' }).click();
  await page.getByRole('menuitemradio', { name: '0.5×', exact: true }).click();
  await expect(open.getByLabel('Clip', { exact: true })).toHaveJSProperty('playbackRate', 0.5);
});

test('a session that has ended leads to the sign-in and back to where one was', async ({ page, service }) => {
  await service.signInPage('/highlights?method=lof');
  await expect(page.getByRole('heading', { name: 'Nothing to compare' })).toBeVisible();
  // Elsewhere the session is ended and the key replaced.
  const cookie = (await page.context().cookies(service.url)).map(({ name, value }) => `${name}=${value}`).join('; ');
  expect((await createTestBrowser(service.url, cookie).post('/auth/sign-out')).status).toBe(200);
  const owner = await service.signIn();
  const [key] = (await owner.get<{ id: string }[]>('/manage/api-keys')).data;
  await owner.post('/manage/api-keys');
  expect((await owner.delete(`/manage/api-keys/${key?.id}`)).status).toBe(200);
  // Its stream of events ends with the key, so the page may ask by itself before anything is pressed.
  await page
    .getByRole('button', { name: 'Overall' })
    .click({ timeout: 3000 })
    .catch(() => undefined);
  await expect(page.getByRole('heading', { name: 'Sign in to Media Search' })).toBeVisible();
  await page.getByText('Sign in with a link instead').click();
  await page.getByLabel('Sign-in link').fill(await service.signInLink());
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
  await expect(page).toHaveURL(/\/highlights\?method=(knn|lof)/);
  await expect(page.getByRole('heading', { name: 'Nothing to compare' })).toBeVisible();
});

test('a word with a typing error finds what was meant, and the page says so @phone', async ({ page, service }) => {
  await service.addPhoto('harbour.png', plain(110, 180, 240));
  await service.addPhoto('meadow.png', plain(40, 150, 40));
  await service.signInPage();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${service.url}/search?q=harbuor`);
    const notice = page
      .getByRole('status')
      .filter({ hasText: 'No text contains “harbuor”. Showing results for “harbour” instead.' });
    await expect(notice).toBeInViewport({ ratio: 1 });
    await expect(hits(page).first()).toHaveAccessibleName(/^Show harbour\.png /);
    await expect(page.locator('mark')).toHaveText('harbour');
  }
});
