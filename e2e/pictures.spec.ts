import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { test } from './service.ts';

/** Adds photographs of three megapixels. */
async function addPhotos(
  service: {
    file(name: string): string;
    client: { upload(file: string): Promise<{ data: { id: string } }>; waitUntilIndexed(id: string): Promise<unknown> };
  },
  count: number,
) {
  for (let i = 0; i < count; i++) {
    const file = service.file(`photo-${i}.jpg`);
    const background = { r: 40 * (i % 6), g: 90, b: 200 - 30 * (i % 6) };
    await sharp({ create: { width: 2100, height: 1400, channels: 3, background } })
      .jpeg()
      .toFile(file);
    await service.client.waitUntilIndexed((await service.client.upload(file)).data.id);
  }
}

test('cards show the size that fits them, in the shape of the photo, and browsers keep it', async ({
  page,
  service,
}) => {
  await addPhotos(service, 2);
  const answers: { name: string; cache: string | null }[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith('/files/')) return;
    answers.push({ name: pathname.split('/').at(-1) ?? '', cache: response.headers()['cache-control'] ?? null });
  });
  await service.signInPage();
  const picture = page.getByRole('link', { name: /photo-0\.jpg/ }).locator('img');
  await expect(picture).toBeVisible();
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth))
    .toBeTruthy();
  const { shown, natural } = await picture.evaluate((image: HTMLImageElement) => ({
    shown: image.getBoundingClientRect().width,
    natural: [image.naturalWidth, image.naturalHeight],
  }));
  expect(Math.abs((natural[0] ?? 0) / (natural[1] ?? 1) - 1.5)).toBeLessThan(0.02);
  // Enough for the place, and no more than the next size above it.
  const expected = shown <= 320 ? 'poster-320.webp' : 'poster-640.webp';
  expect(new Set(answers.map(({ name }) => name))).toEqual(new Set([expected]));
  expect(answers.every(({ cache }) => cache?.includes('immutable'))).toBe(true);
});

test('requests of cards that are gone end', async ({ page, service }) => {
  await addPhotos(service, 3);
  const begun = new Set<string>();
  const ended: string[] = [];
  await page.route('**/files/**', async (route) => {
    begun.add(route.request().url());
    await delay(20_000);
    await route.continue().catch(() => undefined);
  });
  page.on('requestfailed', (request) => {
    if (request.url().includes('/files/')) ended.push(`${request.failure()?.errorText}`);
  });
  await service.signInPage();
  await expect.poll(() => begun.size).toBe(3);
  await page.getByRole('link', { name: 'Trash' }).click();
  await expect(page.getByRole('heading', { name: 'Trash', level: 1 })).toBeVisible();
  await expect.poll(() => ended).toEqual(['net::ERR_ABORTED', 'net::ERR_ABORTED', 'net::ERR_ABORTED']);
});
