import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { expectToast, mediaCard, mediaCards } from './dashboard.ts';
import { test } from './service.ts';

test('what is deleted is undone, restored from the trash, or deleted forever after a question', async ({
  page,
  service,
}) => {
  const { client } = service;
  for (const [i, name] of ['a.png', 'b.png', 'c.png'].entries()) await service.addPhoto(name, plain(60 * i, 90, 200));
  const [a] = (await client.get<{ id: string }[]>('/media?sort=filename')).data;
  await service.signInPage();

  // One item, from its page.
  await page.goto(`${service.url}/media/${a?.id}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expectToast(page, 'Moved to trash');
  await expect(mediaCards(page)).toHaveCount(2);
  // The button that had the focus is gone.
  await expect(page.getByRole('main')).toBeFocused();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(mediaCards(page)).toHaveCount(3);

  // Several, without a question.
  for (const name of ['a.png', 'b.png', 'c.png']) await page.getByRole('checkbox', { name: `Select ${name}` }).click();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  await page.getByRole('link', { name: 'Trash' }).click();
  const rows = page.getByRole('list', { name: 'Trash' }).getByRole('listitem');
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toContainText('30 days left');

  await page.getByRole('checkbox', { name: 'Select b.png' }).check();
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('1 selected');
  await page.getByRole('button', { name: 'Restore b.png' }).click();
  await expectToast(page, 'Restored');
  await expect(page.getByRole('region', { name: 'Selection' })).toBeHidden();
  await expect(page.getByRole('list', { name: 'Trash' })).toBeFocused();
  await expect(rows).toHaveCount(2);
  await page.getByRole('button', { name: 'Delete a.png forever' }).click();
  await page
    .getByRole('alertdialog', { name: 'Delete this item forever?' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await page.getByRole('checkbox', { name: 'Select a.png' }).check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByRole('button', { name: 'Restore' }).click();
  await expect(rows).toHaveCount(1);
  await expect(bar).toBeHidden();
  await page.getByRole('button', { name: 'Empty trash now' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete 1 item forever?' });
  await question.getByRole('button', { name: 'Empty trash' }).click();
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible();
  await page.getByRole('link', { name: 'Go to the library' }).click();
  await expect(mediaCards(page)).toHaveCount(2);
  await expect(mediaCard(page, 'c.png')).toBeHidden();
  expect((await client.get('/trash')).meta).toMatchObject({ total: 0 });
});

test('on a server without a trash a deletion is asked about, because it is final', async ({ page, service }) => {
  await service.addPhoto('a.png', plain(60, 90, 200));
  // What a server of an earlier version answers.
  await page.route('**/api/v1/trash*', (route) =>
    route.fulfill({
      status: 404,
      json: { success: false, error: { code: 'not_found', message: 'There is nothing at /api/v1/trash.' } },
    }),
  );
  const connection = JSON.stringify({ address: `${service.url}/api/v1`, key: service.key });
  await page.addInitScript((stored) => sessionStorage.setItem('connection', stored), connection);
  await page.goto(service.url);
  await page.getByRole('checkbox', { name: 'Select a.png' }).click();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete this item?' });
  await expect(question).toContainText('cannot be undone');
  await question.getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'Deleted');
  await expect.poll(async () => (await service.client.get('/media')).meta).toMatchObject({ total: 0 });
  await page.goto(`${service.url}/trash`);
  await expect(page.getByRole('heading', { name: 'This server has no trash' })).toBeVisible();
});
