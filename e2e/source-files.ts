import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { test as base } from './service.ts';

type Source = { id: string; state: string; items: Record<string, number> };

/** A test with a service that allows sources in one folder of the machine, outside of its data. */
export const test = base.extend<{ root: string }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the pattern
  root: async ({}, provide) => {
    await using folder = await temporaryFolder();
    await provide(folder.path);
  },
  settings: ({ root }, provide) => provide({ sourceRoots: [root] }),
});

/** Draws photographs below a folder, each of a colour of its own. */
export async function drawPhotos(folder: string, names: readonly string[]): Promise<void> {
  for (const [i, name] of names.entries()) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await makePhoto(file, plain((i * 37) % 256, (90 + i * 71) % 256, (200 + i * 23) % 256));
  }
}

type Client = {
  get: <Data>(path: string) => Promise<{ data: Data }>;
  post: <Data>(path: string, body: unknown) => Promise<{ data: Data }>;
};

/** Adds a source by the API, and waits until all of it is indexed. */
export async function addSource(client: Client, location: string, name: string): Promise<string> {
  const { data } = await client.post<Source>('/sources', { location, name });
  await expect
    .poll(async () => {
      const { state, items } = (await client.get<Source>(`/sources/${data.id}`)).data;
      return state === 'ready' && items['pending'] === 0 && items['indexing'] === 0 && (items['complete'] ?? 0) > 0;
    })
    .toBe(true);
  return data.id;
}

/** The state of the source that is shown. */
export const stateOf = (page: Page) => page.getByRole('region', { name: 'State' });

/** Waits for what a source is called in its state. */
export const expectState = (page: Page, text: string): Promise<void> =>
  expect(stateOf(page).getByText(text).first()).toBeVisible();
