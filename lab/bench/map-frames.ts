import { median, toUnit } from '@media-search/search-engine/vectors';
import { chromium, type Page } from '@playwright/test';
import { prepareBrowser } from '../../e2e/browser.ts';
import { openDashboard } from '../../e2e/dashboard.ts';
import { descriptorsEmbedder } from '../../packages/models/descriptors/descriptors-embedder.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { type SeededChunk, seedChunks } from '../../server/testing/seed-chunks.ts';
import { quantile } from './vectors.ts';

/**
 * How long a frame of the highlights map takes while it is dragged about: with 20,000 clips beside 200 in the same browser. The
 * browser of the tests renders without a GPU, so a real one is faster.
 *
 *     npm run build && npm run bench:install && npm run node -- lab/bench/map-frames.ts
 */

const rounds = 5;
const sizes = [200, 20_000];

await using service = await startTestService();
const { db } = service;

/** A clip whose vector lies in one of forty clusters. */
function heapedChunk(place: number): SeededChunk {
  const raw = Array.from(
    { length: descriptorsEmbedder.dimensions },
    (_, axis) => Math.sin((place % 40) * 7 + axis) + Math.random(),
  );
  return { vector: toUnit(raw) };
}

/** Milliseconds of each frame while the map is dragged back and forth for two seconds. */
async function measure(page: Page): Promise<number[]> {
  const box = await page.locator('canvas').boundingBox();
  if (!box) throw new Error('There is no map.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const frames = page.evaluate(async () => {
    const times: number[] = [];
    let last = performance.now();
    const until = last + 2000;
    while (last < until) {
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times;
  });
  for (let i = 0; i < 60; i++) {
    await page.mouse.move(x + 80 * Math.sin(i / 4), y + 50 * Math.cos(i / 4));
    await page.waitForTimeout(30);
  }
  await page.mouse.up();
  return frames;
}

const browser = await chromium.launch(await prepareBrowser());
const pages = new Map<number, Page>();
for (const size of sizes) {
  const { id } = await service.addWorkspace(`${size} clips`);
  await seedChunks(db, id, descriptorsEmbedder.id, { count: size, perItem: size }, heapedChunk);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await openDashboard(page, await service.signInLink(id));
  await page.goto(`${service.url}/highlights?view=map`);
  const began = performance.now();
  await page.getByRole('application').waitFor({ timeout: 200_000 });
  console.log(`${size} clips: shown after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  pages.set(size, page);
}
const times = new Map<number, number[]>(sizes.map((size) => [size, []]));
for (let round = 0; round < rounds; round++) {
  for (const [size, page] of pages) {
    await page.bringToFront();
    times.get(size)?.push(...(await measure(page)));
  }
}
for (const [size, all] of times) {
  console.log(`${size} clips: a frame every ${median(all).toFixed(1)} ms (95 %: ${quantile(all, 0.95).toFixed(1)} ms)`);
}
console.log(`ratio of medians: ${(median(times.get(20_000) ?? []) / median(times.get(200) ?? [])).toFixed(2)}`);
await browser.close();
