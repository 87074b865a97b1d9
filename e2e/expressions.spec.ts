import { expect } from '@playwright/test';
import { makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { hits, player, searchField } from './dashboard.ts';
import { test } from './service.ts';

const red = plain(205, 25, 25);
const green = plain(35, 150, 45);
const blue = plain(25, 45, 205);

test('descriptions are joined, shown as chips, taken away and kept in the address, by keyboard too @phone', async ({
  page,
  service,
}) => {
  for (const [name, scenes] of [
    ['one.mp4', [red, green, blue]],
    ['two.mp4', [blue, green, red]],
  ] as const) {
    await makeVideo(service.file(name), { scenes: scenes.map((paint) => ({ paint, seconds: 3 })) });
    await service.addFile(name);
  }
  await service.signInPage('/search?q=red');
  await page.getByRole('button', { name: 'Combine' }).click();
  await page.getByRole('combobox', { name: 'How it is joined' }).click();
  await page.getByRole('option', { name: 'then' }).click();
  await page.getByRole('textbox', { name: 'Another description' }).fill('blue');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=%22red%22\+then\+%22blue%22/);
  await expect(searchField(page)).toHaveValue('"red" then "blue"');
  const chips = page.getByRole('list', { name: 'Descriptions' });
  await expect(chips.getByRole('listitem')).toHaveText(['red', 'thenblue']);

  // One hit that spans both, with a mark for each.
  await expect(hits(page).first()).toHaveAccessibleName(/^Play one\.mp4 /);
  await hits(page).first().click();
  await expect(player(page, 'one.mp4')).toBeVisible();
  await expect(page.locator('[data-mark]')).toHaveCount(2);
  await page.keyboard.press('Escape');

  // The address alone leads to the same.
  await page.reload();
  await expect(chips.getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove “red”' }).focus();
  await page.keyboard.press('Delete');
  await expect(searchField(page)).toHaveValue('blue');
  await expect(chips).toBeHidden();
});
