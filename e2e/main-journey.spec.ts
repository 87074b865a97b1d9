import { readFile, writeFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { checkers, makePhoto, makeVideo, plain, square } from '../packages/media/samples/draw-media.ts';
import {
  addFilter,
  chooseFiles,
  expectPlaying,
  expectToast,
  hits,
  mediaCard,
  openAccount,
  openDetails,
  player,
  searchFor,
  signOutWithoutPassword,
  uploadRow,
  uploads,
} from './dashboard.ts';
import { test } from './service.ts';

const red = plain(200, 20, 20);
const green = plain(30, 150, 40);
const blue = plain(20, 40, 200);

/** Drops files on the window, as a file manager would. */
async function dropFiles(page: Page, files: { name: string; path: string; type: string }[]): Promise<void> {
  const contents = await Promise.all(
    files.map(async ({ name, path, type }) => ({ name, type, base64: (await readFile(path)).toString('base64') })),
  );
  const transfer = await page.evaluateHandle((dropped) => {
    const data = new DataTransfer();
    for (const { name, type, base64 } of dropped) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
    }
    return data;
  }, contents);
  await page.getByRole('main').dispatchEvent('dragenter', { dataTransfer: transfer });
  await page.getByText('Drop to upload').dispatchEvent('drop', { dataTransfer: transfer });
  await expect(page.getByText('Drop to upload')).toBeHidden();
}

test('drop a video, find a moment in it, play it from start to end @phone', async ({ page, service, isMobile }) => {
  await makeVideo(service.file('trip.avi'), {
    scenes: [red, green, blue].map((paint) => ({ paint, seconds: 2 })),
    codec: 'mpeg4',
    width: 320,
    height: 180,
  });
  await page.goto(await service.signInLink());
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  expect(page.url()).toBe(`${service.url}/`);

  await dropFiles(page, [{ name: 'trip.avi', path: service.file('trip.avi'), type: 'video/x-msvideo' }]);
  await expect(uploads(page).getByText('trip.avi')).toBeVisible();
  await expect(uploads(page).getByText('Ready', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(mediaCard(page, 'trip.avi')).toContainText('0:06');

  await searchFor(page, 'green');
  await expect(page).toHaveURL(/\/search\?q=green/);
  const hit = hits(page).first();
  await expect(hit).toHaveAccessibleName(/^Play trip\.avi .*0:02\.0 – 0:04\.0/);
  await hit.click();

  const video = await expectPlaying(page, 'trip.avi');
  const times = await video.evaluate(async (element: HTMLVideoElement) => {
    const seen: number[] = [];
    await new Promise<void>((done) => {
      const look = (_: number, frame: VideoFrameCallbackMetadata) => {
        seen.push(frame.mediaTime);
        element.requestVideoFrameCallback(look);
      };
      element.requestVideoFrameCallback(look);
      element.addEventListener('pause', () => setTimeout(done, 300), { once: true });
    });
    return seen;
  });
  expect(Math.min(...times)).toBeGreaterThanOrEqual(1.95);
  expect(Math.max(...times)).toBeLessThan(4.05);
  expect(Math.max(...times)).toBeGreaterThan(3.8);
  // What is shown is green, not the next shot.
  const shown = await video.evaluate((element: HTMLVideoElement) => {
    const canvas = document.createElement('canvas');
    canvas.width = 1;
    canvas.height = 1;
    const context = canvas.getContext('2d');
    context?.drawImage(element, 0, 0, 1, 1);
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])];
  });
  expect(shown[1]).toBeGreaterThan(Math.max(shown[0] ?? 255, shown[2] ?? 255) + 40);

  // On a phone a finger meets every control.
  if (isMobile) {
    for (const control of await player(page, 'trip.avi').getByRole('button').all()) {
      if ((await control.getAttribute('aria-label')) === 'Close' || !(await control.getAttribute('title'))) continue;
      const box = await control.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0), await control.ariaSnapshot()).toBeGreaterThanOrEqual(44);
    }
  }

  // Looping, it goes back and plays on.
  if (isMobile) {
    await player(page, 'trip.avi').getByRole('button', { name: 'Playback options' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Loop' }).click();
  } else await player(page, 'trip.avi').getByRole('button', { name: 'Loop' }).click();
  await player(page, 'trip.avi').getByRole('button', { name: 'Play', exact: true }).click();
  const loops = await video.evaluate(async (element: HTMLVideoElement) => {
    let back = 0;
    let last = element.currentTime;
    const until = performance.now() + 20_000;
    while (performance.now() < until && back < 2) {
      await new Promise(requestAnimationFrame);
      if (element.currentTime < last - 1) back += 1;
      last = element.currentTime;
    }
    return back;
  });
  expect(loops).toBe(2);

  // The hit is in the address: reloading shows it again, Escape leaves it.
  await page.reload();
  await expect(player(page, 'trip.avi')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page).not.toHaveURL(/hit=/);
});

test('an item is viewed, downloaded and deleted', async ({ page, service }) => {
  await service.addPhoto('strawberry.png', square([210, 20, 30], [255, 255, 255]));
  await page.goto(await service.signInLink());
  await mediaCard(page, 'strawberry.png').click();
  await openDetails(page);
  await expect(page.getByRole('region', { name: 'Details' })).toContainText('320 × 200');
  await expect(page.getByRole('img', { name: 'strawberry.png' })).toHaveJSProperty('naturalWidth', 320);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('strawberry.png');
  expect(await readFile(await download.path())).toEqual(await readFile(service.file('strawberry.png')));

  await page.getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'Moved to trash');
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  expect((await service.client.search('red')).data).toEqual([]);
});

