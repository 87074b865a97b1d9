import { median } from '@media-search/search-engine/vectors';
import { chromium, type Page } from '@playwright/test';
import { prepareBrowser } from '../../e2e/browser.ts';
import { openDashboard } from '../../e2e/dashboard.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { seedItems } from '../../server/testing/seed-items.ts';
import { quantile } from './vectors.ts';

/**
 * How long a frame takes while a library of 5,000 items is scrolled through by the wheel, beside a page that is as high and empty, one after the other in
 * the same browser; and the longest task of the page's thread in processor time, which other work of the machine does not lengthen as it does a
 * frame. Fails when a task takes more than 50 ms. The browser of the tests renders without a GPU, so a real one is faster; the items have no files,
 * so no images are decoded.
 *
 *     npm run build && npm run bench:install && npm run node -- lab/bench/scroll.ts
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
await openDashboard(library, await service.signInLink());
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

type TraceEvent = { ph: string; name: string; pid: number; tid: number; tdur?: number; args: { name?: string } };

/** Milliseconds of processor time of the longest task of a page's thread while it is scrolled. */
async function measureTasks(page: Page): Promise<number> {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel'] });
  await measure(page);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  return Math.max(
    ...traceEvents.filter(({ pid, tid }) => threads.has(`${pid}/${tid}`)).map(({ tdur = 0 }) => tdur / 1000),
  );
}

const pages = { library, empty };
// The first time compiles the page's script.
await measure(library);
let longest = 0;
for (const [name, page] of Object.entries(pages)) {
  const frames: number[] = [];
  const tasks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    frames.push(...(await measure(page)));
    tasks.push(await measureTasks(page));
  }
  if (page === library) longest = Math.max(...tasks);
  const late = frames.filter((time) => time > goalMs).length;
  console.log(
    `${name}: ${frames.length} frames, median ${median(frames).toFixed(1)} ms, 99 % ${quantile(frames, 0.99).toFixed(1)} ms, longest ${Math.max(...frames).toFixed(1)} ms, ${late} above ${goalMs} ms; longest task ${Math.max(...tasks).toFixed(1)} ms of processor time`,
  );
}
await browser.close();
if (longest > goalMs) process.exitCode = 1;
