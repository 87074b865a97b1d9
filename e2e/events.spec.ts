import { expect, type Page } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { setItemStatus } from '../server/testing/item-status.ts';
import { mediaCard, mediaCards } from './dashboard.ts';
import { startReverseProxy } from './reverse-proxy.ts';
import { test } from './service.ts';

// Streams are refused.
test.use({ expectedErrors: /status of (4\d\d|50\d)|net::ERR_/ });

const polls = /^GET \/api\/v1\/media\?ids=/;
const streams = /^GET \/api\/v1\/events/;

/** What others wait for until it is opened. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** Waits so long that a page which polls would have asked several times. */
const watch = (page: Page) => page.waitForTimeout(3500);

test('what happens elsewhere is shown as it happens, and nothing is asked for again and again', async ({
  page,
  service,
}) => {
  await using proxy = await startReverseProxy(service.url);
  await service.addPhoto('berry.png', plain(215, 25, 25));
  const { id } = await service.addPhoto('leaf.png', plain(25, 215, 25));
  // There is no job for it, so it stays as it is set.
  await setItemStatus(service.db, id, 'pending');
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(mediaCards(page)).toHaveCount(2);
  await expect(mediaCard(page, /leaf/)).toContainText('Queued');
  await expect.poll(() => proxy.count(streams)).toBe(1);
  await watch(page);
  // Once, when the stream begins, unless the list came after that.
  const before = proxy.count(polls);
  expect(before).toBeLessThanOrEqual(1);
  await watch(page);
  expect(proxy.count(polls)).toBe(before);

  await setItemStatus(service.db, id, 'complete');
  await expect(mediaCard(page, /leaf/)).not.toContainText('Queued');
  expect(proxy.count(polls)).toBe(before + 1);

  await makePhoto(service.file('sea.png'), plain(25, 25, 215));
  const sea = await service.addFile('sea.png');
  await expect(mediaCards(page)).toHaveCount(3);
  await service.client.delete(`/media/${sea.id}`);
  await expect(mediaCards(page)).toHaveCount(2);
  expect(proxy.count(streams)).toBe(1);
});

for (const first of ['list', 'stream'] as const) {
  test(`what happens between the first list and the first event is shown; the ${first} arrives first`, async ({
    page,
    service,
  }) => {
    await service.addPhoto('leaf.png', plain(25, 215, 25));
    await makePhoto(service.file('sea.png'), plain(25, 25, 215));
    const [listRead, changed, begun] = [gate(), gate(), gate()];
    await page.route(/\/api\/v1\/media\?(?!ids=)/, async (route) => {
      const response = await route.fetch();
      listRead.open();
      if (first === 'stream') await begun.opened;
      await route.fulfill({ response });
    });
    await page.route(/\/api\/v1\/events/, async (route) => {
      await changed.opened;
      await route.continue();
    });
    const stream = page.waitForResponse(/\/api\/v1\/events/);
    await page.goto(await service.signInLink());
    await listRead.opened;
    await service.addFile('sea.png');
    changed.open();
    await stream;
    // Its first event follows at once.
    await page.waitForTimeout(300);
    begun.open();
    await expect(mediaCards(page)).toHaveCount(2);
  });
}

test('a page without the stream asks every second, until the stream is there', async ({ page, service }) => {
  await using proxy = await startReverseProxy(service.url);
  const { id } = await service.addPhoto('berry.png', plain(215, 25, 25));
  await setItemStatus(service.db, id, 'pending');
  const body = JSON.stringify({ success: false, error: { code: 'rate_limited', message: 'Too many streams.' } });
  proxy.stub((path) =>
    path.startsWith('/api/v1/events')
      ? { status: 429, type: 'application/json', body, headers: { 'Retry-After': '6' } }
      : null,
  );
  await page.goto(proxy.proxyUrl(await service.signInLink()));
  await expect(mediaCards(page)).toHaveCount(1);
  await watch(page);
  expect(proxy.count(polls)).toBeGreaterThanOrEqual(2);
  // Other requests do not wait for it.
  await expect(page.getByText(/Trying again in/)).toHaveCount(0);
  proxy.stub(() => null);
  await expect.poll(() => proxy.count(streams)).toBe(2);
  await watch(page);
  const before = proxy.count(polls);
  await watch(page);
  expect(proxy.count(polls)).toBe(before);
});
