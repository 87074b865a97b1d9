import { expect } from '@playwright/test';
import { makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { addAppleNotes } from '../packages/media/testing/make-live-photo.ts';
import { hits, mediaCard, mediaCards } from './dashboard.ts';
import { test } from './service.ts';

test('a Live Photo is one item, whose film plays from its details, and can be taken apart @phone', async ({
  page,
  service,
}) => {
  const content = '1E5A4B7C-0F7B-4B0E-9B63-0D0C5C6A7F11';
  await makeVideo(service.file('IMG_7.mov'), {
    scenes: [{ paint: plain(200, 30, 30), seconds: 2 }],
    contentId: content,
  });
  await makePhoto(service.file('IMG_7.jpg'), plain(200, 30, 30));
  await addAppleNotes(service.file('IMG_7.jpg'), { content });
  for (const name of ['IMG_7.mov', 'IMG_7.jpg']) await service.addFile(name);
  await service.signInPage('/');
  await expect(mediaCards(page)).toHaveCount(1);
  await expect(mediaCard(page, /IMG_7\.jpg/)).toContainText('Live');

  // A hit says it too.
  await service.signInPage('/search?q=IMG_7');
  await expect(hits(page).first()).toBeVisible();
  await expect(page.getByRole('list', { name: 'Results', exact: true })).toContainText('Live');
  await service.signInPage('/');

  await mediaCard(page, /IMG_7\.jpg/).click();
  const stack = page.getByRole('region', { name: 'Stack' });
  if (!(await stack.isVisible())) await page.getByRole('button', { name: /^(Info|Details)/ }).click();
  await expect(stack.getByText('Live Photo')).toBeVisible();
  await expect(stack.getByRole('link', { name: 'Show IMG_7.jpg' })).toHaveAttribute('aria-current', 'page');
  await stack.getByRole('link', { name: 'Play IMG_7.mov' }).click();
  await expect(page.getByLabel('Clip', { exact: true })).toBeVisible();
  await stack.getByRole('button', { name: 'Take out of the stack' }).click();
  await expect(stack).toBeHidden();
  await service.signInPage('/');
  await expect(mediaCards(page)).toHaveCount(2);
});
