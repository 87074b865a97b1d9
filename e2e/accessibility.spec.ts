import { expect, type Page } from '@playwright/test';
import { makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { createTusRequests } from '../server/testing/tus-requests.ts';
import { findViolations } from './axe.ts';
import { test } from './service.ts';

/** The sections of the settings, by their addresses. */
const settingsSections = {
  profile: 'Profile',
  workspace: 'Workspace',
  members: 'Members',
  'labels?kind=creator': 'Labels',
  'labels?kind=category': 'Labels',
  'labels?kind=tag': 'Labels',
  'labels?kind=collection': 'Labels',
  'shared-links': 'Shared links',
  sources: 'Sources',
  'api-keys': 'API keys',
  webhooks: 'Webhooks',
  connection: 'Connection',
};

/** The section of the settings that shows the panel of the categories. */
const sameAsCategories = '/settings/creators';

/** The pages whose layout on a phone puts other elements on other grounds; the colours themselves do not depend on the width. */
const distinctOnPhone = new Set(['Library', 'trip-to-the-coast.mp4', 'green', 'My workspace']);

/** Rules about what the colours of a page change; all others hold in each theme if they hold in one. */
const colourRules = ['color-contrast', 'link-in-text-block', 'target-size'];

type Size = { width: number; height: number };

/** Expects that axe finds nothing on a page, or a part of it, as it is. */
async function expectNoViolations(
  page: Page,
  what: string,
  part: { rules?: string[]; within?: string } = {},
): Promise<void> {
  // A change of theme shows with the next frame: until then some colours are those of the last one.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  // What fades in has the colours of what is behind it too.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect?.getComputedTiming().iterations === Infinity),
  );
  expect(await findViolations(page, part), what).toEqual([]);
}

/** Expects that nothing sticks out to the side. On a phone the window itself grows with what does, so the screen is the measure. */
async function expectNothingSticksOut(page: Page, what: string): Promise<void> {
  const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, window.innerWidth));
  expect(width, what).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

/**
 * Goes to an address of the dashboard as its links do, without loading it again: that, with axe each time, takes as long as to analyse it. In light
 * colours and at the full size.
 */
async function goTo(page: Page, address: string, fullSize: Size): Promise<void> {
  const go = (to: string) =>
    page.evaluate((url) => {
      history.pushState(null, '', url);
      dispatchEvent(new PopStateEvent('popstate'));
    }, to);
  // By way of a page that cannot be mistaken for the next one, and that is drawn quickly.
  await go('/nowhere');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await page.setViewportSize(fullSize);
  await go(address);
}

/**
 * Expects that axe finds nothing on a page that is being opened, that nothing is cut and, on a desktop at 1440 and 1024 pixels, that nothing sticks out.
 * @param inAllColours whether it is analysed in dark and in forced colours too: each costs as much as opening it
 */
async function expectAccessible(page: Page, what: string, heading: string, inAllColours = true): Promise<void> {
  const title = page.getByRole('heading', { name: heading }).first();
  await expect(title, what).toBeVisible();
  await expect(page, what).toHaveTitle(/. · Media Search$/);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await expectNoViolations(page, `${what}, light`);
  await expectNothingSticksOut(page, what);
  // The title is shown in full, not cut with an ellipsis; over a picture it has one line, and the details have all of it.
  const cut = await title.evaluate((element) =>
    // Beside a menu that names it, a section has a title for those who listen.
    element.closest('[data-viewer]') || element.clientWidth <= 1 ? 0 : element.scrollWidth - element.clientWidth,
  );
  expect(cut, what).toBeLessThanOrEqual(0);
  // Theme and size change together: each costs an analysis.
  if ((page.viewportSize()?.width ?? 0) > 1024) await page.setViewportSize({ width: 1024, height: 768 });
  if (inAllColours) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(page.locator('html.dark')).toHaveCount(1);
    await expectNoViolations(page, `${what}, dark`, { rules: colourRules });
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
    // What fills the window with a picture is dark in any theme.
    await expect(page.locator('html.dark')).toHaveCount(await page.locator('[data-viewer]').count());
    await expectNoViolations(page, `${what}, forced colours`, { rules: colourRules });
  }
  await expectNothingSticksOut(page, `${what}, 1024 pixels`);
}

