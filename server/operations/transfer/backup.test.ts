import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { readLastChange } from '../../catalog/media/item-changes.ts';
import { isInHistory, readTimeline } from '../../catalog/media/timelines.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import { hashFile } from '../../platform/storage/hash-file.ts';
import { makeDistinctPhoto, uploadPhotos } from '../../testing/photos.ts';
import { runAdmin, readGreeting, killWhenFileAppears, waitForExit, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, startServiceOn, startTestService } from '../../testing/running-service.ts';
import { createTusRequests } from '../../testing/tus-requests.ts';
import { lockBackupFolder, readFileList, readManifest, readRenditionList, renditionListName } from './backup-folder.ts';
import { createBackup } from './create-backup.ts';

/** Items of a backup by identifier. Fails when a file that its catalog or its lists name is not there or not right. */
async function readBackup(folder: string): Promise<Map<string, string>> {
  const manifest = await readManifest(folder);
  await using scratch = await temporaryFolder();
  await copyFile(path.join(folder, manifest.catalog.path), scratch.file('catalog.db'));
  for (const file of [manifest.catalog, manifest.secret, manifest.files]) {
    expect(await hashFile(path.join(folder, file.path))).toBe(file.sha256);
  }
  const listed = new Map<string, string>();
  for await (const { path: name, sha256 } of readFileList(path.join(folder, manifest.files.path))) {
    listed.set(name, sha256);
    expect(await hashFile(path.join(folder, name)), name).toBe(sha256);
  }
  const db = await openCatalog(scratch.file('catalog.db'));
  const items = new Map<string, string>();
  try {
    expect(await db.selectFrom('uploads').select('id').execute()).toEqual([]);
    for await (const row of readAllMedia(db)) {
      items.set(row.id, row.sha256);
      expect(listed.get(`assets/${row.workspace_id}/${row.id}/original`)).toBe(row.sha256);
      if (row.poster_file === null) continue;
      const name = [...listed.keys()].find((each) => each.includes(row.id) && each.endsWith(renditionListName)) ?? '';
      const renditions = readRenditionList(await readFile(path.join(folder, name), 'utf8'));
      expect(renditions.files.map((each) => each.path)).toContain(row.poster_file);
    }
  } finally {
    await db.destroy();
  }
  return items;
}

const silent = { addTotal: () => undefined, advance: () => undefined, end: () => undefined };

test('backups during uploads and deletions, each interrupted by kill -9, leave one that restores completely', async () => {
  await using folder = await temporaryFolder();
  const [data, backup, restored] = [folder.file('data'), folder.file('backup'), folder.file('restored')];
  const service = spawnProgram('main', [], { DATA_DIR: data, PORT: '0', WORKERS: '1' });
  const { url, key } = await readGreeting(service);
  const client = createTestClient(url, key);
  const kept = await uploadPhotos(client, folder.path, [1, 2, 3]);
  // Large enough to be caught in the middle of being copied.
  const large = await makeDistinctPhoto(folder.file('large.png'), 4, 48 * 2 ** 20);
  kept.push(await client.waitUntilIndexed((await client.upload(large)).data.id));

  const traffic = new AbortController();
  const flowing = (async () => {
    for (let number = 100; !traffic.signal.aborted; number++) {
      const file = await makeDistinctPhoto(folder.file(`traffic-${number}.png`), number);
      const { data: item } = await client.upload(file);
      if (number % 2 === 0) expect((await client.delete(`/media/${item.id}`)).status).toBe(200);
      await delay(150);
    }
  })();
  const caught = new Set<string>();
  const moments: [string, RegExp][] = [
    ['an original', /original\.new$/],
    ['the catalog', /^catalog-.*\.db\.new$/],
    ['the list', /^files-.*\.jsonl/],
    ['the manifest', /^manifest\.json$/],
  ];
  for (const [moment, pattern] of moments) {
    if (await killWhenFileAppears(data, ['backup', backup], backup, pattern)) caught.add(moment);
    if (existsSync(path.join(backup, 'manifest.json'))) await readBackup(backup);
  }
  expect(caught).toContain('an original');
  // An upload that has not arrived whole is in no backup.
  expect((await createTusRequests({ url, key }).post(10)).status).toBe(201);
  const before = await client.get<MediaItem[], { total: number }>('/media?per_page=100');
  const done = await runAdmin(data, 'backup', backup);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toMatch(/^Backed up \d+ items .*\nIt holds secret\.key, .*keep the folder private\./);
  traffic.abort();
  await flowing;
  const inBackup = await readBackup(backup);
  for (const { id } of before.data) {
    const still = (await client.get(`/media/${id}`)).status === 200;
    if (still) expect(inBackup.has(id)).toBe(true);
  }
  for (const { id, sha256 } of kept) expect(inBackup.get(id)).toBe(sha256);
  expect((await readdir(backup)).filter((name) => /^(catalog|files)-|\.new$/.test(name))).toHaveLength(2);
  service.kill('SIGKILL');

  // A restore that is ended early leaves nothing that starts.
  expect(await killWhenFileAppears(restored, ['restore', backup], restored, /original\.new$/)).toBe(true);
  const refused = await waitForExit(spawnProgram('main', [], { DATA_DIR: restored, PORT: '0' }));
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/^A restore into .* was interrupted; run .* restore FOLDER again\..*\n$/);
  expect((await runAdmin(restored, 'key')).err).toMatch(/was interrupted/);
  expect(await runAdmin(restored, 'restore', backup)).toMatchObject({ code: 0, err: '' });

  await using again = await startServiceOn(restored);
  // The key is from before the backup: it is restored too.
  const second = createTestClient(again.url, key);
  const { data: found } = await second.search('red');
  expect(found.length).toBeGreaterThan(0);
  for (const item of kept) {
    const { data: same } = await second.get<MediaItem>(`/media/${item.id}`);
    expect(same).toMatchObject({ status: 'complete', sha256: item.sha256, warning: null });
    expect((await fetch(same.thumbnail ?? '')).status).toBe(200);
  }
  const { data: largest } = await second.get<MediaItem>(`/media/${kept[3]?.id}`);
  expect(Buffer.from(await (await fetch(largest.download_url)).arrayBuffer()).equals(await readFile(large))).toBe(true);
}, 240_000);

