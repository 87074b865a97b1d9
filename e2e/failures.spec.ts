import { writeFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { setItemStatus } from '../server/testing/item-status.ts';
import { chooseFiles, hits, mediaCards, signOutWithoutPassword, uploadRow, uploads } from './dashboard.ts';
import { startReverseProxy } from './reverse-proxy.ts';
import { test } from './service.ts';

// What these tests provoke is reported by the browser as an error of its own.
test.use({ expectedErrors: /status of (4\d\d|50\d)|net::ERR_(CONNECTION|SOCKET|EMPTY_RESPONSE)/ });

const offline = (page: Page) => page.getByText('The server cannot be reached. Retrying automatically');

test("a proxy's 502 is shown as a service that is away, and passes by itself", async ({ page, service }) => {
  await using proxy = await startReverseProxy(service.url);
  await service.addPhoto('berry.png', plain(215, 25, 25));
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(mediaCards(page)).toHaveCount(1);
  const body = '<html><body><h1>502 Bad Gateway</h1></body></html>';
  proxy.stub((path) => (path.startsWith('/api/') ? { status: 502, type: 'text/html', body } : null));
  await page.getByRole('link', { name: 'Workspace' }).click();
  await expect(offline(page)).toBeVisible();
  await expect(page.getByText('Bad Gateway')).toHaveCount(0);
  proxy.stub(() => null);
  await expect(offline(page)).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Workspace' })).toBeVisible();
  await page.getByRole('link', { name: 'Library' }).click();
  await expect(mediaCards(page)).toHaveCount(1);
});

test('“Try again” asks the service again', async ({ page, service }) => {
  await using proxy = await startReverseProxy(service.url);
  await service.addPhoto('berry.png', plain(215, 25, 25));
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(mediaCards(page)).toHaveCount(1);
  const error = { code: 'validation_error', message: 'A refusal of the test.' };
  const body = JSON.stringify({ success: false, error });
  proxy.stub((path) => (path.includes('/media/search') ? { status: 400, type: 'application/json', body } : null));
  await page.goto(`${proxy.url}/search?q=red`);
  await expect(page.getByRole('alert')).toHaveText('A refusal of the test.');
  proxy.stub(() => null);
  const before = proxy.count(/GET \/api\/v1\/media\/search\?/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/ 1 weaker$/)).toBeVisible();
  expect(proxy.count(/GET \/api\/v1\/media\/search\?/)).toBe(before + 1);
});

