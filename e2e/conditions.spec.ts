import { expect } from '@playwright/test';
import { plain } from '../packages/media/samples/draw-media.ts';
import { findViolations } from './axe.ts';
import { hits, searchFor } from './dashboard.ts';
import { test } from './service.ts';

test('the conditions of a sentence are chips, which become words or filters again @phone', async ({
  page,
  service,
}) => {
  const { client } = service;
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Marina Costa' })).data.id;
  const tag = (await client.post<{ id: string }>('/tags', { name: 'red' })).data.id;
  const { id } = await service.addPhoto('harbour-one.png', plain(215, 25, 25));
  await service.addPhoto('harbour-two.png', plain(25, 160, 60));
  await client.patch(`/media/${id}`, { creator_id: creator });
  await client.post(`/tags/${tag}/items`, { add: [id] });
  await service.signInPage();

  await searchFor(page, 'red harbour photos by Marina Costa');
  const chips = page.getByRole('list', { name: 'Understood as' }).getByRole('listitem');
  await expect(chips).toHaveText(['prefers Tag: red', 'Type: Photos', 'Creator: Marina Costa']);
  await expect(hits(page)).toHaveCount(1);
  expect(await findViolations(page, { within: '[aria-label="Understood as"]' })).toEqual([]);

  // Its words are words again.
  await page.getByRole('button', { name: 'Search for “by Marina Costa” as words' }).click();
  await expect(chips).toHaveText(['prefers Tag: red', 'Type: Photos']);
  await expect(page).toHaveURL(/as_words=creator_id/);
  await expect(page.getByRole('button', { name: /^Show harbour-two/ })).toBeVisible();

  // What was preferred is the filter of the field, as one that was added by hand.
  await page.getByRole('button', { name: 'Only “red” as a filter' }).click();
  await expect(chips).toHaveText(['Type: Photos']);
  await expect(page.getByRole('list', { name: 'Active filters' })).toContainText('Tag: red');
  await expect(page).toHaveURL(new RegExp(`tag=${tag}`));
  await expect(hits(page)).toHaveCount(1);

  // Another search starts over.
  await searchFor(page, 'harbour by Marina Costa');
  await expect(chips).toHaveText(['Creator: Marina Costa']);
});