test('a second backup copies what is new, drops what was deleted, and leaves the rest as it is', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  const [data, backup] = [path.join(folder, 'data'), path.join(folder, 'backup')];
  const [first, second] = (await uploadPhotos(client, folder, [1, 2])) as [MediaItem, MediaItem];
  expect((await runAdmin(data, 'backup', backup)).out).toMatch(/^Backed up 2 items .*: 2 new, 0 removed/);
  expect((await stat(path.join(backup, 'secret.key'))).mode & 0o777).toBe(0o600);
  expect((await stat(backup)).mode & 0o777).toBe(0o700);
  const copy = path.join(backup, 'assets', service.workspaceId, second.id, 'original');
  const { ino, mtimeMs } = await stat(copy);
  await client.delete(`/media/${first.id}`);
  const [third] = (await uploadPhotos(client, folder, [3])) as [MediaItem];
  expect((await runAdmin(data, 'backup', backup)).out).toMatch(/^Backed up 2 items .*: 1 new, 1 removed/);
  expect(new Set((await readBackup(backup)).keys())).toEqual(new Set([second.id, third.id]));
  expect(await stat(copy)).toMatchObject({ ino, mtimeMs });
  expect(existsSync(path.join(backup, 'assets', service.workspaceId, first.id))).toBe(false);
});

