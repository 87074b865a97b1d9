import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import type { RemovableItem } from '../assets/asset-store.ts';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import { createLostAndFound } from '../assets/lost-and-found.ts';
import { deleteMedia } from '../catalog/media/media-items.ts';
import { addPendingRemoval, listPendingRemovals } from '../catalog/media/pending-removals.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import { openServiceDatabase, startServiceOn } from '../testing/running-service.ts';
import { createMediaRemoval } from './media-removal.ts';

test('files of items deleted right before a crash are removed at the next start, and nothing else', async () => {
  await using folder = await temporaryFolder();
  await using database = await openServiceDatabase();
  const dataDirectory = folder.file('data');
  const service = await startServiceOn(dataDirectory, database.settings);
  for (const [name, blue] of [
    ['kept.png', 10],
    ['deleted.png', 200],
  ] as const) {
    await makePhoto(folder.file(name), plain(9, 9, blue));
    await service.client.waitUntilIndexed((await service.client.upload(folder.file(name))).data.id);
  }
  const { data } = await service.client.get<{ id: string; filename: string }[]>('/media?sort=filename');
  const [deleted, kept] = data.map(({ id }) => id) as [string, string];
  // The state of a service that is killed right after the commit.
  expect(await deleteMedia(service.db, service.workspaceId, deleted)).toBe(true);
  expect(await listPendingRemovals(service.db)).toMatchObject([{ workspace_id: service.workspaceId, id: deleted }]);
  await service[Symbol.asyncDispose]();
  const items = path.join(dataDirectory, 'assets', service.workspaceId);
  expect((await readdir(items)).toSorted()).toEqual([deleted, kept].toSorted());

  await using next = await startServiceOn(dataDirectory, database.settings);
  await expect.poll(() => readdir(items)).toEqual([kept]);
  await expect.poll(() => listPendingRemovals(next.db)).toEqual([]);
});

test('files that cannot be removed are retried', async () => {
  await using folder = await temporaryFolder();
  const db = await openCatalog(catalogFile(folder.path));
  const assets = createFileAssetStore(folder.path);
  await mkdir(folder.file('assets/w/m'), { recursive: true });
  await writeFile(folder.file('assets/w/m/original'), 'bytes');
  // A file in the place of the folder that it is moved to.
  await writeFile(folder.file('removed'), '');
  const warnings: unknown[] = [];
  const log = { warn: (entry: unknown) => warnings.push(entry), error: (entry: unknown) => warnings.push(entry) };
  const removal = createMediaRemoval({ db, assets, lostAndFound: createLostAndFound(folder.path), log });
  await addPendingRemoval(db, 'w', 'm');
  await removal.remove('w', 'm');
  expect(warnings).toMatchObject([{ media: 'm', err: { code: 'EEXIST' } }]);
  expect(await readdir(folder.file('assets/w'))).toEqual(['m']);

  await rm(folder.file('removed'));
  await assets.prepare();
  await removal.removePending();
  expect(await readdir(folder.file('assets/w'))).toEqual([]);
  expect(await listPendingRemovals(db)).toEqual([]);
  removal.stop();
  await db.destroy();
});

test('whoever deletes an item does not wait for a store that hangs', async () => {
  const db = await openCatalog(':memory:');
  const assets = { ...createFileAssetStore('/no/such/folder'), remove: () => new Promise<never>(() => undefined) };
  const log = { warn: () => undefined, error: () => undefined };
  const removal = createMediaRemoval({ db, assets, lostAndFound: createLostAndFound('/no/such/folder'), log });
  await addPendingRemoval(db, 'w', 'm');
  await removal.remove('w', 'm');
  removal.stop();
  await db.destroy();
});

/** Writes one file after the other into a folder until it is gone, as a worker does with thumbnails. */
const writer = `
  const { writeFileSync } = require('node:fs');
  process.stdout.write('.');
  try { for (let i = 0; ; i++) writeFileSync(process.argv[1] + '/' + i, ''); } catch {}
`;

test('an item is removed while a worker is writing into its folder', async () => {
  await using folder = await temporaryFolder();
  const assets = createFileAssetStore(folder.path);
  await assets.prepare();
  for (let round = 0; round < 10; round++) {
    const owner = { workspace_id: 'w', id: String(round) };
    const renditions = folder.file(`assets/w/${round}/renditions`);
    await mkdir(renditions, { recursive: true });
    const worker = spawn(process.execPath, ['-e', writer, renditions], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(worker.stdout, 'data');
    const ended = once(worker, 'exit');
    await assets.remove(owner as RemovableItem).finally(() => worker.kill());
    await ended;
    expect(await readdir(folder.file('assets/w'))).toEqual([]);
    expect(await readdir(folder.file('removed'))).toEqual([]);
  }
});
