import { chromium, type Page } from '@playwright/test';
import { prepareBrowser } from '../e2e/browser.ts';
import { signInByLink } from '../e2e/dashboard.ts';
import { makePhoto, plain } from '../server/samples/draw-media.ts';
import { startTestService } from '../server/testing/running-service.ts';
import { seedItems } from '../server/testing/seed-items.ts';
import { median } from '../server/vectors.ts';
import { quantile } from './vectors.ts';

/**
 * How long a frame takes while a library of 5,000 items is scrolled through by the wheel, beside a page that is as high and empty, in turns in
 * the same browser. Fails when a frame takes more than 50 ms that the empty page does not take as well. The browser of the tests renders without
 * a GPU, so a real one is faster; the items have no files, so no images are decoded.
 *
 *     npm run build && (cd bench && npm install) && node bench/scroll.ts
 */

const items = 5000;
const rounds = 3;
const goalMs = 50;

await using service = await startTestService();
const file = `${service.folder}/one.png`;
await makePhoto(file, plain(10, 120, 200));
await service.client.waitUntilIndexed((await service.client.upload(file)).data.id);
await seedItems(service.db, items - 1);

const browser = await chromium.launch(await prepareBrowser());
const library = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await signInByLink(library, await service.signInLink());
await library.getByText(`${items.toLocaleString('en')} items`).waitFor();
const height = await library.evaluate(() => document.documentElement.scrollHeight);
const empty = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await empty.setContent(`<body style="height: ${height}px">`);

/** Milliseconds of each frame while the wheel turns: 60 notches down through the page, fast enough to load pages of it. */
async function measure(page: Page): Promise<number[]> {
  await page.bringToFront();
  await page.evaluate(() => window.scrollTo({ top: 0 }));
  await page.mouse.move(800, 500);
  const frames = page.evaluate(async () => {
    const times: number[] = [];
    let last = performance.now();
    const until = last + 4000;
    while (last < until) {
      const now = await new Promise<number>(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times.slice(1);
  });
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(50);
  }
  return frames;
}

const pages = { library, empty };
const times: Record<keyof typeof pages, number[]> = { library: [], empty: [] };
// The first time compiles the page's script.
await measure(library);
for (let round = 0; round < rounds; round++) {
  for (const name of ['library', 'empty'] as const) times[name].push(...(await measure(pages[name])));
}
await browser.close();
for (const [name, all] of Object.entries(times)) {
  console.log(
    `${name}: ${all.length} frames, median ${median(all).toFixed(1)} ms, 99 % ${quantile(all, 0.99).toFixed(1)} ms, longest ${Math.max(...all).toFixed(1)} ms, ${all.filter((time) => time > goalMs).length} above ${goalMs} ms`,
  );
}
if (Math.max(...times.library) > Math.max(goalMs, ...times.empty)) process.exitCode = 1;
