import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createLostAndFound } from '../../assets/lost-and-found.ts';
import { revealApiKey } from '../../catalog/accounts/api-keys.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { createSignInToken } from '../../catalog/accounts/sessions.ts';
import { createWorkspace, listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { addPendingRemoval } from '../../catalog/media/pending-removals.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { startService } from '../../service.ts';
import { readGreeting, waitForExit, spawnProgram } from '../../testing/programs.ts';
import { createTestBrowser, createTestClient, testSettings } from '../../testing/running-service.ts';

type Lost = { id: string; filename: string | null; size: number; found_at: string; removed_at: string };

type Made = { kept: MediaItem; mine: MediaItem; theirs: MediaItem; ids: readonly [string, string] };

let template: Awaited<ReturnType<typeof temporaryFolder>>;
let made: Made;

/** @param workers none where nothing is indexed */
async function start(data: string, workers = 0) {
  const service = await startService({ ...testSettings(data), workers, logLevel: 'silent' });
  const [first, second] = await listWorkspaces(service.db);
  const client = async (id: string) =>
    createTestClient(service.url, (await revealApiKey(service.db, service.secrets, id)) ?? '');
  return {
    ...service,
    ids: [first?.id ?? '', second?.id ?? ''] as const,
    clients: [await client(first?.id ?? ''), await client(second?.id ?? '')] as const,
    async signIn(workspaceId: string) {
      const browser = createTestBrowser(service.url);
      await browser.post('/auth/sign-in', { token: await createSignInToken(service.db, workspaceId) });
      return browser;
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

/** A stopped data folder with two workspaces, each with an item that an older copy of its catalog does not list; each test has a copy. */
beforeAll(async () => {
  template = await temporaryFolder();
  const data = template.file('data');
  const colours = { 'kept.png': plain(200, 30, 30), 'mine.png': plain(30, 200, 30), 'theirs.png': plain(30, 30, 200) };
  for (const [name, paint] of Object.entries(colours)) await makePhoto(template.file(name), paint);
  const service = await startService({ ...testSettings(data), workers: 0, logLevel: 'silent' });
  await createWorkspace(service.db, service.secrets, { workspace: 'Other', owner: 'Other' });
  await service.stop();

  let running = await start(data, 1);
  const kept = (await running.clients[0].upload(template.file('kept.png'))).data;
  await running.clients[0].waitUntilIndexed(kept.id);
  await running.stop();
  await cp(path.join(data, 'catalog.db'), template.file('older.db'));

  running = await start(data, 1);
  const mine = (await running.clients[0].upload(template.file('mine.png'))).data;
  const theirs = (await running.clients[1].upload(template.file('theirs.png'))).data;
  await running.clients[0].waitUntilIndexed(mine.id);
  await running.clients[1].waitUntilIndexed(theirs.id);
  made = { kept, mine, theirs, ids: running.ids };
  await running.stop();
  await cp(path.join(data, 'catalog.db'), template.file('newer.db'));
});

afterAll(() => template[Symbol.asyncDispose]());

/** A copy of that folder, for one test. */
async function setUp() {
  const folder = await temporaryFolder();
  await cp(template.path, folder.path, { recursive: true });
  const data = folder.file('data');
  return {
    ...made,
    folder,
    data,
    start: (workers?: number) => start(data, workers),
    original: (item: MediaItem, workspace: string, root = 'assets') =>
      path.join(data, root, workspace, item.id, 'original'),
    /** Puts a copy of the catalog in its place. */
    putBack: (copy: 'older.db' | 'newer.db') => cp(folder.file(copy), path.join(data, 'catalog.db')),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('files that an older catalog does not list are kept, shown only to owners of their workspace, and can be restored', async () => {
  await using t = await setUp();
  await t.putBack('older.db');
  await using service = await t.start(1);
  const bytes = await readFile(t.folder.file('mine.png'));
  // Moved, not deleted, with names and a manifest.
  expect(await readFile(t.original(t.mine, t.ids[0], 'lost+found'))).toEqual(bytes);
  expect(await readFile(t.original(t.theirs, t.ids[1], 'lost+found'))).toEqual(
    await readFile(t.folder.file('theirs.png')),
  );
  const manifest = path.join(t.data, 'lost+found', t.ids[0], `${t.mine.id}.json`);
  expect(JSON.parse(await readFile(manifest, 'utf8'))).toMatchObject({
    filename: 'mine.png',
    reason: 'The catalog lists no item for these files.',
    size: bytes.length,
  });
  expect(await readdir(path.join(t.data, 'assets', t.ids[0]))).toEqual([t.kept.id]);

  const owner = await service.signIn(t.ids[0]);
  const { data: list } = await owner.get<Lost[]>('/manage/lost-media');
  expect(list).toMatchObject([{ id: t.mine.id, filename: 'mine.png', size: bytes.length }]);
  expect(Date.parse(list[0]?.removed_at ?? '') - Date.parse(list[0]?.found_at ?? '')).toBe(30 * 86_400_000);
  // Files of another workspace are not visible and cannot be restored.
  expect(await owner.post(`/manage/lost-media/${t.theirs.id}/restore`)).toMatchObject({ status: 404 });

  // Refused by the plan: it stays.
  await savePlan(service.db, 'full', { media_items: 1 });
  await assignPlan(service.db, t.ids[0], 'full');
  expect(await owner.post(`/manage/lost-media/${t.mine.id}/restore`)).toMatchObject({
    status: 403,
    error: { code: 'quota_exceeded' },
  });
  expect(await readFile(t.original(t.mine, t.ids[0], 'lost+found'))).toEqual(bytes);
  await assignPlan(service.db, t.ids[0], 'self-hosted');

  const restored = await owner.post<{ id: string; duplicate: boolean }>(`/manage/lost-media/${t.mine.id}/restore`);
  expect(restored).toMatchObject({ status: 202, data: { duplicate: false } });
  const item = await service.clients[0].waitUntilIndexed(restored.data.id);
  expect(item).toMatchObject({ status: 'complete', filename: 'mine.png', sha256: t.mine.sha256 });
  expect(Buffer.from(await (await fetch(item.download_url)).arrayBuffer())).toEqual(bytes);
  expect((await owner.get<Lost[]>('/manage/lost-media')).data).toEqual([]);
  expect(await readdir(path.join(t.data, 'lost+found'))).toEqual([t.ids[1]]);
  expect(await owner.post(`/manage/lost-media/${t.mine.id}/restore`)).toMatchObject({ status: 404 });
});

test('a catalog that lists them again gets them back automatically', async () => {
  await using t = await setUp();
  await t.putBack('older.db');
  await (await t.start()).stop();
  await t.putBack('newer.db');
  // A worker of the older catalog may have left a folder without an original.
  await mkdir(path.join(t.data, 'assets', t.ids[1], t.theirs.id), { recursive: true });
  await using service = await t.start();
  expect(await readdir(path.join(t.data, 'lost+found'))).toEqual([]);
  for (const [client, item] of [
    [service.clients[0], t.mine],
    [service.clients[1], t.theirs],
  ] as const) {
    const { data } = await client.get<MediaItem>(`/media/${item.id}`);
    expect(data.sha256).toBe(item.sha256);
    expect((await fetch(data.download_url)).status).toBe(200);
  }
});

test('an operator restores them by a command, files of a deleted workspace into another one', async () => {
  await using t = await setUp();
  const db = await openCatalog(path.join(t.data, 'catalog.db'));
  await db.deleteFrom('workspaces').where('id', '=', t.ids[1]).execute();
  await db.deleteFrom('media_items').where('id', '=', t.mine.id).execute();
  await db.destroy();
  await (await t.start()).stop();
  expect((await readdir(path.join(t.data, 'assets'))).toSorted()).toEqual([t.ids[0], 'catalog-history.json']);

  const admin = (...args: string[]) =>
    waitForExit(spawnProgram('admin', ['lost-found', ...args], { DATA_DIR: t.data }));
  const { out } = await admin('list');
  expect(out.trim().split('\n')).toHaveLength(2);
  expect(out).toMatch(
    new RegExp(`^${t.mine.id}  My workspace  mine.png  \\d+ bytes  kept until \\d{4}-\\d\\d-\\d\\d$`, 'm'),
  );
  expect(out).toContain(`${t.theirs.id}  unknown workspace ${t.ids[1]}  theirs.png`);
  expect(await admin('restore', t.theirs.id)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('name another') as string,
  });
  expect((await admin('restore', 'none')).err).toMatch(/^There is no lost file none; lost-found list prints them\.\n$/);
  expect((await admin('restore', 'all', 'My workspace')).out).toMatch(/mine\.png\n.*theirs\.png\n$/s);
  expect((await admin('list')).out).toBe('');
  await using service = await t.start(1);
  const { data } = await service.clients[0].get<MediaItem[]>('/media?sort=filename');
  expect(data.map(({ filename }) => filename)).toEqual(['kept.png', 'mine.png', 'theirs.png']);
  for (const { id } of data)
    expect(await service.clients[0].waitUntilIndexed(id)).toMatchObject({ status: 'complete' });
});

test('after 30 days they are removed, not a day before, and not because a clock jumped', async () => {
  await using t = await setUp();
  await t.putBack('older.db');
  await (await t.start()).stop();
  const age = async (item: MediaItem, workspace: string, days: number, running_seconds = 86_400) => {
    const manifest = path.join(t.data, 'lost+found', workspace, `${item.id}.json`);
    const content = JSON.parse(await readFile(manifest, 'utf8')) as object;
    await writeFile(
      manifest,
      JSON.stringify({
        ...content,
        found_at: new Date(Date.now() - days * 86_400_000).toISOString(),
        running_seconds,
      }),
    );
  };
  await age(t.mine, t.ids[0], 29.9);
  await age(t.theirs, t.ids[1], 30.1);
  await using _service = await t.start();
  await expect.poll(() => readdir(path.join(t.data, 'lost+found'))).toEqual([t.ids[0]]);
  // Forty years by a clock that was set, but only a moment in which the service ran.
  await age(t.mine, t.ids[0], 14_600, 86_000);
  const lostAndFound = createLostAndFound(t.data);
  expect(await lostAndFound.listExpired(0)).toEqual([]);
  expect(await lostAndFound.listExpired(300)).toEqual([]);
  expect(await lostAndFound.listExpired(200)).toMatchObject([{ id: t.mine.id }]);
});

test('files of deleted items and folders without an original are not kept; a folder of the file system is ignored', async () => {
  await using t = await setUp();
  const db = await openCatalog(path.join(t.data, 'catalog.db'));
  await db.deleteFrom('media_items').where('id', '=', t.mine.id).execute();
  await addPendingRemoval(db, t.ids[0], t.mine.id);
  await db.destroy();
  await mkdir(path.join(t.data, 'assets', t.ids[0], 'never-stored', 'renditions'), { recursive: true });
  await mkdir(path.join(t.data, 'lost+found', '#12345'), { recursive: true });
  // A folder of an item, as the file system's check recovers it.
  await writeFile(path.join(t.data, 'lost+found', '#12345', 'about.json'), '{"filename":"film.mp4"}');
  await using _service = await t.start();
  expect(await readdir(path.join(t.data, 'assets', t.ids[0]))).toEqual([t.kept.id]);
  expect(await readdir(path.join(t.data, 'lost+found'), { recursive: true })).toEqual(['#12345', '#12345/about.json']);
  expect(await createLostAndFound(t.data).list()).toEqual([]);
});

test('a lost file whose manifest is damaged is still listed and can be restored', async () => {
  await using t = await setUp();
  await t.putBack('older.db');
  await (await t.start()).stop();
  const manifestOf = (item: MediaItem, workspace: string) =>
    path.join(t.data, 'lost+found', workspace, `${item.id}.json`);
  const sound = await readFile(manifestOf(t.mine, t.ids[0]), 'utf8');
  // No JSON; no date; a size that is no number.
  const damages = [`z${sound.slice(1)}`, sound.replace('T', 'U'), sound.replace(/"size": \d/, '"size": "')];
  for (const damaged of damages) {
    await writeFile(manifestOf(t.mine, t.ids[0]), damaged);
    await using service = await t.start();
    const owner = await service.signIn(t.ids[0]);
    const { data } = await owner.get<Lost[]>('/manage/lost-media');
    expect(data, damaged).toMatchObject([{ id: t.mine.id, filename: 'mine.png', size: t.mine.size }]);
    expect(Date.parse(data[0]?.removed_at ?? '')).toBeGreaterThan(Date.now());
  }
  await using service = await t.start(1);
  const owner = await service.signIn(t.ids[0]);
  const { data } = await owner.post<{ id: string }>(`/manage/lost-media/${t.mine.id}/restore`);
  expect(await service.clients[0].waitUntilIndexed(data.id)).toMatchObject({
    status: 'complete',
    sha256: t.mine.sha256,
  });
});

test('a start logs which originals it moved', async () => {
  await using t = await setUp();
  await t.putBack('older.db');
  await rm(path.join(t.data, 'assets', t.ids[1]), { recursive: true });
  const service = spawnProgram('main', [], { DATA_DIR: t.data, PORT: '0', WORKERS: '1' });
  let log = '';
  service.stderr?.on('data', (bytes: Buffer) => (log += String(bytes)));
  await readGreeting(service);
  service.kill('SIGTERM');
  await once(service, 'exit');
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines.filter((line) => 'item' in line)).toMatchObject([
    {
      level: 40,
      workspace: t.ids[0],
      item: t.mine.id,
      filename: 'mine.png',
      msg: 'an original that the catalog does not list is in lost+found',
    },
  ]);
});
