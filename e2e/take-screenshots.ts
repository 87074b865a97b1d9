import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import sharp from 'sharp';
import { startTestService } from '../server/testing/running-service.ts';
import { prepareBrowser } from './browser.ts';
import { signInByLink } from './dashboard.ts';

/**
 * Takes the screenshots of `docs/screenshots`, over the sample clips that the service draws itself and the photographs of the tests.
 *
 *     npm run build && node e2e/take-screenshots.ts
 */

const folder = path.join(import.meta.dirname, '..', 'docs', 'screenshots');
const shots = [
  { name: 'library', address: '/', colorScheme: 'light', width: 1440 },
  { name: 'search', address: '/search?q=an animal in the grass', colorScheme: 'dark', width: 1440 },
  {
    name: 'player',
    address: '/search?q=harbour',
    colorScheme: 'light',
    width: 1440,
    click: 'ul[aria-label=Results] button',
  },
  { name: 'map', address: '/highlights?view=map', colorScheme: 'light', width: 1440 },
  { name: 'workspace', address: '/workspace', colorScheme: 'dark', width: 1440 },
  { name: 'phone', address: '/search?q=blue+sea', colorScheme: 'light', width: 390 },
] as const;

await using service = await startTestService({ embedder: 'builtin' });
const owner = await service.signIn();
const { data } = await owner.post<{ added: number }>('/manage/samples', {});
const pictures = path.join(import.meta.dirname, 'pictures');
const photographs = (await readdir(pictures)).filter((name) => name.endsWith('.jpg'));
// Names that do not tell what is on them.
for (const [place, name] of photographs.entries()) {
  await service.client.upload(path.join(pictures, name), `IMG_204${place}.jpg`);
}
const count = data.added + photographs.length;
while ((await service.client.get<unknown[]>('/media?status=complete')).data.length < count) {
  await new Promise((resolve) => setTimeout(resolve, 500));
}
await mkdir(folder, { recursive: true });
const browser = await chromium.launch(await prepareBrowser());
for (const shot of shots) await take(browser, shot);
await browser.close();

async function take(browser: Browser, shot: (typeof shots)[number]): Promise<void> {
  const { name, address, colorScheme, width } = shot;
  const height = width < 600 ? 844 : 900;
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  const page = await context.newPage();
  await signInByLink(page, await service.signInLink());
  await page.goto(service.url + address);
  await page.waitForLoadState('networkidle');
  if ('click' in shot) await page.locator(shot.click).first().click();
  await page.waitForTimeout(1200);
  const picture = sharp(await page.screenshot()).webp({ quality: 80 });
  await picture.resize({ width: Math.min(width, 1200) }).toFile(path.join(folder, `${name}.webp`));
  await context.close();
}
