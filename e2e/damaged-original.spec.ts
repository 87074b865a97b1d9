import { truncate } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { chooseFiles, mediaCards } from './dashboard.ts';
import { test } from './service.ts';

test.use({ settings: {}, expectedErrors: /status of [45]\d\d/ });

test('a damaged original is reported on its card and its page until the file is uploaded again', async ({
  page,
  service,
}) => {
  const { client } = service;
  const photo = service.file('harbour.png');
  await makePhoto(photo, plain(60, 90, 200));
  const { id, download_url } = await client.waitUntilIndexed((await client.upload(photo)).data.id);
  await truncate(path.join(service.folder, 'data', 'assets', service.workspaceId, id, 'original'), 10);
  expect((await fetch(download_url)).status).toBe(500);

  await service.signInPage();
  const card = mediaCards(page);
  await expect(card.getByText('Damaged')).toBeVisible();
  await card.click();
  const warning = page.getByRole('status').getByText('Upload the same file again to replace it.');
  await expect(warning).toBeVisible();
  // The page asks whether the file is there already; it is wanted again.
  await page.getByRole('link', { name: 'Back to the library' }).click();
  await chooseFiles(page, photo);
  await expect(card.getByText('Damaged')).toBeHidden();
  await expect(card).toHaveCount(1);
  await card.click();
  await expect(warning).toBeHidden();
  expect((await fetch(download_url)).status).toBe(200);
});
