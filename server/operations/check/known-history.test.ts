import { once } from 'node:events';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { readStorageSettings } from '../../assets/storage-settings.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { readGreeting, runAdmin, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, startServiceOn } from '../../testing/running-service.ts';
import { type S3Server, startS3Server } from '../../testing/s3-server.ts';

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/**
 * A data folder whose service has run for 40 days, and a copy of it, but for the originals, before one item was deleted and another one restored.
 * @param bucket holds the originals; null: the data folder
 */
async function setUp(bucket: S3Server | null = null) {
  const folder = await temporaryFolder();
  const data = folder.file('data');
  const environment = bucket && { ...bucket.environment, STORAGE_URL: 's3://media/library' };
  const settings = { workers: 0, storage: environment && readStorageSettings(environment) };
  const note = path.join(data, 'assets', 'catalog-history.json');
  const service = await startServiceOn(data, settings);
  const { client, workspaceId } = service;
  const ids: string[] = [];
  for (const name of ['deleted.png', 'restored.png']) {
    await makePhoto(folder.file(name), plain(9, 9, 40 * (ids.length + 1)));
    ids.push((await client.upload(folder.file(name))).data.id);
  }
  const [deleted = '', restored = ''] = ids;
  await client.post('/trash', { ids: [restored] });
  await service.db
    .updateTable('media_items')
    .set({ trashed_at: daysAgo(31) })
    .where('id', '=', restored)
    .execute();
  await service[Symbol.asyncDispose]();
  await cp(data, folder.file('older'), { recursive: true, filter: (name) => path.basename(name) !== 'assets' });

  const next = await startServiceOn(data, settings);
  await next.client.post('/trash/restore', { ids: [restored] });
  await next.client.delete(`/media/${deleted}`);
  await next[Symbol.asyncDispose]();
  const object = bucket?.objects.get('library/assets/catalog-history.json');
  const text = object ? String(object.body) : await readFile(note, 'utf8');
  const aged = JSON.stringify({ ...(JSON.parse(text) as object), since: daysAgo(40) });
  if (object) object.body = Buffer.from(aged);
  else await writeFile(note, aged);
  return {
    folder,
    data,
    note,
    deleted,
    restored,
    /** The items that have an original. */
    async listOriginals(): Promise<string[]> {
      const keys = bucket
        ? [...bucket.objects.keys()]
        : await readdir(path.join(data, 'assets', workspaceId), { recursive: true });
      return keys.filter((key) => path.basename(key) === 'original').map((key) => path.basename(path.dirname(key)));
    },
    /** Puts an older copy in the place of the catalog, or of all but the originals. */
    putBack: async ({ alone }: { alone: boolean }) => {
      for (const ending of ['-wal', '-shm']) await rm(path.join(data, `catalog.db${ending}`), { force: true });
      if (alone) await cp(folder.file('older/catalog.db'), path.join(data, 'catalog.db'));
      else await cp(folder.file('older'), data, { recursive: true });
    },
    /** Starts the program and stops it after `look`. @returns what it warned of, as far as catalog and originals go */
    async run(look: (client: ReturnType<typeof createTestClient>) => Promise<void> = () => Promise.resolve()) {
      const program = spawnProgram('main', [], { ...environment, DATA_DIR: data, PORT: '0', WORKERS: '1' });
      let log = '';
      program.stderr?.on('data', (bytes: Buffer) => (log += String(bytes)));
      const { url } = await readGreeting(program);
      expect(url, log).not.toBe('');
      await look(createTestClient(url, service.key));
      program.kill('SIGTERM');
      await once(program, 'exit');
      const lines = log
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { level: number; msg: string });
      return lines.filter(({ level, msg }) => level >= 40 && msg.includes('catalog')).map(({ msg }) => msg);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('an older catalog says at the start that it is one, and what it lists without files', async () => {
  await using t = await setUp();
  expect(await t.run()).toEqual([]);
  expect(await t.listOriginals()).toEqual([t.restored]);
  await t.putBack({ alone: true });
  const before = await runAdmin(t.data, 'check');
  expect(before.out).toContain('catalog.db: it is an older copy than the service used last');
  const warnings = await t.run(async (client) => {
    const item = (await client.get<MediaItem>(`/media/${t.deleted}`)).data;
    expect(item.warning?.code).toBe('original_missing');
  });
  expect(warnings).toEqual([
    expect.stringContaining('the catalog is an older copy'),
    expect.stringContaining('1 items are listed without an original'),
  ]);
  // Said once, and what is missing as long as it is.
  expect(await t.run()).toEqual([expect.stringContaining('1 items are listed without an original')]);
  expect((await runAdmin(t.data, 'check')).out).toContain('its original is missing');
});

test.each([
  ['the catalog', true],
  ['all of the data folder but the originals', false],
])('an item that an older copy of %s has in the trash for more than 30 days keeps its original', async (_, alone) => {
  await using t = await setUp();
  await t.putBack({ alone });
  for (let starts = 0; starts < 2; starts++) {
    await t.run(async (client) => {
      expect((await client.get<{ id: string }[]>('/trash')).data).toMatchObject([{ id: t.restored }]);
    });
    expect(await t.listOriginals()).toEqual([t.restored]);
  }
  // Neither does one without a note, as after a restore.
  await rm(t.note);
  await t.run();
  expect(await t.listOriginals()).toEqual([t.restored]);
  // When it has been in use for 30 days it goes.
  const known = JSON.parse(await readFile(t.note, 'utf8')) as object;
  await writeFile(t.note, JSON.stringify({ ...known, since: daysAgo(31) }));
  await t.run(() => expect.poll(() => t.listOriginals(), { timeout: 10_000 }).toEqual([]));
});

test('so it does in a bucket', async () => {
  await using bucket = await startS3Server();
  await using t = await setUp(bucket);
  await t.putBack({ alone: false });
  const warnings = await t.run(async (client) => {
    expect((await client.get<{ id: string }[]>('/trash')).data).toMatchObject([{ id: t.restored }]);
  });
  expect(warnings).toContainEqual(expect.stringContaining('the catalog is an older copy'));
  expect(await t.listOriginals()).toEqual([t.restored]);
  expect(await t.run()).not.toContainEqual(expect.stringContaining('the catalog is an older copy'));
});

test('the same catalog is never taken for an older one, also after a kill', async () => {
  await using t = await setUp();
  const db = await openCatalog(path.join(t.data, 'catalog.db'));
  await db.updateTable('media_items').set({ filename: 'renamed.png' }).execute();
  await db.destroy();
  const program = spawnProgram('main', [], { DATA_DIR: t.data, PORT: '0', WORKERS: '1', EMBEDDER: 'descriptors' });
  expect((await readGreeting(program)).url).not.toBe('');
  program.kill('SIGKILL');
  await once(program, 'exit');
  expect(await t.run()).toEqual([]);
});
