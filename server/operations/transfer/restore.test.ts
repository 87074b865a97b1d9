import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import { uploadPhotos } from '../../testing/photos.ts';
import { runAdmin, killWhenFileAppears } from '../../testing/programs.ts';
import { startServiceOn, startTestService } from '../../testing/running-service.ts';

/** A backup of three photographs, and the data folder of a service that was stopped after another one came. */
async function makeBackup(folder: string) {
  const [data, backup] = [path.join(folder, 'data'), path.join(folder, 'backup')];
  await using service = await startServiceOn(data);
  const { client, workspaceId } = service;
  const items = await uploadPhotos(client, folder, [1, 2, 3]);
  expect((await runAdmin(data, 'backup', backup)).code).toBe(0);
  const [later] = (await uploadPhotos(client, folder, [4])) as [MediaItem];
  return { data, backup, items: items as [MediaItem, MediaItem, MediaItem], later, workspaceId };
}

/** The items that a catalog lists and whose originals are there. */
async function listIds(data: string): Promise<Set<string>> {
  const db = await openCatalog(path.join(data, 'catalog.db'));
  const ids = new Set<string>();
  for await (const { workspace_id, id } of readAllMedia(db)) {
    if (existsSync(path.join(data, 'assets', workspace_id, id, 'original'))) ids.add(id);
  }
  await db.destroy();
  return ids;
}

test('a restore that is interrupted at any moment can be run again, and moves earlier content aside without losing it', async () => {
  await using folder = await temporaryFolder();
  const { data, backup, items, later } = await makeBackup(folder.path);
  const expected = new Set(items.map(({ id }) => id));
  await mkdir(path.join(data, 'indexes'), { recursive: true });
  await writeFile(path.join(data, 'indexes', 'of-before'), 'derived from another history');

  const refused = await runAdmin(data, 'restore', backup);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toMatch(
    /^The data folder .* is not empty \(it holds .*\)\. Give --force to move what it holds aside/,
  );
  expect(await listIds(data)).toEqual(new Set([...expected, later.id]));

  let interrupted = 0;
  let last = '';
  for (const [i, moment] of [/^catalog\.db$/, /^state\.json\.new$/, /^state\.json$/, /^replaced-/].entries()) {
    const copy = folder.file(`copy-${i}`);
    await cp(data, copy, { recursive: true });
    if (await killWhenFileAppears(copy, ['restore', backup, '--force'], copy, moment)) interrupted += 1;
    const unfinished = existsSync(path.join(copy, 'restoring'));
    if (unfinished) {
      await expect(startServiceOn(copy)).rejects.toThrow(/^A restore into .* was interrupted/);
      expect(await runAdmin(copy, 'restore', backup, '--force')).toMatchObject({ code: 0, err: '' });
    }
    expect(await listIds(copy)).toEqual(expected);
    last = copy;
    expect(existsSync(path.join(copy, 'indexes', 'of-before'))).toBe(false);
    // The earlier content is complete: it can be used again.
    const [replaced, ...more] = (await readdir(copy)).filter((name) => name.startsWith('replaced-'));
    expect(more).toEqual([]);
    expect(await listIds(path.join(copy, replaced ?? ''))).toEqual(new Set([...expected, later.id]));
  }
  expect(interrupted).toBeGreaterThan(1);
  await using service = await startServiceOn(last);
  const found = await service.client.search('red');
  expect(new Set(found.data.map(({ id }) => id))).toEqual(expected);
}, 240_000);

