import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from '@playwright/test';
import sharp from 'sharp';
import { startTestService } from '../server/testing/running-service.ts';
import { prepareBrowser } from './browser.ts';
import { openDashboard } from './dashboard.ts';
import { makeFilm, picture } from './films.ts';
await using service = await startTestService({ embedder: 'builtin' });
const { client } = service;
const names = (await readdir(path.dirname(picture('')))).filter((name) => name.endsWith('.jpg'));
const ids: string[] = [];
let n = 0;
for (let round = 0; round < 3; round++)
  for (const [place, name] of names.entries()) {
    const file = service.folder + `/IMG_${2041 + n++ * 7}.jpg`;
    const taken = new Date(Date.UTC(2024, 3, 2, 9, 30) + (round * 26 + place) * (round ? 4 : 14) * 86_400_000);
    const time = taken.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ');
    let image = sharp(path.join(path.dirname(picture('')), name)).flop(round === 1);
    if (round === 2) image = image.rotate(place % 3 === 0 ? 90 : 0).tint({ r: 200 + place, g: 190, b: 170 });
    await image
      .withExif({
        IFD0: { Make: 'FUJIFILM', Model: 'X-T5' },
        IFD2: { DateTimeOriginal: time, OffsetTimeOriginal: '+02:00' },
      })
      .jpeg()
      .toFile(file);
    ids.push((await client.upload(file)).data.id);
  }
for (const [i, scenes] of [
  ['lemurs', 'giraffes'],
  ['festival', 'opera'],
].entries()) {
  const file = path.join(service.folder, `MVI_0${i}.mp4`);
  await makeFilm(file, scenes, { width: 640, height: 360, fps: 10, seconds: 5 });
  ids.push((await client.upload(file)).data.id);
}
for (const id of ids) await client.waitUntilIndexed(id);
await client.post('/creators', { name: 'Ana Lima' });
await client.post('/categories', { name: 'Talks' });
const { data } = await client.post<{ id: string }>('/tags', { name: 'favourite' });
await client.post(`/tags/${data.id}/items`, { add: ids.slice(0, 9) });
const c = await client.post<{ id: string }>('/collections', { name: 'Wildlife' });
await client.post(`/collections/${c.data.id}/items`, { add: ids.slice(0, 20) });
const browser = await chromium.launch(await prepareBrowser());
const shots = [
  ['grid', '/'],
  ['months', '/?view=months'],
  ['list', '/?view=list'],
] as const;
for (const [width, height] of [
  [390, 844],
  [820, 1180],
  [1440, 900],
] as const)
  for (const colorScheme of ['light', 'dark'] as const) {
    if (colorScheme === 'dark' && width === 820) continue;
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height },
      hasTouch: width < 900,
      isMobile: width < 500,
    });
    const page = await context.newPage();
    await openDashboard(page, await service.signInLink());
    for (const [name, address] of shots) {
      await page.goto(service.url + address);
      await page.getByRole('list', { name: 'Media' }).waitFor();
      await page.waitForTimeout(1800);
      if (name === 'grid') {
        const inView = await page.evaluate(
          () =>
            [...document.querySelectorAll('[data-position]')].filter((e) => {
              const r = e.getBoundingClientRect();
              return r.top < innerHeight - (innerWidth < 768 ? 56 : 0) && r.bottom > 0;
            }).length,
        );
        console.log(width, colorScheme, 'in view', inView);
        if (width === 1440) {
          await page.locator('[data-position="8"]').hover();
          await page.waitForTimeout(400);
          await page.locator('[data-position="3"]').hover();
          await page.locator('[data-position="3"] [role=checkbox]').click();
          await page.locator('[data-position="5"]').hover();
          await page.locator('[data-position="5"] [role=checkbox]').click({ modifiers: ['Shift'] });
          await page.locator('[data-position="12"]').hover();
          await page.waitForTimeout(500);
        }
      }
      await page.screenshot({ path: `/tmp/look-grid/${name}-${width}-${colorScheme}.png` });
    }
    await context.close();
  }
await browser.close();