test('axe finds nothing on any page, in both themes and forced colours, and nothing sticks out @phone', async ({
  page,
  service,
  isMobile: isPhone,
}) => {
  test.setTimeout(400_000);
  const { client, url } = service;
  await makePhoto(service.file('grass.png'), plain(40, 150, 40));
  // More matches of one query than a phone is wide.
  const colours = [plain(200, 20, 20), plain(20, 40, 200), plain(230, 40, 30), plain(20, 160, 60), plain(180, 10, 20)];
  const scenes = colours.map((paint) => ({ paint, seconds: 1 }));
  const lines = [{ start: 0, end: 4, text: 'Welcome aboard the ferry' }];
  const subtitleTracks = ['eng', 'ger'].map((language) => ({ language, lines }));
  await makeVideo(service.file('trip-to-the-coast.mp4'), {
    scenes,
    width: 160,
    height: 120,
    subtitleTracks,
    subtitleFormat: 'mov_text',
  });
  const photo = await service.addFile('grass.png');
  const { id } = await service.addFile('trip-to-the-coast.mp4');
  const owner = await service.signIn();
  const invitation = await owner.post<{ url: string }>('/manage/invitations', { role: 'member' });
  await client.post('/creators', { name: 'Ana Lima' });
  await client.post('/saved-searches', {
    name: 'Blue clips',
    page: 'search',
    parameters: { q: 'blue', type: 'video' },
  });
  const share = await client.post<{ url: string }>('/shares', { media_id: photo.id, title: 'A meadow' });
  const tag = await client.post<{ id: string }>('/tags', { name: 'coast' });
  await client.post(`/tags/${tag.data.id}/items`, { add: [id] });
  const collection = await client.post<{ id: string }>('/collections', { name: 'Summer' });
  await client.post(`/collections/${collection.data.id}/items`, { add: [id, photo.id] });
  await makePhoto(service.file('old.png'), plain(90, 90, 90));
  await client.post('/trash', { ids: [(await service.addFile('old.png')).id] });
  for (const filename of ['a holiday by the sea.mp4', 'ferry.mp4'])
    await createTusRequests(service).create(3_000_000, { filename });
  const fullSize = page.viewportSize() as Size;
  for (const [address, heading] of [
    [`${url}/sign-in`, 'Sign in to Media Search'],
    [invitation.data.url, 'Join My workspace'],
  ] as const) {
    await page.setViewportSize(fullSize);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', forcedColors: 'none' });
    await page.goto(address);
    await expectAccessible(page, address, heading);
  }
  await service.signInPage();
  // The page of the video has captions over its picture, in one of two languages, and its transcript.
  await page.evaluate(() => {
    localStorage.setItem('captions', 'shown');
    localStorage.setItem('viewer-drawer', 'open');
    localStorage.setItem('viewer-tab', 'texts');
  });
  const pages = [
    ['/', 'Library'],
    ['/?view=months', 'Library'],
    [`/media/${id}?q=red&t=1`, 'trip-to-the-coast.mp4'],
    ['/saved-searches', 'Saved searches'],
    ['/collections', 'Collections'],
    [`/collections/${collection.data.id}`, 'Summer'],
    ['/duplicates', 'Duplicates'],
    ['/search/video', 'The video is no longer available'],
    ['/trash', 'Trash'],
    ['/search', 'Search this library'],
    ['/search?q=green', 'green'],
    ['/highlights', 'Unusual moments'],
    ['/highlights?view=map', 'Unusual moments'],
    ['/map', 'Map'],
    ['/workspace', 'My workspace'],
    ['/nowhere', 'Page not found'],
    ['/settings', 'Settings'],
    ...Object.entries(settingsSections).map(([section, title]) => [`/settings/${section}`, title] as const),
  ] as const;
  for (const [address, heading] of pages) {
    const isDistinct = isPhone ? distinctOnPhone.has(heading) : address !== sameAsCategories;
    await goTo(page, address, fullSize);
    await expectAccessible(page, address, heading, isDistinct);
  }

  // A search that is limited and finds nothing, and the menu that limits it.
  await goTo(page, '/search?q=green&in=ocr', fullSize);
  await expect(page.getByRole('button', { name: 'Search everywhere' })).toBeVisible();
  await expectNoViolations(page, 'limited search');
  await page.getByRole('button', { name: 'Search in', exact: true }).click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, forcedColors: 'none' });
    await expectNoViolations(page, `search in, ${colorScheme}`, { within: '[role=menu]' });
  }
  await expectNothingSticksOut(page, 'search in');

  // The public page is not a part of the dashboard.
  await page.goto(share.data.url);
  await expect(page.getByRole('heading', { name: 'A meadow' })).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, forcedColors: 'none' });
    await expectNoViolations(page, `shared page, ${colorScheme}`);
  }
  await expectNothingSticksOut(page, 'shared page');
});

test('the script is served compressed and cached by the browser', async ({ page, service }) => {
  const scripts: [string | undefined, string | undefined][] = [];
  page.on('response', async (response) => {
    if (!/\/assets\/.*\.js$/.test(response.url())) return;
    const headers = response.headers();
    scripts.push([headers['content-encoding'], headers['cache-control']]);
  });
  await page.goto(await service.signInLink());
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  expect(scripts.length).toBeGreaterThan(2);
  const large = scripts.filter(([encoding]) => encoding !== undefined);
  expect(large.length).toBeGreaterThan(2);
  for (const [encoding, caching] of large) {
    expect(encoding).toMatch(/br|gzip/);
    expect(caching).toMatch(/immutable/);
  }
});
