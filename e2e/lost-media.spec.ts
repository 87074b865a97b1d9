import { expect } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { addLostFile } from '../server/testing/lost-file.ts';
import { expectToast } from './dashboard.ts';
import { test } from './service.ts';

test.use({ settings: {} });

test('an owner sees on the Workspace page what the catalog does not list, and restores it @phone', async ({
  page,
  service,
}) => {
  await makePhoto(service.file('grass.png'), plain(40, 150, 40));
  const id = await addLostFile(service, service.file('grass.png'));
  await service.signInPage('/workspace');
  const files = page.getByRole('list', { name: 'Lost files' }).getByRole('listitem');
  await expect(files).toHaveCount(1);
  await expect(files).toContainText(id);
  await expect(files).toContainText('kept until');
  await page.getByRole('button', { name: `Restore ${id}` }).click();
  await expectToast(page, 'The file was restored and is being processed.');
  await expect(page.getByRole('heading', { name: 'Lost and found' })).toBeHidden();
  await page.goto(service.url);
  await expect(page.getByText(`recovered-${id}`).first()).toBeVisible();
});
