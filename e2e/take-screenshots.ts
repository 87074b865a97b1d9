import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import sharp from 'sharp';
import type { Collection, Tag } from '../contract/item-groups.ts';
import { startTestService } from '../server/testing/running-service.ts';
import { prepareBrowser } from './browser.ts';
import { openDashboard, openDetails } from './dashboard.ts';
import { makeFilm, picture } from './films.ts';

/**
 * Takes the screenshots of `docs/screenshots`, over the photographs in `e2e/pictures` and films that pan over them.
 *
 *     npm run build && node e2e/take-screenshots.ts
 */

const folder = path.join(import.meta.dirname, '..', 'docs', 'screenshots');

/** Films by name, each with the photographs that it pans over. */
const films: Record<string, string[]> = {
  'Reise_03.mp4': ['colosseum', 'machu-picchu', 'great-wall', 'hawa-mahal', 'golden-temple'],
  'MVI_0412.mp4': ['lemurs', 'giraffes', 'bison', 'horses', 'kangaroo'],
  'MVI_0377.mp4': ['festival', 'orchestra', 'opera'],
  'MVI_0398.mp4': ['clownfish', 'windmills', 'duck'],
};

await using service = await startTestService({ embedder: 'builtin' });
const { client } = service;
const photographs = (await readdir(path.dirname(picture('')))).filter((name) => name.endsWith('.jpg'));
const ids = new Map<string, string>();
// Names that do not tell what is on them, and days that lie some weeks apart.
for (const [place, name] of photographs.entries()) {
  const file = service.folder + `/IMG_${2041 + place * 7}.jpg`;
  const taken = new Date(Date.UTC(2026, 3, 2, 9, 30) + place * 7.4 * 86_400_000);
  const time = taken.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
  await sharp(path.join(path.dirname(picture('')), name))
    .withExif({
      IFD0: { Make: 'FUJIFILM', Model: 'X-T5' },
      IFD2: { DateTimeOriginal: time, OffsetTimeOriginal: '+02:00' },
    })
    .jpeg({ quality: 90 })
    .toFile(file);
  ids.set(name, (await client.upload(file)).data.id);
}
for (const [name, scenes] of Object.entries(films)) {
  const file = path.join(service.folder, name);
  await makeFilm(file, scenes, { width: 640, height: 400, fps: 20, seconds: 5 });
  ids.set(name, (await client.upload(file)).data.id);
}
for (const id of ids.values()) await client.waitUntilIndexed(id);

const named = (names: string[]) => names.map((name) => ids.get(name)).filter((id) => id !== undefined);
const groups: [string, string, string[]][] = [
  ['collections', 'Wildlife', ['lemurs.jpg', 'jaguars.jpg', 'moose.jpg', 'koala.jpg', 'bison.jpg', 'MVI_0412.mp4']],
  ['collections', 'World heritage', ['colosseum.jpg', 'great-wall.jpg', 'machu-picchu.jpg', 'Reise_03.mp4']],
  ['collections', 'On stage', ['orchestra.jpg', 'opera.jpg', 'festival.jpg', 'MVI_0377.mp4']],
  ['tags', 'favourite', ['lemurs.jpg', 'clownfish.jpg', 'MVI_0412.mp4']],
  ['tags', 'to edit', ['MVI_0412.mp4', 'MVI_0377.mp4']],
];
for (const [kind, name, items] of groups) {
  const { data } = await client.post<Collection | Tag>(`/${kind}`, { name });
  await client.post(`/${kind}/${data.id}/items`, { add: named(items) });
}

const film = ids.get('MVI_0412.mp4') ?? '';
for (const body of [
  { text: 'Begin here: both look up.', start: 6.5, point: { x: 0.62, y: 0.24 } },
  { text: 'Can this part be slower?', start: 12, end: 15.5 },
])
  await client.post(`/media/${film}/comments`, body);
await client.post(`/media/${film}/review`, { state: 'needs_changes' });

const shots: {
  name: string;
  address: string;
  colorScheme: 'light' | 'dark';
  width: number;
  prepare?: (page: Page) => Promise<unknown>;
}[] = [
  { name: 'library', address: '/', colorScheme: 'light', width: 1440 },
  { name: 'search', address: '/search?q=an animal in the grass', colorScheme: 'dark', width: 1440 },
  {
    name: 'player',
    address: `/media/${film}?t=6.5`,
    colorScheme: 'light',
    width: 1440,
    prepare: (page) => openDetails(page, 'Comments'),
  },
  { name: 'collections', address: '/collections', colorScheme: 'light', width: 1440 },
  {
    name: 'map',
    address: '/highlights?view=map',
    colorScheme: 'dark',
    width: 1440,
    // The names of groups come after a first overview.
    prepare: (page) => page.getByText('A first overview').waitFor({ state: 'hidden', timeout: 60_000 }),
  },
  { name: 'phone', address: '/?view=months&sort=-taken_at', colorScheme: 'light', width: 390 },
];
// The first search loads what reads words, which takes a while, and the page says how long.
await client.search('an animal');
await mkdir(folder, { recursive: true });
const browser = await chromium.launch(await prepareBrowser());
for (const shot of shots) await take(browser, shot);
await browser.close();

async function take(browser: Browser, shot: (typeof shots)[number]): Promise<void> {
  const { name, address, colorScheme, width, prepare } = shot;
  const height = width < 600 ? 844 : 900;
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  const page = await context.newPage();
  await openDashboard(page, await service.signInLink());
  await page.goto(service.url + address);
  await page.waitForTimeout(3000);
  await prepare?.(page);
  await page.waitForTimeout(3000);
  const image = sharp(await page.screenshot()).webp({ quality: 72 });
  await image.resize({ width: Math.min(width, 1200) }).toFile(path.join(folder, `${name}.webp`));
  await context.close();
}