test('several files at once: progress, duplicates and failures are told apart', async ({ page, service }) => {
  await makePhoto(service.file('sea.jpg'), plain(20, 60, 180));
  await makeVideo(service.file('checkers.mp4'), { scenes: [{ paint: checkers(0.3), seconds: 3 }], audio: true });
  await service.addFile('sea.jpg');
  await page.goto(await service.signInLink());
  await writeFile(service.file('notes.mp4'), 'only text');
  await chooseFiles(
    page,
    ['sea.jpg', 'checkers.mp4', 'notes.mp4'].map((name) => service.file(name)),
  );
  await expect(uploadRow(page, 'sea.jpg')).toContainText('Already in your library');
  await expect(uploadRow(page, 'checkers.mp4')).toContainText('Ready');
  await expect(uploadRow(page, 'notes.mp4').getByRole('alert')).toContainText('is no video, image or sound');
  // Trying again would not make a video of it.
  await expect(uploadRow(page, 'notes.mp4').getByRole('button', { name: 'Retry' })).toHaveCount(0);
  await expect(uploads(page).getByRole('heading', { name: '2 ready · 1 failed' })).toBeVisible();
  await expectToast(page, '2 items are ready, 1 failed');

  // Uploads stay in sight while one moves about.
  await uploadRow(page, 'checkers.mp4').getByRole('link', { name: 'Open' }).click();
  await expect(page.getByRole('heading', { name: 'checkers.mp4' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Highlights' }).click();
  await expect(uploadRow(page, 'sea.jpg')).toBeVisible();
  await page.getByRole('button', { name: 'Close uploads' }).click();
  await expect(uploads(page)).toBeHidden();
});

test('filters are in the address and survive back and forward', async ({ page, service }) => {
  await makePhoto(service.file('one.jpg'), red);
  await makeVideo(service.file('two.mp4'), { scenes: [{ paint: green, seconds: 1 }] });
  for (const name of ['one.jpg', 'two.mp4']) {
    await service.addFile(name);
  }
  await page.goto(await service.signInLink());
  await expect(page.getByText('2 items')).toBeVisible();
  await addFilter(page, 'Type: Videos');
  await expect(mediaCard(page, 'one.jpg')).toBeHidden();
  await expect(page).toHaveURL(/type=video/);
  await addFilter(page, 'Status: Failed');
  await expect(page.getByRole('heading', { name: 'Nothing matches these filters' })).toBeVisible();
  await page.goBack();
  await expect(mediaCard(page, 'two.mp4')).toBeVisible();
  await page.reload();
  await expect(mediaCard(page, 'one.jpg')).toBeHidden();
});

test('search by keyboard, with words that have no visual meaning', async ({ page, service }) => {
  await service.addPhoto('red_barn.jpg', red);
  await page.goto(await service.signInLink());
  await page.getByRole('heading', { name: 'Library' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('barn');
  await page.keyboard.press('Enter');
  await expect(page.getByText('does not understand “barn”')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Show red_barn.jpg/ })).toContainText('barn');
  await searchFor(page, 'unicorn');
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible();
});

test('without a session the dashboard asks to sign in and then goes where one was heading', async ({
  page,
  service,
}) => {
  await makePhoto(service.file('red.jpg'), red);
  const { data } = await service.client.upload(service.file('red.jpg'));
  await service.client.waitUntilIndexed(data.id);
  await page.goto(`${service.url}/media/${data.id}`);
  await expect(page.getByRole('heading', { name: 'Sign in to Media Search' })).toBeVisible();
  await page.getByText('Sign in with a link instead').click();
  await page.getByLabel('Sign-in link').fill(await service.signInLink());
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
  await expect(page.getByRole('heading', { name: 'red.jpg' })).toBeVisible();
  await page.keyboard.press('Escape');
  await signOutWithoutPassword(page);
  await expect(page.getByRole('heading', { name: 'Sign in to Media Search' })).toBeVisible();
});

test('dark and light follow the system until one is chosen', async ({ page, service }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(await service.signInLink());
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await expect.poll(background).toBe('rgb(18, 17, 16)');
  await openAccount(page);
  await page.getByRole('button', { name: 'Light' }).click();
  await expect.poll(background).toBe('rgb(250, 249, 247)');
  await page.reload();
  await openAccount(page);
  await expect(page.getByRole('button', { name: 'Light' })).toHaveAttribute('aria-pressed', 'true');
  expect(await background()).toBe('rgb(250, 249, 247)');
});

test('a slow answer from before signing in does not sign out again', async ({ page, service }) => {
  // Holds the first question for the session back until the sign-in has been answered.
  const signedIn = page.waitForResponse(/\/auth\/sign-in/);
  let held = false;
  await page.route(/\/auth\/session/, async (route) => {
    if (held) return route.continue();
    held = true;
    const response = await route.fetch();
    await signedIn;
    return route.fulfill({ response }).catch(() => undefined);
  });
  await page.goto(await service.signInLink());
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
});
