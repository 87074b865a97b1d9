import { expect } from '@playwright/test';
import { createTestClient } from '../server/testing/running-service.ts';
import { createTusRequests } from '../server/testing/tus-requests.ts';
import { choose, expectToast } from './dashboard.ts';
import { test } from './service.ts';

test.use({ settings: { workers: 0 } });

test('keys are revealed, rotated with grace and revoked; the dashboard goes on', async ({ page, service }) => {
  await service.signInPage();
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
  await page.getByRole('link', { name: 'API keys' }).click();
  await expect(page).toHaveURL(/\/settings\/api-keys$/);
  const keys = page.getByRole('list', { name: 'Active keys' }).getByRole('listitem');
  await expect(keys).toHaveCount(1);
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('Nightly import');
  await page.getByRole('button', { name: 'Create' }).click();
  await expectToast(page, 'API key created.');
  await expect(page.getByRole('button', { name: 'New API key' })).toBeFocused();
  const named = keys.filter({ hasText: 'Nightly import' });
  await named.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(keys).toHaveCount(1);
  await keys.getByRole('button', { name: 'Reveal key' }).click();
  await expect(keys.getByText(service.key)).toBeVisible();
  await keys.getByRole('button', { name: 'Rotate key' }).click();
  await choose(page.getByLabel('Old key expires'), 'After 1 hour');
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  await expect(keys).toHaveCount(2);
  await expect(keys.filter({ hasText: 'rotated, expires' })).toHaveCount(1);
  expect((await service.client.get('/workspace')).status).toBe(200);

  await keys.filter({ hasText: 'rotated' }).getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(keys).toHaveCount(1);
  expect((await service.client.get('/workspace')).status).toBe(401);
  await page.getByRole('link', { name: 'Library' }).click();
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
});

