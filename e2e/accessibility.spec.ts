import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { makePhoto, makeVideo, plain } from '../server/samples/draw-media.ts';
import { test } from './service.ts';

/** Opens a page, and expects in both themes that axe finds nothing, that nothing is cut and that nothing sticks out. */
async function expectAccessible(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(address);
  const title = page.getByRole('heading', { name: heading }).first();
  await expect(title, address).toBeVisible();
  await page.waitForLoadState('networkidle');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html.dark')).toHaveCount(colorScheme === 'dark' ? 1 : 0);
    // The pages have no frames. For those axe would open a page of its own after each analysis.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    const found = violations.flatMap(({ id: rule, nodes }) =>
      nodes.map(({ html }) => `${rule}: ${html.slice(0, 160)}`),
    );
    expect(found, `${address}, ${colorScheme}`).toEqual([]);
    // Nothing sticks out to the side. On a phone the window itself grows with what does, so the screen is the measure.
    const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, window.innerWidth));
    expect(width, address).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    // The title is shown in full, not cut with an ellipsis.
    const cut = await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut, address).toBeLessThanOrEqual(0);
  }
}

test('axe finds nothing on any page, light or dark @phone', async ({ page, service }) => {
  const { client, url } = service;
  await makePhoto(service.file('grass.png'), plain(40, 150, 40));
  const scenes = [plain(200, 20, 20), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(service.file('trip-to-the-coast.mp4'), { scenes });
  await service.addFile('grass.png');
  const { id } = await service.addFile('trip-to-the-coast.mp4');
  await makePhoto(service.file('a-long-name-of-a-picture-that-nobody-wanted-to-keep-for-long.png'), plain(90, 50, 40));
  const unwanted = await service.addFile('a-long-name-of-a-picture-that-nobody-wanted-to-keep-for-long.png');
  await client.post('/trash', { ids: [unwanted.id] });
  const owner = await service.signIn();
  const invitation = await owner.post<{ url: string }>('/manage/invitations', { role: 'member' });
  await client.post('/creators', { name: 'Ana Lima' });
  await client.post('/saved-searches', {
    name: 'Blue clips',
    page: 'search',
    parameters: { q: 'blue', type: 'video' },
  });
  const collection = await client.post<{ id: string }>('/collections', { name: 'Trip to Lisbon' });
  await client.post(`/collections/${collection.data.id}/items`, { add: [id] });
  const tag = await client.post<{ id: string }>('/tags', { name: 'sunset' });
  await client.post(`/tags/${tag.data.id}/items`, { add: [id] });
  await expectAccessible(page, `${url}/sign-in`, 'Sign in to Media Search');
  await expectAccessible(page, invitation.data.url, 'Join My workspace');
  await service.signInPage();
  const pages = [
    ['/', 'Library'],
    [`/media/${id}`, 'trip-to-the-coast.mp4'],
    ['/saved-searches', 'Saved searches'],
    ['/collections', 'Collections'],
    [`/collections/${collection.data.id}`, 'Trip to Lisbon'],
    ['/search', 'Describe a moment'],
    ['/search?q=green', 'green'],
    ['/highlights', 'Highlights'],
    ['/highlights?view=map', 'Highlights'],
    ['/workspace', 'My workspace'],
    ['/trash', 'Trash'],
    ['/nowhere', 'Page not found'],
  ] as const;
  for (const [address, heading] of pages) await expectAccessible(page, url + address, heading);
});

test('axe finds nothing in the settings, light or dark @phone', async ({ page, service }) => {
  const shared = await service.addPhoto('shared.png', plain(20, 90, 160));
  await service.client.post('/shares', { media_id: shared.id });
  await service.client.post('/creators', { name: 'Ana Lima' });
  const owner = await service.signIn();
  await owner.post('/manage/invitations', { role: 'member' });
  await service.signInPage();
  for (const section of [
    'api-keys',
    'members',
    'categories',
    'creators',
    'tags',
    'shared-links',
    'workspace',
    'profile',
    'connection',
  ])
    await expectAccessible(page, `${service.url}/settings/${section}`, 'Settings');
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
