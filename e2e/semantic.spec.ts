import path from 'node:path';
import { expect } from '@playwright/test';
import { makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { makeTinyModel } from '../packages/models/testing/tiny-model.ts';
import { startTestService } from '../server/testing/running-service.ts';
import { hits, openDashboard, searchFor, turnOnDeveloperMode } from './dashboard.ts';
import { test } from './service.ts';

test('with a model, people find by words what it understands, and see which it is', async ({ page }) => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'siglip');
  await using semantic = await startTestService({ embedder: models.file('tiny') });
  const { client, folder } = semantic;
  await makePhoto(path.join(folder, 'a.png'), plain(200, 30, 30));
  const scenes = [plain(30, 150, 40), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(path.join(folder, 'b.mp4'), { scenes });
  for (const name of ['a.png', 'b.mp4'])
    await client.waitUntilIndexed((await client.upload(path.join(folder, name))).data.id);

  await turnOnDeveloperMode(page);
  await openDashboard(page, await semantic.signInLink());
  await searchFor(page, 'Something blue!');
  await expect(hits(page).first()).toHaveAccessibleName(/^Play b\.mp4 .*0:02\.0 – 0:04\.0/);
  await page.getByText('Details', { exact: true }).click();
  await expect(page.getByRole('definition').filter({ hasText: 'tiny' })).toBeVisible();
  await page.getByRole('link', { name: 'Workspace' }).click();
  await expect(page.getByRole('region', { name: 'What searches understand' })).toContainText(
    /tiny@[0-9a-f]{8}:fp32:2 · 3 dimensions/,
  );
  await expect(page.getByText('Finds what people mean')).toBeVisible();
  await expect(page.getByText('are no part of the tests of this release')).toBeVisible();
  await expect(page.getByText('run this on the server')).toBeHidden();
});

test('what is wrong with a model is said on the dashboard, with what is used instead', async ({ page }) => {
  await using semantic = await startTestService({ embedder: '/nowhere/model', logLevel: 'silent' });
  await turnOnDeveloperMode(page);
  await openDashboard(page, await semantic.signInLink());
  await page.getByRole('link', { name: 'Workspace' }).click();
  const panel = page.getByRole('region', { name: 'What searches understand' });
  await expect(panel.getByRole('alert')).toContainText('has no config.json. The built-in model is used instead.');
  await expect(panel).toContainText(/admin -- model (use|pull) \S/);
});
