import { existsSync } from 'node:fs';
import { cp, mkdir, open, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { makeDistinctPhoto, uploadPhotos } from '../../testing/photos.ts';
import { runAdmin } from '../../testing/programs.ts';
import { startServiceOn, startTestService, type TestClient } from '../../testing/running-service.ts';

/** The findings of a report, each as `about: message`. */
const findingsOf = (out: string): string[] => (out.match(/^ {2}.+$/gm) ?? []).map((line) => line.trim());

test('during uploads to a running service: files, rows and folders are compared, and derived files are rebuilt', async () => {
  await using service = await startTestService({ logLevel: 'silent' });
  const { client, folder, db, workspaceId } = service;
  const data = path.join(folder, 'data');
  expect(await runAdmin(data, 'check')).toEqual({
    code: 0,
    out: 'Checked 0 items with 0 B of originals: nothing is wrong.\n',
    err: '',
  });
  const [cut, changed, lost, thumbless, chunkless, whole] = (await uploadPhotos(
    client,
    folder,
    [1, 2, 3, 4, 5, 6],
  )) as [MediaItem, MediaItem, MediaItem, MediaItem, MediaItem, MediaItem];
  // An AVI is played as an MP4 rendition.
  const film = path.join(folder, 'film.avi');
  await makeVideo(film, { scenes: [{ paint: plain(200, 0, 0), seconds: 2 }], codec: 'mpeg4' });
  const video = await client.waitUntilIndexed((await client.upload(film)).data.id);
  const folderOf = (item: MediaItem) => path.join(data, 'assets', workspaceId, item.id);
  const fileOf = async (item: MediaItem, name: RegExp) => {
    const names = await readdir(folderOf(item), { recursive: true });
    return path.join(folderOf(item), names.find((each) => name.test(each)) ?? '');
  };
  const traffic = new AbortController();
  const flowing = keepUploading(client, folder, traffic.signal);
  expect(await runAdmin(data, 'check')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/: nothing is wrong\.\n$/),
  });

  await truncate(path.join(folderOf(cut), 'original'), 10);
  await using bytes = await open(path.join(folderOf(changed), 'original'), 'r+');
  await bytes.write(Buffer.from([1]), 0, 1, 20);
  await rm(path.join(folderOf(lost), 'original'));
  await rm(await fileOf(thumbless, /poster-320\.webp$/));
  await truncate(await fileOf(video, /\.mp4$/), 1000);
  await mkdir(path.join(data, 'assets', workspaceId, '01a1fbe4-6806-793e-a30f-22b8a44e4f85'));
  const catalog = new SQLite(path.join(data, 'catalog.db'));
  catalog.prepare('delete from chunks where media_id = ?').run(chunkless.id);
  catalog
    .prepare('delete from chunk_vectors where chunk_number = (select number from chunks where media_id = ?)')
    .run(whole.id);
  catalog.close();
  // For its first ten seconds a folder may belong to an upload in progress.
  await new Promise((resolve) => setTimeout(resolve, 11_000));

  const name = (item: MediaItem) => `${item.filename} (${item.id})`;
  const beyondMending = [
    `${name(cut)}: its original differs from what was uploaded`,
    `${name(changed)}: its original differs from what was uploaded`,
    `${name(lost)}: its original is missing`,
    `assets/${workspaceId}/01a1fbe4-6806-793e-a30f-22b8a44e4f85: it belongs to no item; the next start moves it to lost+found`,
  ];
  const mendable = [
    `${name(thumbless)}: poster-320.webp is missing or damaged`,
    `${name(video)}: ${path.basename(await fileOf(video, /\.mp4$/))} is missing or damaged`,
    `${name(chunkless)}: 0 chunks are stored instead of 1`,
    `${name(whole)}: 1 chunks have no vector of descriptors@2`,
  ];
  const found = await runAdmin(data, 'check');
  expect(found).toMatchObject({ code: 1, err: '' });
  expect(new Set(findingsOf(found.out))).toEqual(new Set([...beyondMending, ...mendable]));
  expect(found.out).toMatch(/\n4 of them can be repaired with --repair\.\n$/);
  expect((await client.get<MediaItem>(`/media/${changed.id}`)).data.warning?.code).toBe('original_damaged');

  const repaired = await runAdmin(data, 'check', '--repair');
  expect(repaired.code).toBe(1);
  expect(repaired.out).toMatch(/\n4 of 8 repaired\. Originals are never changed/);
  const after = await runAdmin(data, 'check');
  expect(new Set(findingsOf(after.out))).toEqual(new Set(beyondMending));
  traffic.abort();
  await flowing;
  // The item stayed complete, is found by its name and its image, and can be played again.
  expect((await client.get<MediaItem>(`/media/${video.id}`)).data).toMatchObject({ status: 'complete', error: null });
  expect((await client.search('photo 5')).data.map(({ id }) => id)).toContain(chunkless.id);
  const { data: played } = await client.get<MediaItem>(`/media/${video.id}`);
  expect((await (await fetch(played.url ?? '')).arrayBuffer()).byteLength).toBeGreaterThan(1000);
  const vectors = await db
    .selectFrom('chunk_vectors')
    .innerJoin('chunks', 'chunks.number', 'chunk_vectors.chunk_number')
    .where('media_id', '=', whole.id)
    .select('embedder_id')
    .execute();
  expect(vectors).toHaveLength(1);
  expect(await readFile(path.join(folderOf(cut), 'original'))).toHaveLength(10);
}, 240_000);

