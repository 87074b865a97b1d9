import { expect, type Locator, type Page } from '@playwright/test';

/** What the tests look at on the dashboard, as people find it: by role and name. */

export const mediaCards = (page: Page): Locator => page.getByRole('list', { name: 'Media' }).getByRole('link');

export const mediaCard = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('list', { name: 'Media' }).getByRole('link', { name });

/** Hits of a search, and highlights. */
export const hits = (page: Page): Locator =>
  page.getByRole('list', { name: 'Results', exact: true }).getByRole('button', { name: /^(Play|Show) / });

/** Chooses files, which are uploaded at once. */
export const chooseFiles = (page: Page, files: string | string[]): Promise<void> =>
  page.getByLabel('Files to upload').setInputFiles(files);

/** Opens the labels of the files that were chosen last. */
export async function openBatchLabels(page: Page): Promise<Locator> {
  await uploads(page)
    .getByRole('button', { name: /^Labels/ })
    .click();
  return uploads(page).getByRole('group', { name: 'Labels of these files' });
}

/** Shows requests, checksums and models from the next page load on. */
export const turnOnDeveloperMode = (page: Page): Promise<unknown> =>
  page.addInitScript(() => localStorage.setItem('developer mode', 'on'));

/** Opens the menu of the account; of a phone, what holds it. */
export async function openAccount(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const account = page.getByRole('button', { name: /^Account: / });
  if (await account.isVisible()) await account.click();
  else await page.getByRole('button', { name: 'More', exact: true }).click();
}

/** Signs out a person who came by a link, and has no password. */
export async function signOutWithoutPassword(page: Page): Promise<void> {
  await openAccount(page);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out without a password' }).click();
}

export const uploads = (page: Page): Locator => page.getByRole('region', { name: 'Uploads' });

export const uploadRow = (page: Page, name: string): Locator =>
  uploads(page).getByRole('listitem').filter({ hasText: name });

export const searchField = (page: Page): Locator => page.getByRole('combobox', { name: 'Search' });

export async function searchFor(page: Page, query: string): Promise<void> {
  await searchField(page).fill(query);
  await searchField(page).press('Enter');
}

/** Expects a notice that passes by itself. */
export const expectToast = (page: Page, text: string | RegExp): Promise<void> =>
  expect(page.locator('[data-sonner-toast]').getByText(text).first()).toBeVisible();

export const player = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name });

/** Expects the player of an item to be open and playing. Returns its video. */
export async function expectPlaying(page: Page, name: string): Promise<Locator> {
  const video = player(page, name).getByLabel('Clip', { exact: true });
  await expect(video).toHaveJSProperty('paused', false);
  return video;
}

/**
 * Watches a video that loops until it has gone back to its start.
 * @returns the times that it had at each frame meanwhile, seconds
 */
export const playedTimes = (video: Locator): Promise<number[]> =>
  video.evaluate(async (element: HTMLVideoElement) => {
    const times = [element.currentTime];
    for (;;) {
      await new Promise(requestAnimationFrame);
      const last = times.at(-1) ?? 0;
      times.push(element.currentTime);
      if (element.currentTime < last - 1) return times;
    }
  });

/** Presses a key several times while the page is busy, so that it gets them all before it could render for the first. */
export async function pressQuickly(page: Page, key: string, times: number): Promise<void> {
  const busy = page.evaluate(() => {
    const until = performance.now() + 500;
    while (performance.now() < until);
  });
  await Promise.all(Array.from({ length: times }, () => page.keyboard.down(key)));
  await page.keyboard.up(key);
  await busy;
}

/** Opens an address, such as a link that signs in, and waits for the dashboard. */
export async function openDashboard(page: Page, address: string): Promise<void> {
  await page.goto(address);
  // An item fills the window, without a menu.
  await page.getByRole('navigation', { name: 'Main' }).or(page.locator('[data-viewer]')).first().waitFor();
}

/** Opens what is known of an item beside its picture, at one of its parts. */
export async function openDetails(
  page: Page,
  part: 'Info' | 'Comments' | 'Transcript' | 'Text' | 'Find' | 'Scenes' = 'Info',
): Promise<void> {
  const button = page.getByRole('button', { name: 'Details', exact: true });
  await expect(button).toBeVisible();
  if ((await button.getAttribute('aria-pressed')) === 'false') await button.click();
  await page.getByRole('tab', { name: part }).click();
}

/** Chooses an entry of a menu of the viewer. */
export async function chooseFrom(page: Page, menu: 'More' | 'Playback options', entry: string | RegExp): Promise<void> {
  await page.locator('[data-viewer]').getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** Chooses from a list that a button opens. */
export async function choose(field: Locator, option: string): Promise<void> {
  await field.click();
  await field.page().getByRole('option', { name: option, exact: true }).click();
}

/** Chooses a label: the button shows its name, and opens a list that is searched by typing. */
export async function pickLabel(button: Locator, name: string): Promise<void> {
  await button.click();
  const field = button.page().getByRole('combobox', { name: /^Find a / });
  await field.fill(name);
  await button.page().getByRole('option', { name }).first().click();
}

/** The bar above a list. */
export const filterBar = (page: Page): Locator => page.getByRole('region', { name: 'Filters' });

/** Opens the list of all filters and types into it. */
export async function typeFilter(page: Page, text: string): Promise<void> {
  await filterBar(page).getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Add filter' }).fill(text);
}

/** Adds a filter by typing the name of its value. @param option as it is listed, such as `Creator: Ana Lima` */
export async function addFilter(page: Page, option: string): Promise<void> {
  await typeFilter(page, option.replace(/^[^:]*: /, ''));
  await page.getByRole('option', { name: option }).click();
}

/** The chip of a filter that is set. */
export const chip = (page: Page, label: string | RegExp): Locator =>
  filterBar(page).getByRole('list', { name: 'Active filters' }).getByRole('button', { name: label });

export const removeFilter = (page: Page, label: string): Promise<void> =>
  filterBar(page)
    .getByRole('button', { name: `Remove filter ${label}` })
    .click();

/** Chooses an order of the library. */
export async function sortBy(page: Page, order: string): Promise<void> {
  await filterBar(page)
    // A phone has it in a menu with the view.
    .getByRole('button', { name: /^(?:Sort: |View and order$)/ })
    .click();
  await page.getByRole('menuitemradio', { name: order, exact: true }).click();
}

/** Turns an option of how results are shown on or off, and closes its menu. */
export async function toggleViewOption(page: Page, name: string): Promise<void> {
  await filterBar(page).getByRole('button', { name: 'View options' }).click();
  await page.getByRole('menuitemcheckbox', { name }).click();
  await page.keyboard.press('Escape');
}

/** Chooses from what is done seldom with a page. */
export async function chooseMore(page: Page, action: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}