test('an item that is deleted while its file is copied, before or after the snapshot, is in neither catalog nor files', async () => {
  await using service = await startTestService();
  const { client, folder, db, workspaceId } = service;
  const data = path.join(folder, 'data');
  const backup = path.join(folder, 'backup');
  const [early, stays] = (await uploadPhotos(client, folder, [1, 2])) as [MediaItem, MediaItem];
  const late = (await uploadPhotos(client, folder, [3]))[0] as MediaItem;
  const catalog = new SQLite(path.join(data, 'catalog.db'));
  const remove = (id: string) => catalog.prepare('delete from media_items where id = ?').run(id);
  // Hidden from the first pass, as if it had just been uploaded.
  catalog.pragma('foreign_keys = on');
  const row = catalog.prepare<[string], Record<string, unknown>>('select * from media_items where id = ?').get(late.id);
  remove(late.id);
  let blocks = 0;
  const progress = {
    ...silent,
    advance: () => {
      blocks += 1;
      if (blocks === 1) remove(early.id);
      if (blocks === 2 && row) {
        // Made from others, it takes no value.
        delete row['taken_local'];
        const columns = Object.keys(row);
        catalog
          .prepare(`insert into media_items (${columns.join()}) values (${columns.map(() => '?').join()})`)
          .run(Object.values(row));
      }
      // The second pass copies it, which the snapshot has.
      if (blocks === 3) remove(late.id);
    },
  };
  const assets = createFileAssetStore(data);
  const report = await createBackup({
    db,
    assets,
    secretKeyFile: path.join(data, 'secret.key'),
    folder: backup,
    software: 'test',
    progress,
  });
  catalog.close();
  expect(blocks).toBe(3);
  // The deletion in the copy has a number that the catalog gave to another change, so from there on they have no common history.
  const copied = await openCatalog(path.join(backup, (await readManifest(backup)).catalog.path));
  const first = { timeline: await readTimeline(db), change: (await readLastChange(copied, workspaceId)) - 1 };
  const last = { ...first, change: await readLastChange(db, workspaceId) };
  expect(last.change).toBeGreaterThan(first.change);
  expect([await isInHistory(db, first), await isInHistory(db, last)]).toEqual([true, true]);
  expect([await isInHistory(copied, first), await isInHistory(copied, last)]).toEqual([true, false]);
  await copied.destroy();
  expect(report).toMatchObject({ items: 1, missing: [] });
  expect([...(await readBackup(backup)).keys()]).toEqual([stays.id]);
  expect(await readdir(path.join(backup, 'assets', workspaceId))).toEqual([stays.id]);
});

test('a lost or changed original never replaces a good copy, and is reported', async () => {
  await using service = await startTestService({ logLevel: 'silent' });
  const { client, folder, workspaceId } = service;
  const [data, backup] = [path.join(folder, 'data'), path.join(folder, 'backup')];
  const [first] = (await uploadPhotos(client, folder, [1])) as [MediaItem];
  const originalOf = (item: MediaItem) => path.join(data, 'assets', workspaceId, item.id, 'original');
  expect((await runAdmin(data, 'backup', backup)).code).toBe(0);
  const [second, third] = (await uploadPhotos(client, folder, [2, 3])) as [MediaItem, MediaItem];
  await truncate(originalOf(first), 5);
  await rm(originalOf(second));
  await writeFile(originalOf(third), Buffer.alloc(third.size));
  const { code, err } = await runAdmin(data, 'backup', backup);
  expect(code).toBe(1);
  expect(err.split('\n')).toEqual([
    `The original of ${second.filename} (${second.id}) is missing, and not in the backup.`,
    `The original of ${third.filename} (${third.id}) is damaged, and not in the backup.`,
    '',
  ]);
  expect((await client.get<MediaItem>(`/media/${third.id}`)).data.warning?.code).toBe('original_damaged');
  const copy = path.join(backup, 'assets', workspaceId, first.id, 'original');
  expect(await hashFile(copy)).toBe(first.sha256);
});

test('a backup is written only to a folder of the same catalog, one at a time', async () => {
  await using service = await startTestService({ workers: 0 });
  await using other = await startTestService({ workers: 0 });
  const { folder } = service;
  const [data, backup, foreign] = [path.join(folder, 'data'), path.join(folder, 'backup'), path.join(folder, 'mine')];
  await mkdir(foreign);
  await writeFile(path.join(foreign, 'letter.txt'), 'Dear Ana');
  expect((await runAdmin(data, 'backup', backup)).code).toBe(0);
  const refusals: [string, string, RegExp][] = [
    [
      data,
      foreign,
      /^.* is not empty and holds no backup of Media Search \(it holds letter\.txt\); choose an empty folder\.\n$/,
    ],
    [path.join(other.folder, 'data'), backup, /^.* holds a backup of another Media Search; choose another folder\.\n$/],
    [data, path.join(data, 'backup'), /^The backup folder .* and the data folder .* must not contain each other\.\n$/],
    [
      path.join(folder, 'nowhere'),
      backup,
      /^There is no Media Search in .*nowhere yet; run npm start first, or set DATA_DIR\.\n$/,
    ],
  ];
  for (const [from, to, sentence] of refusals) {
    const { code, out, err } = await runAdmin(from, 'backup', to);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  }
  expect(await readdir(foreign)).toEqual(['letter.txt']);
  expect(existsSync(path.join(folder, 'nowhere'))).toBe(false);
  using _lock = lockBackupFolder(backup);
  const { code, err } = await runAdmin(data, 'backup', backup);
  expect(code).toBe(2);
  expect(err).toMatch(/^A backup into .*, or a restore from it, is already running/);
});
