import { expect, type Page } from '@playwright/test';
import type { MapPoint, SearchHit } from '../contract/search.ts';
import { makePhoto, plain, square } from '../packages/media/samples/draw-media.ts';
import { addFilter, filterBar, expectPlaying, hits, player } from './dashboard.ts';
import { test } from './service.ts';

type Service = Parameters<Parameters<typeof test>[2]>[0]['service'];

const map = (page: Page) => page.getByRole('application', { name: /^Map of/ });

/** Eight blue images and one unusual clip. */
async function fill(service: Service): Promise<void> {
  const { client } = service;
  for (let i = 0; i < 8; i++) {
    await makePhoto(service.file(`blue ${i}.png`), plain(20 + 3 * i, 60 + 2 * i, 180));
    await client.upload(service.file(`blue ${i}.png`));
  }
  await service.addVideo('odd.mp4', { scenes: [{ paint: square([250, 240, 30], [120, 0, 90]), seconds: 2 }] });
  await expect.poll(async () => (await client.get<SearchHit[]>('/media/highlights')).data.length).toBe(9);
}

test('the map by pointer: hover shows a clip, a click plays it, a drag selects, and all is in the address', async ({
  page,
  service,
}) => {
  await fill(service);
  const { data: points } = await service.client.get<MapPoint[]>('/media/highlights/map');
  await service.signInPage('/highlights');
  await page.getByRole('button', { name: 'Map' }).click();
  await expect(map(page)).toHaveAccessibleName(/^Map of 9 scenes/);
  const canvas = map(page).locator('canvas');
  const { x, y, width, height } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  // As the map places points: a margin, and both sides filled.
  const placeOf = (point: MapPoint): [number, number] => [
    x + 28 + point.x * (width - 56),
    y + 28 + point.y * (height - 56),
  ];

  const odd = points[0] as MapPoint;
  await page.mouse.move(...placeOf(odd));
  await expect(page.getByRole('status').filter({ hasText: 'odd.mp4' })).toContainText('0:00.0 – 0:02.0');
  await page.mouse.click(...placeOf(odd));
  await expectPlaying(page, 'odd.mp4');
  await expect(page).toHaveURL(new RegExp(`hit=${odd.chunk_id}`));
  await page.reload();
  await expect(player(page, 'odd.mp4')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Select', exact: true }).click();
  const [left, top] = placeOf(odd);
  await page.mouse.move(left - 20, top - 20);
  await page.mouse.down();
  await page.mouse.move(left + 20, top + 20, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByRole('heading', { name: '1 scene selected' })).toBeVisible();
  await expect(hits(page)).toHaveCount(1);
  await expect(hits(page).first()).toHaveAccessibleName(/Play odd\.mp4/);
  await expect(page).toHaveURL(/box=/);
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 scene selected' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page).not.toHaveURL(/box=/);

  // Magnified, the same clip is elsewhere.
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Fit all' }).click();
  await page.getByRole('button', { name: 'Pan', exact: true }).click();
  await page.mouse.move(...placeOf(odd));
  await expect(page.getByRole('status').filter({ hasText: 'odd.mp4' })).toBeVisible();
});

test('the map by keyboard, in groups, and of one kind', async ({ page, service }) => {
  await fill(service);
  await service.signInPage('/highlights?view=map&layout=umap');
  await filterBar(page).getByRole('button', { name: 'View options' }).click();
  await expect(page.getByRole('menuitemcheckbox', { name: 'Cluster' })).toBeChecked();
  await page.keyboard.press('Escape');
  await map(page).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('status').filter({ hasText: 'odd.mp4' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('status').filter({ hasText: 'blue' })).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(player(page, 'odd.mp4')).toBeVisible();
  await page.keyboard.press('Escape');
  await addFilter(page, 'Type: Photos');
  await expect(map(page)).toHaveAccessibleName(/^Map of 8 scenes/);
});