test('owners invite, change roles and remove; members see why they cannot', async ({ page, service, browser }) => {
  await service.signInPage('/settings/members');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const url = (await page.getByTestId('invitation-link').textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('region', { name: 'Pending invitations' })).toContainText('Member, invited by Owner');

  const other = await (await browser.newContext()).newPage();
  await other.goto(url);
  await other.getByLabel('Your name').fill('Bo Chen');
  await other.getByLabel('E-mail address').fill('bo@example.org');
  await other.getByLabel('Password').fill('correct horse battery');
  await other.getByRole('button', { name: 'Join' }).click();
  await expect(other.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  await other.goto(`${service.url}/settings/api-keys`);
  await expect(other.getByText('Only owners of the workspace can create, rotate and revoke keys.')).toBeVisible();
  await expect(other.getByRole('button', { name: 'Revoke key' })).toHaveCount(0);

  await page.reload();
  const people = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
  await expect(people).toHaveCount(2);
  await choose(page.getByLabel('Role of Bo Chen'), 'Owner');
  await other.reload();
  await expect(other.getByRole('button', { name: 'Revoke key' })).toHaveCount(1);
  await other.getByRole('button', { name: 'New API key' }).click();
  await other.getByRole('button', { name: 'Create' }).click();
  await expect(other.getByText('by Bo Chen')).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Remove Bo Chen' }).click();
  await expect(page.getByLabel('Revoke 1 API key that Bo Chen made')).toBeChecked();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(people).toHaveCount(1);
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in to Media Search' })).toBeVisible();
  await other.context().close();
});

test('categories and creators are made, changed and removed', async ({ page, service }) => {
  await service.signInPage('/settings/categories');
  await page.getByRole('button', { name: 'New category' }).click();
  await page.getByLabel('Name').fill('Talks');
  await page.getByLabel('Description').fill('People talk.');
  await page.getByRole('button', { name: 'Create' }).click();
  const list = page.getByRole('list', { name: 'Categories' });
  await expect(list).toContainText('0 items · People talk.');
  await page.getByRole('button', { name: 'New category' }).click();
  await page.getByLabel('Name').fill('talks');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('alert')).toHaveText('There is a category named talks already.');
  // It is said once.
  await expect(page.locator('[data-sonner-toast]').getByText('named talks already')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit Talks' }).click();
  await page.getByLabel('Name').fill('Interviews');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(list).toContainText('Interviews');
  await page.getByRole('button', { name: 'Delete Interviews' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('There are none yet.')).toBeVisible();
  await page.getByRole('link', { name: 'Creators', exact: true }).click();
  await page.getByRole('button', { name: 'New creator' }).click();
  await page.getByLabel('Name').fill('Ana Lima');
  await page.getByLabel('Name').press('Enter');
  await expect(page.getByRole('list', { name: 'Creators' })).toContainText('Ana Lima');
});

test('a profile gets an address and a password; the plan shows what is left', async ({ page, service }) => {
  await service.signInPage('/settings/profile');
  await page.getByLabel('E-mail address').fill('owner@example.org');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Profile saved.');
  await page.getByLabel('New password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByLabel('Current password')).toBeVisible();
  await service.setPlan('small', { name: 'Small', searches_per_month: 5 });
  const client = createTestClient(service.url, service.key);
  for (let i = 0; i < 4; i++) await client.search('red');
  await page.getByRole('link', { name: 'Workspace', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Plan: Small' })).toBeVisible();
  await expect(page.getByRole('meter', { name: 'Searches this month' })).toHaveAttribute('aria-valuenow', '4');
  await expect(page.getByText('1 left')).toBeVisible();
  await client.search('red');
  await page.goto(`${service.url}/search?q=blue`);
  await expect(page.getByRole('alert')).toContainText('The plan Small allows 5 searches a month, and 5 are used.');
});

test('open uploads are shown with what they reserve, and discarded after a question', async ({ page, service }) => {
  const tus = createTusRequests(service);
  const at = await tus.create(900_000, { filename: 'sea.mp4' });
  await tus.patch(at, 0, Buffer.alloc(300_000));
  await tus.create(50_000, { filename: 'ferry.mp4' });
  await service.setPlan('small', { name: 'Small', storage_bytes: 1_000_000 });
  let refused = false;
  await page.route('**/api/v1/uploads?*', (route) => {
    if (refused) return route.continue();
    refused = true;
    return route.fulfill({ status: 403, json: { success: false, error: { code: 'forbidden', message: 'Not now.' } } });
  });
  await service.signInPage('/workspace');
  const panel = page.getByRole('region', { name: 'Open uploads' });
  await expect(panel.getByRole('alert')).toHaveText('Not now.');
  await panel.getByRole('button', { name: 'Try again' }).click();
  const rows = panel.getByRole('listitem');
  await expect(rows).toHaveText([/ferry\.mp4/, /sea\.mp4300 kB of 900 kBStarted .* by a script · Expires /]);
  await expect(page.getByRole('meter', { name: 'Storage' })).toHaveAttribute('aria-valuenow', '950000');
  await expect(page.getByText('and 950 kB reserved by open uploads')).toBeVisible();
  await expect(page.getByText('50 kB left')).toBeVisible();
  // By keyboard, and not without a yes.
  await panel.getByRole('button', { name: 'Discard sea.mp4' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(panel.getByRole('button', { name: 'Discard sea.mp4' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).press('Enter');
  await expect(rows).toHaveText([/ferry\.mp4/]);
  await expect(page.getByText('950 kB left')).toBeVisible();
  expect((await tus.head(at)).status).toBe(410);
  await page.keyboard.press('Tab');
  await expect(panel.getByRole('button', { name: 'Discard ferry.mp4' })).toBeFocused();
  await tus.create(1, { filename: 'one.mp4' });
  await page.reload();
  await panel.getByRole('button', { name: 'Discard all' }).click();
  await page
    .getByRole('alertdialog', { name: 'Discard 2 open uploads?' })
    .getByRole('button', { name: 'Discard' })
    .click();
  await expect(panel.getByText('There are none.')).toBeVisible();
});
