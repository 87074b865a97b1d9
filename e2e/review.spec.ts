import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { addMember } from '../server/testing/add-member.ts';
import { findViolations } from './axe.ts';
import { openDetails } from './dashboard.ts';
import { test } from './service.ts';

const scenes = [plain(200, 20, 20), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 2 }));

test('a moment is commented with a place and a member, who finds it, replies, resolves and approves @phone', async ({
  page,
  browser,
  service,
}) => {
  const video = await service.addVideo('harbour.mp4', { scenes, width: 320, height: 180 });
  const member = await addMember(service, `bo-${video.id}@example.org`);
  await service.signInPage(`/media/${video.id}?t=2.5`);
  await openDetails(page, 'Comments');
  const comments = page.getByRole('region', { name: 'Comments' });
  await expect(comments.getByText('No open comments.')).toBeVisible();
  const field = comments.getByRole('textbox', { name: 'Comment', exact: true });
  await field.pressSequentially('Look here, @mem');
  await expect(comments.getByText('At 0:02.5')).toBeVisible();
  await expect(comments.getByRole('option', { name: 'Member' })).toBeVisible();
  await field.press('Enter');
  await expect(field).toHaveValue('Look here, @Member ');
  await comments.getByRole('button', { name: 'Point at a place in the picture' }).click();
  const place = page.getByRole('button', { name: 'Choose a place in the picture' });
  const box = await place.boundingBox();
  if (!box) throw new Error('The picture takes no click.');
  await place.click({ position: { x: box.width / 4, y: box.height / 2 } });
  await comments.getByRole('button', { name: 'Comment', exact: true }).click();
  const entry = comments.getByRole('list', { name: 'List of comments' }).getByRole('listitem');
  await expect(entry).toContainText('Look here, @Member');
  await expect(entry).toContainText('0:02.5');
  const point = page.locator('[data-comment-point]');
  await expect(point).toBeVisible();
  const [at, picture] = [await point.boundingBox(), box];
  expect(((at?.x ?? 0) + (at?.width ?? 0) / 2 - picture.x) / picture.width).toBeCloseTo(0.25, 1);
  // Away from its moment the point is gone; its mark on the timeline leads back.
  await page.getByRole('slider', { name: 'Position in the clip' }).fill('0');
  await expect(point).toBeHidden();
  await page.locator('[data-comment-mark]').click();
  await expect(point).toBeVisible();
  const slider = page.getByRole('slider', { name: 'Position in the clip' });
  await expect.poll(async () => Number(await slider.inputValue())).toBeCloseTo(2.5, 1);

  // The member, in a browser of their own.
  const context = await browser.newContext({ baseURL: service.url });
  const [name = '', value = ''] = member.cookie.split('=');
  await context.addCookies([{ name, value, url: service.url }]);
  const theirs = await context.newPage();
  await theirs.goto('/');
  await theirs.getByRole('button', { name: 'Mentions, 1 new' }).click();
  await theirs.getByRole('link', { name: /Look here/ }).click();
  await expect(theirs).toHaveURL(new RegExp(`/media/${video.id}\\?t=2.5`));
  await openDetails(theirs, 'Comments');
  const seen = theirs.getByRole('region', { name: 'Comments' });
  await expect(seen.getByRole('button', { name: 'Edit comment' })).toHaveCount(0);
  await expect(seen.getByRole('button', { name: 'Delete comment' })).toHaveCount(0);
  await seen.getByRole('button', { name: 'Reply' }).click();
  await theirs.keyboard.type('Done');
  await seen.getByRole('form', { name: 'Reply' }).getByRole('button', { name: 'Reply' }).click();
  // The page of the owner follows, without a reload.
  await expect(entry.first()).toContainText('Done', { timeout: 10_000 });
  await seen.getByRole('button', { name: 'Resolve', exact: true }).click();
  await seen.getByRole('button', { name: 'Approve' }).click();
  await expect(seen.getByText('Decided by Member')).toBeVisible();
  await expect(comments.getByRole('button', { name: 'Approved' })).toHaveAttribute('aria-pressed', 'true', {
    timeout: 10_000,
  });
  await expect(page.locator('[data-comment-mark]')).toHaveCount(0);
  await context.close();
});

test('a comment on a photograph is changed, and deleted after a question; its text is never HTML', async ({
  page,
  service,
}) => {
  const photo = await service.addPhoto('beach.png', plain(20, 160, 40));
  const text = '<img src=x onerror="document.title=1"> see https://example.org/a.';
  await service.client.post(`/media/${photo.id}/comments`, { text: 'Of a program', point: { x: 0.5, y: 0.5 } });
  await service.signInPage(`/media/${photo.id}`);
  await openDetails(page, 'Comments');
  const comments = page.getByRole('region', { name: 'Comments' });
  const field = comments.getByRole('textbox', { name: 'Comment', exact: true });
  await field.fill(text);
  await expect(comments.getByText(/^At 0/)).toHaveCount(0);
  await field.press('Control+Enter');
  const entries = comments.getByRole('list', { name: 'List of comments' }).getByRole('listitem');
  await expect(entries).toHaveCount(2);
  await expect(entries.nth(1)).toContainText('<img src=x onerror=');
  await expect(entries.nth(1).getByRole('link')).toHaveAttribute('href', 'https://example.org/a');
  await expect(page.locator('[data-comment-point]')).toHaveCount(1);
  await entries.nth(1).getByRole('button', { name: 'Edit comment' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Better');
  await comments.getByRole('form', { name: 'Save' }).getByRole('button', { name: 'Save' }).click();
  await expect(entries.nth(1)).toContainText('Better');
  await expect(entries.nth(1)).toContainText('edited');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findViolations(page)).toEqual([]);
  }
  await entries.nth(1).getByRole('button', { name: 'Delete comment' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(entries).toHaveCount(1);
});