test('a damaged backup is refused by default; with --skip-damaged the missing files are reported on their items', async () => {
  await using folder = await temporaryFolder();
  const { data, backup, items, workspaceId } = await makeBackup(folder.path);
  const assets = path.join(backup, 'assets', workspaceId);
  await truncate(path.join(assets, items[0].id, 'original'), 10);
  await writeFile(path.join(assets, items[1].id, 'original'), Buffer.alloc(items[1].size));
  const before = await readdir(data);
  const { code, out, err } = await runAdmin(data, 'restore', backup, '--force');
  expect([code, out]).toEqual([2, '']);
  expect(err.split('\n')).toEqual([
    expect.stringMatching(/^The backup in .* is damaged, so nothing was restored\. Give --skip-damaged/),
    `  assets/${workspaceId}/${items[0].id}/original (damaged)`,
    `  assets/${workspaceId}/${items[1].id}/original (damaged)`,
    '',
  ]);
  expect(await readdir(data)).toEqual(before);

  const into = folder.file('restored');
  const partly = await runAdmin(into, 'restore', backup, '--skip-damaged');
  expect(partly.code).toBe(1);
  expect(partly.err.match(/^Left out: /gm)).toHaveLength(2);
  const service = await startServiceOn(into, { logLevel: 'silent' });
  const warnings = await Promise.all(
    items.map(async ({ id }) => (await service.client.get<MediaItem>(`/media/${id}`)).data.warning?.code),
  );
  await service.stop();
  expect(warnings).toEqual(['original_missing', 'original_missing', undefined]);

  const catalog = (await readdir(backup)).find((name) => name.startsWith('catalog-')) ?? '';
  await truncate(path.join(backup, catalog), 4096);
  const broken = await runAdmin(folder.file('other'), 'restore', backup, '--skip-damaged');
  expect(broken.code).toBe(2);
  expect(broken.err).toMatch(/^The file catalog-.*\.db of the backup in .* is damaged, so it cannot be restored\.\n$/);
  expect((await readdir(folder.file('other'))).filter((name) => name !== 'service.lock')).toEqual([]);
});

test('a restore refuses a data folder in use, and an incomplete backup', async () => {
  await using service = await startTestService({ workers: 0 });
  const { folder } = service;
  const [data, backup] = [path.join(folder, 'data'), path.join(folder, 'backup')];
  expect((await runAdmin(data, 'backup', backup)).code).toBe(0);
  const unfinished = path.join(folder, 'unfinished');
  await cp(backup, unfinished, { recursive: true, filter: (name) => !name.endsWith('manifest.json') });
  const newer = path.join(folder, 'newer');
  await cp(backup, newer, { recursive: true });
  const manifest = await readFile(path.join(newer, 'manifest.json'), 'utf8');
  await writeFile(path.join(newer, 'manifest.json'), manifest.replace('"version": 1', '"version": 2'));
  const outside = path.join(folder, 'outside');
  await cp(backup, outside, { recursive: true });
  await writeFile(path.join(outside, 'manifest.json'), manifest.replace('"path": "catalog', '"path": "../catalog'));
  const refusals: [string, string, RegExp][] = [
    [data, backup, /^Another Media Search is running on the data folder .*\n$/],
    [path.join(folder, 'a'), path.join(folder, 'nowhere'), /^.* holds no backup of Media Search\.\n$/],
    [
      path.join(folder, 'a'),
      unfinished,
      /^The first backup into .* was never completed, so there is nothing to restore\.\n$/,
    ],
    [
      path.join(folder, 'a'),
      newer,
      /^The backup in .* was made by a newer version of Media Search; restore it with that version\.\n$/,
    ],
    [
      path.join(folder, 'a'),
      outside,
      /^The file manifest\.json of the backup in .* is damaged, so it cannot be restored\.\n$/,
    ],
  ];
  for (const [into, from, sentence] of refusals) {
    const { code, out, err } = await runAdmin(into, 'restore', from, '--force');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  }
  expect((await service.client.get('/workspace')).status).toBe(200);
});

test('a fresh volume, with the lost+found of its file system, takes a backup and a restore', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  const [data, backup, restored] = ['data', 'volume', 'restored'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  await uploadPhotos(client, folder, [1]);
  for (const volume of [backup, restored]) await mkdir(path.join(volume, 'lost+found'), { recursive: true });
  expect(await runAdmin(data, 'backup', backup)).toMatchObject({ code: 0, err: '' });
  expect(await runAdmin(restored, 'restore', backup)).toMatchObject({ code: 0, err: '' });
  expect(await readdir(restored)).toContain('lost+found');
  expect(await readdir(backup)).toContain('lost+found');
  // One that holds files is moved aside with the rest.
  await writeFile(path.join(restored, 'lost+found', 'kept'), 'x');
  expect(await runAdmin(restored, 'restore', backup)).toMatchObject({ code: 2 });
  expect(await runAdmin(restored, 'restore', backup, '--force')).toMatchObject({ code: 0 });
  const aside = (await readdir(restored)).find((name) => name.startsWith('replaced-')) ?? '';
  expect(await readdir(path.join(restored, aside, 'lost+found'))).toEqual(['kept']);
});
