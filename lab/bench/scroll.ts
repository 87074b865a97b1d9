import { cp } from 'node:fs/promises';
import path from 'node:path';
import { median } from '@media-search/search-engine/vectors';
import { chromium, type Page } from '@playwright/test';
import { sql } from 'kysely';
import { prepareBrowser } from '../../e2e/browser.ts';
import { openDashboard } from '../../e2e/dashboard.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { seedItems } from '../../server/testing/seed-items.ts';
import { quantile } from './vectors.ts';

/**
 * How long a frame takes while a library of 20,000 items of many shapes is scrolled through by the wheel, beside a page that is as high and empty,
 * one after the other in the same browser; the longest task of the page's thread in processor time, which other work of the machine does not
 * lengthen as it does a frame; and how many of the pictures that are in view have loaded one second after a jump over 5,000 items. Fails when a
 * task takes more than 50 ms, or when a picture in view is missing or another one than belongs there. The browser of the tests renders without
 * a GPU, so a real one is faster.
 *
 *     npm run build && npm run bench:install && npm run node -- lab/bench/scroll.ts
 */

const items = 20_000;
const jump = 5000;
const rounds = 3;
const goalMs = 50;
/** After a jump. */
const waitMs = 1000;

await using service = await startTestService();
const file = `${service.folder}/one.png`;
await makePhoto(file, plain(10, 120, 200));
const { data: first } = await service.client.upload(file);
await service.client.waitUntilIndexed(first.id);
await seedItems(service.db, items - 1);
await sql`update media_items set width = 300 + (rowid * 7919) % 7 * 60, height = 400,
  (poster_file, placeholder, renditions_token) =
    (select poster_file, placeholder, renditions_token from media_items where id = ${first.id})`.execute(service.db);
// Only where a jump leads to do the items have files: those of the first one.
const folder = path.join(service.folder, 'data', 'assets', service.workspaceId);
const stops = [1, 3, 2, 0.5].map((step) => step * jump);
for (const stop of stops) {
  for (let i = Math.max(1, stop - 150); i <= stop + 150; i++) {
    const id = `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`;
    await cp(path.join(folder, first.id), path.join(folder, id), { recursive: true });
  }
}

const browser = await chromium.launch(await prepareBrowser());
const library = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await openDashboard(library, await service.signInLink());
await library.getByText(`${items.toLocaleString('en')} items`).waitFor();
await library.waitForTimeout(2000);
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
  return traceEvents
    .filter(({ pid, tid }) => threads.has(`${pid}/${tid}`))
    .reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}

/** What is in view some time after the page was scrolled to a position, as far as its scroll height tells where that is. */
async function jumpTo(position: number): Promise<{ cards: number; loaded: number; names: number[] }> {
  await library.evaluate((part) => {
    const { scrollHeight } = document.documentElement;
    window.scrollTo({ top: part * (scrollHeight - window.innerHeight) });
  }, position / items);
  await library.waitForTimeout(waitMs);
  return library.evaluate(() => {
    const cards = [...document.querySelectorAll('[data-position]')].filter((card) => {
      const { top, bottom } = card.getBoundingClientRect();
      return bottom > 0 && top < window.innerHeight;
    });
    const isLoaded = (image: HTMLImageElement | null) => image?.complete === true && image.naturalWidth > 0;
    return {
      cards: cards.length,
      loaded: cards.filter((card) => isLoaded(card.querySelector('img'))).length,
      names: cards.map((card) => Number(/clip (\d{6})/.exec(card.textContent ?? '')?.[1])),
    };
  });
}

let missing = 0;
await library.bringToFront();
for (const stop of stops) {
  const { cards, loaded, names } = await jumpTo(stop);
  const inOrder = names.every((name, i) => i === 0 || name === (names[i - 1] ?? 0) + 1);
  const isThere = cards > 20 && inOrder && (names[0] ?? Infinity) <= stop + 150 && (names.at(-1) ?? 0) >= stop - 150;
  if (!isThere) throw new Error(`The jump to ${stop} led to ${names[0]} to ${names.at(-1)}, ${cards} cards.`);
  console.log(
    `${waitMs / 1000} s after a jump to item ${stop}: ${loaded} of ${cards} pictures in view (${names[0]} to ${names.at(-1)})`,
  );
  missing += cards - loaded;
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
if (longest > goalMs || missing > 0) process.exitCode = 1;
