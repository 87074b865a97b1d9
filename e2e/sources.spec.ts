import { readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@playwright/test';
import { makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { addMember } from '../server/testing/add-member.ts';
import { findViolations } from './axe.ts';
import { expectToast, mediaCard, mediaCards } from './dashboard.ts';
import { addSource, drawPhotos, expectState, stateOf, test } from './source-files.ts';

test('an owner adds a folder, walks through its folders, and finds what lies in one @phone', async ({
  page,
  service,
  root,
}) => {
  await drawPhotos(path.join(root, 'footage'), ['2026/berlin/tower.png', '2026/berlin/day 2/river.png', 'cover.png']);
  await drawPhotos(path.join(root, 'other'), ['elsewhere.png']);
  const before = await readdir(root, { recursive: true });
  await service.signInPage('/settings/sources');
  await expect(page.getByText('No sources yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Add source' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a source' });
  await expect(dialog).toContainText('What lies in a folder of the server is indexed where it lies');
  await dialog.getByRole('button', { name: 'Add source' }).click();
  await expect(dialog.getByText('Open the folder that is to be added.')).toBeVisible();
  await dialog.getByRole('button', { name: root }).click();
  // By keyboard: the first folder of the one that was opened has the focus.
  await expect(dialog.getByRole('button', { name: 'footage' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText(`Indexes ${path.join(root, 'footage')} and all folders in it.`)).toBeVisible();
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await dialog.getByRole('button', { name: 'Add source' }).click();
  await expectToast(page, 'Source added.');
  await expect(page.getByRole('heading', { name: 'footage', level: 1 })).toBeVisible();
  await expectState(page, 'Up to date');
  const folders = page.getByRole('navigation', { name: 'Folders' });
  await expect(folders.getByRole('link')).toHaveCount(1);
  await folders.getByRole('button', { name: 'Folders in 2026' }).click();
  const berlin = folders.getByRole('link', { name: 'berlin 2 items' });
  await expect(berlin).toBeVisible();
  await folders.getByRole('link', { name: '2026 2 items' }).press('ArrowDown');
  await expect(berlin).toBeFocused();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html.dark')).toHaveCount(colorScheme === 'dark' ? 1 : 0);
    expect(await findViolations(page), colorScheme).toEqual([]);
  }

  await page.keyboard.press('Enter');
  await expect(mediaCards(page)).toHaveCount(2);
  const way = page.getByRole('navigation', { name: 'Folder', exact: true });
  await expect(way).toHaveText('footage2026berlin');
  // The filter says it too, and leads deeper and up.
  const chip = page.getByRole('button', { name: 'Folder: 2026 › berlin', exact: true });
  await chip.click();
  await page.getByRole('option', { name: 'day 2 1' }).click();
  await expect(mediaCards(page)).toHaveCount(1);
  await expect(mediaCard(page, /river/)).toBeVisible();
  await way.getByRole('link', { name: 'footage' }).click();
  await expect(mediaCards(page)).toHaveCount(3);
  // A folder is left with its source.
  await page.goBack();
  await expect(page.getByRole('button', { name: /^Folder: .*day 2$/ })).toBeVisible();
  await page.getByRole('button', { name: 'Remove filter Source' }).click();
  await expect(page.getByRole('list', { name: 'Active filters' }).getByRole('listitem')).toHaveCount(0);
  await expect(mediaCards(page)).toHaveCount(3);
  expect(await readdir(root, { recursive: true })).toEqual(before);
});

test('an item says where it lies: its folder, its path as this machine names it, and what lies beside it', async ({
  page,
  service,
  root,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await drawPhotos(root, ['2026/berlin/tower.png', '2026/lake.png']);
  await addSource(service.client, root, 'NAS');
  await service.signInPage('/settings/sources');
  const mappings = page.getByRole('region', { name: 'Path mappings' });
  await mappings.getByRole('button', { name: 'Add mapping' }).click();
  await mappings.getByLabel('Machine 1').fill('Windows');
  await mappings.getByLabel('Path on the server 1').fill(root);
  await mappings.getByLabel('Path there 1').fill('Z:\\');
  await mappings.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Path mappings saved.');

  await page.goto(service.url);
  await mediaCard(page, /tower/).click();
  await page.getByRole('button', { name: 'Details' }).click();
  const location = page.getByRole('region', { name: 'Location' });
  await expect(location.getByText(path.join(root, '2026/berlin/tower.png'))).toBeVisible();
  await location.getByLabel('Path on').click();
  await page.getByRole('option', { name: 'Path on Windows' }).click();
  await location.getByRole('button', { name: 'Copy path' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('Z:\\2026\\berlin\\tower.png');
  await location.getByRole('link', { name: 'Show in folder' }).click();
  await expect(mediaCards(page)).toHaveCount(1);
  await page.getByRole('navigation', { name: 'Folder', exact: true }).getByRole('link', { name: '2026' }).click();
  await expect(mediaCards(page)).toHaveCount(2);

  // A hit says it too; the choice of the machine is remembered.
  await page.goto(`${service.url}/search?q=green`);
  await page
    .getByRole('list', { name: /Results|Weaker/ })
    .getByRole('button', { name: /^Show tower/ })
    .first()
    .click();
  const hit = page.getByRole('dialog', { name: 'tower.png' });
  await expect(hit.getByRole('navigation', { name: 'Folder' })).toHaveText('NAS2026berlin');
  await hit.getByRole('button', { name: 'Copy path' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('Z:\\2026\\berlin\\tower.png');
});

test('of a source that is away items stay found and played, and everything says so until it is back', async ({
  page,
  service,
  root,
}) => {
  const folder = path.join(root, 'ssd');
  await drawPhotos(folder, ['meadow.png']);
  await makeVideo(path.join(folder, 'ferry.mp4'), {
    scenes: [{ paint: plain(200, 20, 20), seconds: 2 }],
    width: 160,
    height: 90,
  });
  const id = await addSource(service.client, folder, 'SSD');
  await service.signInPage(`/sources/${id}`);
  await expectState(page, 'Up to date');
  await rename(folder, path.join(root, 'drawer'));
  await page.getByRole('button', { name: 'Rescan' }).click();
  await expectState(page, 'Offline');
  await expect(stateOf(page)).toContainText(/Its folder is not there\. It has been offline since .*nothing is deleted/);
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('link', { name: '2 in the library' }).click();
  await expect(mediaCard(page, /ferry/).getByText('offline', { exact: true })).toBeAttached();
  await mediaCard(page, /ferry/).click();
  await expect(page.getByText('SSD is offline: this is the preview, not the original.')).toBeVisible();
  await page.getByRole('button', { name: 'Details' }).click();
  await expect(page.getByRole('region', { name: 'Location' })).toContainText('The original is offline: SSD');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Play', exact: true }).first().click();
  await expect
    .poll(() => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime))
    .toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Download' }).click();
  await expectToast(page, 'The original is offline');
  await page.goto(`${service.url}/search?q=red`);
  await expect(page.getByRole('button', { name: /^Play ferry/ }).first()).toBeVisible();

  // It is told of what is back by the events.
  await page.goto(service.url);
  const mark = mediaCard(page, /ferry/).getByText('offline', { exact: true });
  await expect(mark).toBeAttached();
  await rename(path.join(root, 'drawer'), folder);
  await service.client.post(`/sources/${id}/scan`, {});
  await expect(mark).not.toBeAttached();
});

test('most of a source is missing: nothing goes before an owner says that it was deleted', async ({
  page,
  service,
  root,
}) => {
  const folder = path.join(root, 'archive');
  await drawPhotos(folder, Array.from({ length: 24 }, (_, i) => `old/${i}.png`).concat('kept.png'));
  const id = await addSource(service.client, folder, 'Archive');
  await rename(path.join(folder, 'old'), path.join(root, 'elsewhere'));
  await service.signInPage(`/sources/${id}`);
  // The system may have told of it by then.
  await page.getByRole('button', { name: /Rescan|Look again/ }).click();
  await expectState(page, 'Offline');
  await expect(stateOf(page)).toContainText('24 of 25 files are missing');
  await page.getByRole('button', { name: 'Take what is missing as deleted' }).click();
  const question = page.getByRole('alertdialog', { name: 'Were the files of Archive deleted?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await service.client.get<unknown[]>('/media?per_page=100')).data).toHaveLength(25);

  // A member cannot, and is told who can.
  const owner = await page.context().cookies();
  const [cookie = '', value = ''] = (await addMember(service, 'bo@example.org')).cookie.split('=');
  await page.context().addCookies([{ name: cookie, value, url: service.url }]);
  await page.reload();
  await expect(stateOf(page)).toContainText('Only an owner of the workspace can say here that the files were deleted.');
  await expect(page.getByRole('button', { name: 'Take what is missing as deleted' })).toHaveCount(0);
  await page.context().addCookies(owner);
  await page.reload();
  await page.getByRole('button', { name: 'Take what is missing as deleted' }).click();
  await question.getByRole('button', { name: 'They were deleted' }).click();
  await expectState(page, 'Up to date');
});

test('a source is paused, resumed and removed; what cannot be read is listed with the reason', async ({
  page,
  service,
  root,
}) => {
  await drawPhotos(root, ['one.png']);
  await writeFile(path.join(root, 'broken.mp4'), 'not a video at all');
  const id = await addSource(service.client, root, 'Cards');
  await service.signInPage(`/sources/${id}`);
  const failed = page.getByRole('list', { name: 'Files that were not indexed' }).getByRole('listitem');
  await expect(failed).toHaveCount(1);
  await expect(failed).toContainText('broken.mp4');
  await page.getByRole('button', { name: 'Pause' }).click();
  await expectState(page, 'Paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expectState(page, 'Up to date');
  await page.getByRole('button', { name: 'Remove Cards' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove Cards?' });
  await expect(question).toContainText(`The files in ${root} stay as they are`);
  await question.getByRole('button', { name: 'Remove source' }).click();
  await expect(page).toHaveURL(/\/settings\/sources$/);
  await expect(page.getByText('No sources yet.')).toBeVisible();
  expect((await readdir(root)).toSorted()).toEqual(['broken.mp4', 'one.png']);
  await page.goto(`${service.url}/sources/${id}`);
  await expect(page.getByRole('heading', { name: 'There is no such source' })).toBeVisible();
});

test('members see sources and change none; the Workspace page tells their bytes apart', async ({
  page,
  service,
  root,
}) => {
  await drawPhotos(root, ['one.png', 'two.png']);
  await addSource(service.client, root, 'NAS');
  const [name = '', value = ''] = (await addMember(service, 'bo@example.org')).cookie.split('=');
  await page.context().addCookies([{ name, value, url: service.url }]);
  await page.goto(`${service.url}/workspace`);
  await expect(page.getByRole('term').filter({ hasText: 'Referenced in place' })).toBeVisible();
  await expect(page.getByText('2 files in 1 source')).toBeVisible();
  await page.getByRole('link', { name: '1 source' }).click();
  await expect(page.getByText('Only owners of the workspace add, change and remove sources.')).toBeVisible();
  await expect(page.getByRole('button', { name: /Add source|Pause|Remove NAS|Add mapping/ })).toHaveCount(0);
});
