import { expect, type Page } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { signOutWithoutPassword, uploadRow } from './dashboard.ts';
import { test } from './service.ts';

test.use({ serviceWorkers: 'allow', settings: {}, expectedErrors: /net::ERR_|Failed to fetch|status of (401|50\d)/ });

/** Waits until the service worker answers for the page. */
const whenControlled = (page: Page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 50));
  });

test('the dashboard can be installed', async ({ page, service }) => {
  await service.signInPage();
  const manifest = (await (await page.request.get(`${service.url}/manifest.webmanifest`)).json()) as {
    start_url: string;
    display: string;
    icons: { src: string; type: string; sizes: string; purpose?: string }[];
  };
  await expect(page.locator('link[rel=manifest]')).toHaveAttribute('href', '/manifest.webmanifest');
  expect(manifest).toMatchObject({ start_url: '/', display: 'standalone' });
  for (const { src, type, sizes } of manifest.icons) {
    const icon = await page.request.get(service.url + src);
    expect(icon.headers()['content-type'], src).toBe(type);
    if (type !== 'image/png') continue;
    const size = await page.evaluate(async (url) => {
      const image = await createImageBitmap(await (await fetch(url)).blob());
      return `${image.width}x${image.height}`;
    }, src);
    expect(size).toBe(sizes);
  }
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true);
});

test('it opens without the service, says so, and goes on when the service is back', async ({ page, service }) => {
  await service.addPhoto('berry.png', plain(215, 25, 25));
  await service.signInPage();
  await whenControlled(page);
  // From now on its files come through the worker, which keeps them.
  await page.reload();
  await expect(page.getByRole('list', { name: 'Media' }).getByRole('link')).toHaveCount(1);
  await service.stop();
  await page.reload();
  await expect(page.getByText('The server cannot be reached')).toBeVisible();
  await service.restart();
  await expect(page.getByRole('list', { name: 'Media' }).getByRole('link')).toHaveCount(1, { timeout: 60_000 });
  // Nothing of the service's data is kept in the browser.
  const kept = await page.evaluate(async () => {
    const cache = await caches.open('shell');
    return (await cache.keys()).map(({ url }) => new URL(url).pathname);
  });
  expect(
    kept.filter((path) => !/^\/(assets\/.+|icons\/.+|theme\.js|favicon\.svg|manifest\.webmanifest)?$/.test(path)),
  ).toEqual([]);
});

/** Shares a picture as the system of a phone does, and as a page of any other site could. */
const sharePicture = (page: Page) =>
  page.evaluate(async () => {
    const canvas = new OffscreenCanvas(320, 240);
    canvas.getContext('2d')?.fillRect(0, 0, 100, 100);
    const picture = await canvas.convertToBlob({ type: 'image/png' });
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action: '/share-target', enctype: 'multipart/form-data' });
    const input = Object.assign(document.createElement('input'), { type: 'file', name: 'files' });
    const files = new DataTransfer();
    files.items.add(new File([picture], 'über meer.png', { type: 'image/png' }));
    input.files = files.files;
    form.append(input);
    document.body.append(form);
    form.submit();
  });

test('what other apps share is uploaded once somebody says so', async ({ page, service }) => {
  await service.signInPage();
  await whenControlled(page);
  const offer = page.getByRole('dialog', { name: 'Upload this file?' });
  await sharePicture(page);
  await expect(offer).toContainText('über meer.png');
  await expect(page.getByRole('region', { name: 'Uploads' })).toBeHidden();
  await offer.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(`${service.url}/`);
  expect(await page.evaluate(() => caches.has('shared'))).toBe(false);

  await sharePicture(page);
  // A reload asks again.
  await expect(offer).toBeVisible();
  await page.reload();
  await offer.getByRole('button', { name: 'Upload' }).click();
  await expect(uploadRow(page, 'über meer.png')).toContainText('Ready');
  await expect(page).toHaveURL(`${service.url}/`);
  // A reload does not send it again.
  await page.reload();
  await expect(page.getByRole('list', { name: 'Media' }).getByRole('link')).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Uploads' })).toBeHidden();
});

test('signing out forgets what was shared', async ({ page, service }) => {
  await service.signInPage();
  await whenControlled(page);
  await sharePicture(page);
  await expect(page.getByRole('dialog', { name: 'Upload this file?' })).toBeVisible();
  await page.goto(service.url);
  expect(await page.evaluate(() => caches.has('shared'))).toBe(true);
  await signOutWithoutPassword(page);
  await expect.poll(() => page.evaluate(() => caches.has('shared'))).toBe(false);
});
