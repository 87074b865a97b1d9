import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import type { Source } from '../../../contract/sources.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { runAdmin } from '../../testing/programs.ts';
import { startTestService } from '../../testing/running-service.ts';

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag><rdf:li>Lighthouse</rdf:li></rdf:Bag></dc:subject></rdf:Description>
</rdf:RDF></x:xmpmeta>`;

test('originals in a source that is away are not lost, and what was made of them is made again from where they lie', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService({ sourceRoots: [folder.path] });
  const { client, workspaceId } = service;
  const root = folder.file('nas');
  await mkdir(root);
  await makePhoto(path.join(root, 'a.jpg'), plain(200, 30, 90));
  await writeFile(path.join(root, 'a.xmp'), xmp);
  const { id } = (await client.post<Source>('/sources', { location: root })).data;
  const source = async () => (await client.get<Source>(`/sources/${id}`)).data;
  await expect.poll(async () => (await source()).items.complete, { timeout: 60_000 }).toBe(1);
  const [item] = (await client.get<MediaItem[]>('/media')).data as [MediaItem];
  const data = path.join(service.folder, 'data');
  const check = (...words: string[]) => runAdmin(data, 'check', ...words);
  const fine = 'Checked 1 items with 0 B of originals (those of 1 are in sources, whose scans check them)';

  await rename(root, folder.file('drawer'));
  await client.post(`/sources/${id}/scan`, {});
  await expect.poll(async () => (await source()).state, { timeout: 30_000 }).toBe('offline');
  expect(await check()).toEqual({ code: 0, out: `${fine}: nothing is wrong.\n`, err: '' });

  const files = path.join(data, 'assets', workspaceId, item.id);
  const posters = async () => (await readdir(files, { recursive: true })).filter((name) => name.endsWith('.webp'));
  const before = (await posters()).toSorted();
  for (const name of before) await rm(path.join(files, name));
  const away = await check('--repair');
  expect(away.code).toBe(1);
  expect(away.out).toContain(`Not repaired: a.jpg (${item.id}): its source is offline\n`);
  expect((await client.get<MediaItem>(`/media/${item.id}`)).data.status).toBe('complete');

  await rename(folder.file('drawer'), root);
  await client.post(`/sources/${id}/scan`, {});
  await expect.poll(async () => (await source()).state, { timeout: 30_000 }).toBe('ready');
  expect((await check('--repair')).code).toBe(0);
  await client.waitUntilIndexed(item.id);
  expect(await check()).toMatchObject({ code: 0, out: `${fine}: nothing is wrong.\n` });
  const names = (each: string[]) => each.map((name) => path.basename(name)).toSorted();
  expect(names(await posters())).toEqual(names(before));
  // With what lies beside it.
  expect((await client.search('lighthouse')).data.map((hit) => hit.id)).toEqual([item.id]);
  expect((await readdir(root)).toSorted()).toEqual(['a.jpg', 'a.xmp']);
});
