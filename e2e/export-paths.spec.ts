import { mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@playwright/test';
import type { MediaItem } from '../contract/media.ts';
import { makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { findViolations } from './axe.ts';
import { hits, searchFor } from './dashboard.ts';
import { test } from './service.ts';

test.use({ settings: { sourceRoots: [tmpdir()] } });

test('lists name files as the machine that is chosen has them, and the choice is remembered @phone', async ({
  page,
  service,
}) => {
  const root = service.file('nas');
  await mkdir(root);
  await makeVideo(path.join(root, 'red.mp4'), { scenes: [{ paint: plain(200, 20, 20), seconds: 2 }] });
  await service.client.post('/sources', { name: 'NAS', location: root });
  const mappings = [
    { name: 'macOS', from: root, to: '/Volumes/NAS' },
    { name: 'Windows', from: root, to: 'Z:\\' },
  ];
  await service.client.patch('/path-mappings', { mappings });
  const isDone = async () => (await service.client.get<MediaItem[]>('/media')).data[0]?.status === 'complete';
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true);
  await service.signInPage();
  await searchFor(page, 'red');
  await expect(hits(page)).toHaveCount(1);
  const open = async () => {
    await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export results' }).click();
  };
  await open();
  const dialog = page.getByRole('dialog', { name: 'Export results' });
  const choice = dialog.getByRole('combobox', { name: 'Paths in lists' });
  await expect(choice).toHaveText('As on the server');
  await choice.click();
  await page.getByRole('option', { name: 'As on Windows' }).click();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'FCPXML' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain('src="file:///Z:/red.mp4"');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findViolations(page, { within: '[role=dialog]' }), colorScheme).toEqual([]);
  }
  await page.reload();
  await open();
  await expect(choice).toHaveText('As on Windows');
});