async function keepUploading(client: TestClient, folder: string, signal: AbortSignal): Promise<void> {
  for (let number = 100; !signal.aborted; number++) {
    const { data: item } = await client.upload(await makeDistinctPhoto(path.join(folder, `t${number}.png`), number));
    if (number % 2 === 0) await client.delete(`/media/${item.id}`);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

test('without a service: leftovers are removed, pending items get their job, damaged indexes are rebuilt', async () => {
  await using folder = await temporaryFolder();
  const data = folder.file('data');
  const service = await startServiceOn(data);
  const { client, workspaceId } = service;
  const [item] = (await uploadPhotos(client, folder.path, [1])) as [MediaItem];
  await service.stop();
  const indexes = path.join(data, 'indexes', workspaceId);
  await mkdir(indexes, { recursive: true });
  await writeFile(path.join(indexes, 'descriptors-1.index'), 'not an index');
  await writeFile(path.join(indexes, 'descriptors-1.index.999999.new'), 'half an index');
  await writeFile(path.join(indexes, 'descriptors-1.rankings'), 'no rankings');
  await writeFile(path.join(data, 'uploads', 'half'), 'half a file');
  await mkdir(path.join(data, 'partial-files', workspaceId), { recursive: true });
  await writeFile(path.join(data, 'partial-files', workspaceId, 'gone'), 'of an upload that no row names');
  const catalog = new SQLite(path.join(data, 'catalog.db'));
  catalog.prepare("update media_items set status = 'pending'").run();
  catalog.prepare('update media_totals set bytes = bytes + 1').run();
  catalog.close();
  const found = await runAdmin(data, 'check');
  expect(found.code).toBe(1);
  expect(new Set(findingsOf(found.out))).toEqual(
    new Set([
      `${item.filename} (${item.id}): it waits to be indexed, but has no job`,
      `catalog.db: the totals of the workspace ${workspaceId} differ from its items`,
      `indexes/${workspaceId}/descriptors-1.index: it is damaged; it is rebuilt at the next start`,
      `indexes/${workspaceId}/descriptors-1.index.999999.new: it was left by a process that was killed`,
      `indexes/${workspaceId}/descriptors-1.rankings: it is damaged; it is rebuilt when it is needed`,
      'uploads/half: it was left by a service that was killed',
      `partial-files/${workspaceId}/gone: it was left by a service that was killed`,
    ]),
  );
  expect((await runAdmin(data, 'check', '--repair')).code).toBe(0);
  expect(await runAdmin(data, 'check')).toMatchObject({ code: 0 });
  expect(await readdir(indexes)).toEqual([]);
  expect(existsSync(path.join(data, 'uploads', 'half'))).toBe(false);

  await using again = await startServiceOn(data);
  expect(await again.client.waitUntilIndexed(item.id)).toMatchObject({ status: 'complete' });
});

test('damage of the catalog: indexes are rebuilt, tables are not, and a lost secret key is reported', async () => {
  await using folder = await temporaryFolder();
  const data = folder.file('data');
  const service = await startServiceOn(data);
  await uploadPhotos(service.client, folder.path, [1, 2, 3]);
  await service.stop();
  const catalog = new SQLite(path.join(data, 'catalog.db'));
  // An index that lacks a row: as if its page had been written by an older state.
  catalog.unsafeMode(true);
  const { sql } = catalog
    .prepare<[], { sql: string }>("select sql from sqlite_schema where name = 'media_items_newest'")
    .get() ?? { sql: '' };
  catalog.exec(`drop index media_items_newest; ${sql} where 0`);
  catalog.pragma('writable_schema = on');
  catalog.prepare("update sqlite_schema set sql = ? where name = 'media_items_newest'").run(sql);
  catalog.pragma('writable_schema = reset');
  catalog.close();
  const found = await runAdmin(data, 'check');
  expect(found.code).toBe(1);
  expect(found.out).toMatch(
    /^The catalog is damaged, so nothing else was checked: \d+ findings\.\n {2}catalog\.db: .*media_items_newest/,
  );
  expect((await runAdmin(data, 'check', '--repair')).code).toBe(0);
  expect(await runAdmin(data, 'check')).toMatchObject({ code: 0 });

  await rename(path.join(data, 'secret.key'), path.join(data, 'secret.key.away'));
  const keyless = await runAdmin(data, 'check');
  expect(keyless.code).toBe(1);
  expect(findingsOf(keyless.out)).toEqual([expect.stringMatching(/^secret\.key: The secret key .* is missing\./)]);

  await cp(path.join(data, 'catalog.db'), folder.file('whole.db'));
  await writeFile(path.join(data, 'catalog.db'), 'This is no database, whatever its name says.'.repeat(200));
  const broken = await runAdmin(data, 'check');
  expect(broken).toMatchObject({ code: 2, out: '' });
  expect(broken.err).toMatch(/^The catalog .* is damaged/);
  expect(await runAdmin(folder.file('nowhere'), 'check')).toMatchObject({ code: 2, out: '' });
});