test('a failed item is sent to indexing again by “Try again”', async ({ page, service }) => {
  await using proxy = await startReverseProxy(service.url);
  await writeFile(service.file('broken.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  const { data } = await service.client.upload(service.file('broken.png'));
  const failed = await service.client.waitUntilIndexed(data.id);
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(mediaCards(page)).toHaveCount(1);
  await page.goto(`${proxy.url}/media/${data.id}`);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => proxy.count(new RegExp(`^POST /api/v1/media/${data.id}/retry`))).toBe(1);
  await expect
    .poll(async () => (await service.client.waitUntilIndexed(data.id)).updated_at)
    .not.toBe(failed.updated_at);
  await expect(page.getByRole('heading', { name: 'This file could not be indexed' })).toBeVisible();
});

test('signing out clears what was searched for', async ({ page, service }) => {
  await service.signInPage('/search?q=blue+sky');
  await expect(page.getByRole('heading', { name: 'Nothing to search yet' })).toBeVisible();
  const stored = () => page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  await expect.poll(stored).toContain('blue sky');
  await signOutWithoutPassword(page);
  await expect(page).toHaveURL(/\/sign-in/);
  expect(await stored()).not.toContain('blue sky');
  await service.signInPage('/search');
  await expect(page.getByRole('heading', { name: 'Describe a moment' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Recent searches' })).toHaveCount(0);
});

test('without events the state of what is new is asked for every second, of what takes long every five, of what is done not', async ({
  page,
  service,
}) => {
  await using proxy = await startReverseProxy(service.url);
  await makePhoto(service.file('berry.png'), plain(215, 25, 25));
  const { data } = await service.client.upload(service.file('berry.png'));
  await service.client.waitUntilIndexed(data.id);
  // There is no job for it, so it stays as it is set.
  await setItemStatus(service.db, data.id, 'pending');
  proxy.stub((path) => (path.startsWith('/api/v1/events') ? { status: 404, type: 'text/plain', body: '' } : null));
  await page.clock.install({ time: new Date() });
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(mediaCards(page)).toHaveCount(1);

  /** Lets so many seconds of the page pass, each with the time that an answer takes; returns how often the state was asked for. */
  async function asksWithin(seconds: number): Promise<number> {
    const lists = /^GET \/api\/v1\/media\?ids=/;
    const before = proxy.count(lists);
    for (let i = 0; i < seconds; i++) {
      await page.clock.runFor(1000);
      await page.evaluate(() => fetch('/favicon.svg').then((answer) => answer.text()));
    }
    return proxy.count(lists) - before;
  }
  const soon = await asksWithin(10);
  expect(soon).toBeGreaterThanOrEqual(8);
  expect(soon).toBeLessThanOrEqual(11);
  await asksWithin(25);
  const later = await asksWithin(20);
  expect(later).toBeGreaterThanOrEqual(3);
  expect(later).toBeLessThanOrEqual(5);
  await setItemStatus(service.db, data.id, 'complete');
  await asksWithin(6);
  expect(await asksWithin(20)).toBe(0);
});

test('after a 429 nothing is sent before its time; the page counts down and then goes on', async ({
  page,
  service,
}) => {
  await using proxy = await startReverseProxy(service.url);
  await service.addPhoto('berry.png', plain(215, 25, 25));
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(mediaCards(page)).toHaveCount(1);
  const body = JSON.stringify({ success: false, error: { code: 'throttled', message: 'Too many requests.' } });
  const headers = { 'Retry-After': '4' };
  let refusedAt = 0;
  proxy.stub((path) => {
    if (!path.startsWith('/api/')) return null;
    refusedAt = performance.now();
    return { status: 429, type: 'application/json', body, headers };
  });
  // In the page itself, since the notice is another one when a request that was under way is refused too.
  const seconds = await page.evaluateHandle(() => {
    const seen = new Set<string>();
    const look = () => {
      const shown = /Trying again in (\d) s/.exec(document.body.textContent)?.[1];
      if (shown !== undefined) seen.add(shown);
      requestAnimationFrame(look);
    };
    look();
    return seen;
  });
  await page.getByRole('link', { name: 'Workspace' }).click();
  const notice = page.getByText(/Trying again in \d s/);
  await expect(notice).toBeVisible();
  // What was sent beside the first, and arrives late, does not count.
  let sentAt = Infinity;
  page.on('request', (request) => {
    if (request.url().includes('/api/')) sentAt = Math.min(sentAt, performance.now());
  });
  proxy.stub(() => null);
  // Whatever is opened meanwhile waits as well.
  await page.getByRole('link', { name: 'Highlights' }).click();
  await expect(hits(page)).toHaveCount(1);
  expect(await seconds.evaluate(({ size }) => size)).toBeGreaterThan(1);
  expect(sentAt - refusedAt).toBeGreaterThan(3990);
});

test.describe('a service that is stopped', () => {
  test.use({ settings: {} });

  test('a page that cannot be loaded keeps menu and uploads, and opens by itself when the service is back', async ({
    page,
    service,
  }) => {
    await service.addPhoto('berry.png', plain(215, 25, 25));
    await service.signInPage();
    await expect(mediaCards(page)).toHaveCount(1);
    await service.stop();
    await page.getByRole('link', { name: 'Highlights' }).click();
    await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
    await expect(page.getByText('The server does not answer. Retrying automatically…')).toBeVisible();
    await expect(offline(page)).toBeVisible();
    await page.getByRole('link', { name: 'Library' }).click();
    await expect(mediaCards(page)).toHaveCount(1);
    await page.getByRole('link', { name: 'Highlights' }).click();
    // A dialog that is not loaded either waits as well.
    await page.keyboard.press('Control+k');
    await service.restart();
    // When it was half loaded as the service went away, the page is loaded again.
    await expect(async () => {
      if (!(await page.getByRole('dialog').isVisible())) await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog')).toBeVisible({ timeout: 4000 });
    }).toPass();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { name: 'Unusual moments' })).toBeVisible();
  });
});

test('after a new version was installed it is loaded, but not while files are being sent', async ({
  page,
  service,
}) => {
  await using proxy = await startReverseProxy(service.url);
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  const next = '<script type="module" src="/assets/index-of-the-next-version.js"></script>';
  let reloaded = false;
  proxy.stub((path) => {
    // The reload: from then on the page is the new version.
    if (path === '/highlights') reloaded = true;
    if (reloaded) return null;
    if (path.startsWith('/assets/highlights-page')) return { status: 404, type: 'text/plain', body: '' };
    if (path.endsWith('/media/upload')) return { status: 503, type: 'text/plain', body: '' };
    return path === '/' ? { status: 200, type: 'text/html', body: next } : null;
  });
  await writeFile(service.file('a.png'), 'anything');
  await chooseFiles(page, [service.file('a.png')]);
  await expect(uploadRow(page, 'a.png')).toBeVisible();
  await page.getByRole('link', { name: 'Highlights' }).click();
  await expect(page.getByText('It opens by itself when your uploads are finished.')).toBeVisible();
  await expect(page.getByRole('main').getByRole('button', { name: 'Reload now' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Library' })).toBeVisible();
  expect(reloaded).toBe(false);
  await uploads(page).getByRole('button', { name: 'Cancel a.png' }).click();
  await expect(page.getByRole('heading', { name: 'Unusual moments' })).toBeVisible();
  expect(reloaded).toBe(true);
});
