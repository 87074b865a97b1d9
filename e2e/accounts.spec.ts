import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import { openAccount } from './dashboard.ts';
import { test } from './service.ts';

const password = 'correct horse battery';

test.use({ settings: { workers: 0 } });

test('a person joins by an invitation, signs out, and signs in again with a password @phone', async ({
  page,
  service,
}) => {
  const signOut = async () => {
    await openAccount(page);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  };
  const owner = await service.signIn();
  await owner.patch('/manage/workspace', { name: 'Newsroom' });
  const { data } = await owner.post<{ url: string }>('/manage/invitations', { role: 'member' });
  await page.goto(data.url);
  await expect(page.getByRole('heading', { name: 'Join Newsroom' })).toBeVisible();
  await expect(page.getByText('Owner invites you as a member.')).toBeVisible();
  await page.getByLabel('Your name').fill('Bo Chen');
  await page.getByLabel('E-mail address').fill('bo@example.org');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Join' }).click();
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();

  await signOut();
  await expect(page.getByRole('heading', { name: 'Sign in to Media Search' })).toBeVisible();
  await page.getByLabel('E-mail address').fill('bo@example.org');
  await page.getByLabel('Password').fill('wrong horse battery');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('alert')).toHaveText('E-mail address or password is wrong.');
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Password').press('Enter');
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();

  // After guesses the page counts down to the next attempt. At links, of which none is hashed: a password takes 0.4 s of a core.
  await signOut();
  const guess = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: 'x'.repeat(43) }),
  };
  await Promise.all(Array.from({ length: 50 }, () => fetch(`${service.url}/auth/sign-in`, guess)));
  await page.getByText('Sign in with a link instead').click();
  await page.getByLabel('Sign-in link').fill(`${service.url}/sign-in?token=${'y'.repeat(43)}`);
  await page.getByLabel('Sign-in link').press('Enter');
  await expect(page.getByRole('alert')).toContainText(/^Too many attempts\. Try again in 1[45] min/);
});

test('signing out everywhere is asked first, and ends the session of another device', async ({ page, service }) => {
  const device = await service.signIn();
  await service.signInPage('/settings/profile');
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Sign out everywhere?' });
  await expect(dialog).toContainText('You have no password yet');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await device.get('/manage/members')).status).toBe(200);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Media Search' })).toBeVisible();
  expect((await device.get('/manage/members')).status).toBe(401);
});

test('a signed-in person joins another workspace with their account; a used link says so', async ({
  page,
  service,
}) => {
  const { id } = await service.addWorkspace('Archive');
  const host = await service.signIn(id);
  const { data } = await host.post<{ url: string }>('/manage/invitations', { role: 'owner' });
  await page.goto(await service.signInLink());
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  await page.goto(data.url);
  await expect(page.getByText('You are signed in as Owner.')).toBeVisible();
  await page.getByRole('button', { name: 'Join' }).click();
  await expect(page).toHaveURL(`${service.url}/`);
  const session = await page.evaluate(async () => (await fetch('/auth/session')).json() as Promise<unknown>);
  expect(session).toMatchObject({ data: { workspace: { name: 'Archive', role: 'owner' } } });

  await page.goto(data.url);
  await expect(page.getByRole('heading', { name: 'This invitation cannot be used' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('used already');
});

test("a script of another site calls the API with a key and reads what it needs, but cannot use a visitor's session", async ({
  page,
  service,
}) => {
  await page.goto(await service.signInLink());
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
  const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Elsewhere</h1>'));
  await once(site.listen(0, 'localhost'), 'listening');
  // A page of the same browser, so with its cookies; the refusals that it reports are what is wanted here.
  const elsewhere = await page.context().newPage();
  await elsewhere.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const seen = await elsewhere.evaluate(
    async ({ url, key }) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'a' };
      const made = await fetch(`${url}/api/v1/creators`, { method: 'POST', headers, body: '{"name":"Ana"}' });
      const session = await fetch(`${url}/auth/session`, { credentials: 'include' }).then(
        () => 'readable',
        () => 'refused',
      );
      return { status: made.status, location: made.headers.get('Location'), session };
    },
    { url: service.url, key: service.key },
  );
  site.close();
  await elsewhere.close();
  expect(seen).toEqual({ status: 201, location: expect.stringMatching(/^\/api\/v1\/creators\//), session: 'refused' });
});

test('a person who came by a link is asked for a password before signing out, and signs in with it', async ({
  page,
  service,
}) => {
  await page.goto(await service.signInLink());
  await openAccount(page);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Set a password before you sign out' });
  await dialog.getByLabel('E-mail address').fill('owner@example.org');
  await dialog.getByLabel('New password').fill(password);
  await dialog.getByRole('button', { name: 'Set password and sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Media Search' })).toBeVisible();
  await page.getByLabel('E-mail address').fill('owner@example.org');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Your library is empty' })).toBeVisible();
});
