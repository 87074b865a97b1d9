import { execFileSync, spawn } from 'node:child_process';
import { chmod, cp, mkdir, open, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { StartupError } from '../errors/startup-error.ts';
import { startService } from '../service.ts';
import { compileCache, waitForExit, spawnProgram } from '../testing/programs.ts';
import { createTestClient, startServiceOn, testSettings } from '../testing/running-service.ts';

let made: Awaited<ReturnType<typeof temporaryFolder>>;

/** A stopped data folder with a catalog, a secret key and one uploaded file, for every test to copy. */
beforeAll(async () => {
  made = await temporaryFolder();
  await makePhoto(made.file('photo.png'), plain(200, 30, 30));
  await using service = await startServiceOn(made.file('data'));
  const { client } = service;
  await client.waitUntilIndexed((await client.upload(made.file('photo.png'))).data.id);
});

afterAll(() => made[Symbol.asyncDispose]());

async function copyData(): Promise<AsyncDisposable & { data: string; catalog: string; secret: string }> {
  const folder = await temporaryFolder();
  await cp(made.file('data'), folder.file('data'), { recursive: true });
  return {
    data: folder.file('data'),
    catalog: folder.file('data/catalog.db'),
    secret: folder.file('data/secret.key'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

type Copy = Awaited<ReturnType<typeof copyData>>;

async function damage(file: string, at: number, bytes: number): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(bytes, 0xa5), 0, bytes, at);
  await handle.close();
}

/** Every file of a folder with its bytes. */
async function contents(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = names
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/-(wal|shm)$/.test(file));
  return new Map(
    await Promise.all(files.map(async (file) => [file, (await readFile(file)).toString('base64')] as const)),
  );
}

/** The line with which a start refuses a data folder, within this process. What the program makes of it is tested with the lock file and a full disk. */
async function refusalOf(data: string): Promise<string> {
  const error: unknown = await startService(testSettings(data)).then(
    (service) => service.stop(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartupError);
  return `${(error as StartupError).message}\n`;
}

const lostCatalog =
  /^The catalog \S+catalog\.db is missing or empty, but \S+assets holds files.* restore FOLDER --force.*\n$/;
const damagedCatalog =
  /^The catalog \S+catalog\.db is damaged \(.+\); nothing was changed\. Put a backup .* restore FOLDER --force\.\n$/;

const failures: [what: string, prepare: (copy: Copy) => Promise<unknown>, sentence: RegExp][] = [
  ['a lost catalog beside files', ({ catalog }) => rm(catalog), lostCatalog],
  ['an empty catalog beside files', ({ catalog }) => truncate(catalog), lostCatalog],
  [
    'a lost catalog whose write-ahead log is there',
    async ({ catalog, data }) => {
      await rename(catalog, `${catalog}-wal`);
      await rm(path.join(data, 'assets'), { recursive: true });
    },
    lostCatalog,
  ],
  [
    'a fresh catalog beside files',
    async ({ catalog }) => {
      const db = new SQLite(catalog);
      db.exec('delete from workspaces');
      db.close();
    },
    lostCatalog,
  ],
  ['a catalog that is no database', ({ catalog }) => writeFile(catalog, 'x'.repeat(8192)), damagedCatalog],
  ['damage in the first page of the catalog', ({ catalog }) => damage(catalog, 100, 40), damagedCatalog],
  ['a catalog that was cut off', ({ catalog }) => truncate(catalog, 3 * 4096), damagedCatalog],
  [
    'a folder in place of the catalog',
    async ({ catalog }) => {
      await rm(catalog);
      await mkdir(catalog);
    },
    /^The catalog \S+ cannot be opened and written \(.+\); give the user .*\n$/,
  ],
  [
    'a truncated secret key',
    ({ secret }) => truncate(secret, 31),
    /^The secret key \S+ is damaged: it holds 31 bytes instead of 32\. Put .* secret replace.*\n$/,
  ],
  ['an empty secret key', ({ secret }) => truncate(secret), /^The secret key \S+ is damaged: it holds 0 bytes/],
  [
    'a lost secret key',
    ({ secret }) => rm(secret),
    /^The secret key \S+ is missing\. Put it back from a backup, or run npm .* secret replace.*\n$/,
  ],
  [
    'the secret key of another service',
    ({ secret }) => writeFile(secret, Buffer.alloc(32, 1)),
    /^The secret key \S+ is not the one that belongs to this catalog\. .*\n$/,
  ],
  [
    'a data folder of a newer version',
    ({ catalog }) => {
      const db = new SQLite(catalog);
      db.exec("insert into kysely_migration values ('9999-from-the-future', '2030-01-01')");
      db.exec("update service_settings set value = '9999-from-the-future' where name = 'least_change'");
      db.close();
      return Promise.resolve();
    },
    /^The catalog \S+ was written by a newer version of Media Search \(it has the change 9999-from-the-future\); start that .*\n$/,
  ],
];

test.each(failures)(
  '%s: one sentence, exit status 1, and nothing is changed; for admin too',
  async (_, prepare, sentence) => {
    await using copy = await copyData();
    await prepare(copy);
    const before = await contents(copy.data);
    expect(await refusalOf(copy.data)).toMatch(sentence);
    expect(await contents(copy.data)).toEqual(before);
    const admin = await waitForExit(spawnProgram('admin', ['key'], { DATA_DIR: copy.data, PORT: '0' }));
    expect(admin).toMatchObject({ code: 1, out: '' });
    expect(admin.err).toMatch(sentence);
    expect(admin.err.trim().split('\n')).toHaveLength(1);
    expect(await contents(copy.data)).toEqual(before);
  },
);

test('a start that refuses an empty catalog leaves the write-ahead log beside it, which may belong to another', async () => {
  await using copy = await copyData();
  await using aside = await temporaryFolder();
  const log = `${copy.catalog}-wal`;
  const db = new SQLite(copy.catalog);
  db.pragma('journal_mode = WAL');
  db.exec('delete from workspaces');
  // As after a kill: the last connection to close moves the log into the file.
  for (const file of [copy.catalog, log]) await cp(file, aside.file(path.basename(file)));
  db.close();
  for (const file of [copy.catalog, log]) await cp(aside.file(path.basename(file)), file);
  const before = await Promise.all([copy.catalog, log].map((file) => readFile(file)));
  expect(before[1]?.length).toBeGreaterThan(0);
  expect(await refusalOf(copy.data)).toMatch(lostCatalog);
  expect(await Promise.all([copy.catalog, log].map((file) => readFile(file)))).toEqual(before);
  const admin = await waitForExit(spawnProgram('admin', ['key'], { DATA_DIR: copy.data, PORT: '0' }));
  expect(admin.err).toMatch(lostCatalog);
  expect(await Promise.all([copy.catalog, log].map((file) => readFile(file)))).toEqual(before);
});

/** Pages of the catalog that hold an index of the items, by their numbers from 0. */
function pagesOfIndex(catalog: string): number[] {
  const db = new SQLite(catalog);
  const roots = db
    .prepare<[], { rootpage: number }>(
      "select rootpage from sqlite_schema where tbl_name = 'media_items' and type = 'index'",
    )
    .all();
  db.close();
  return roots.map(({ rootpage }) => rootpage - 1);
}

test('a damaged page, or a wrong entry, of an index of the items: the start is refused and each original stays', async () => {
  for (const at of ['page', 'entry'] as const) {
    await using copy = await copyData();
    const page = pagesOfIndex(copy.catalog)[0] as number;
    if (at === 'page') {
      await damage(copy.catalog, page * 4096, 4096);
    } else {
      // One letter of the identifier in the entry, which no check of the tree alone sees.
      const bytes = await readFile(copy.catalog);
      const [id = ''] = await readdir(
        path.join(copy.data, 'assets', (await readdir(path.join(copy.data, 'assets'))).toSorted()[0] ?? ''),
      );
      await damage(copy.catalog, bytes.indexOf(id, page * 4096) + 5, 1);
    }
    const before = await contents(path.join(copy.data, 'assets'));
    expect(await refusalOf(copy.data), at).toMatch(damagedCatalog);
    expect(await contents(path.join(copy.data, 'assets'))).toEqual(before);
  }
});

test('a secret key that is lost for good is replaced, with a new API key for each workspace', async () => {
  await using copy = await copyData();
  await truncate(copy.secret, 7);
  const settings = { DATA_DIR: copy.data, PORT: '0' };
  const replaced = await waitForExit(spawnProgram('admin', ['secret', 'replace'], settings));
  expect(replaced).toMatchObject({ code: 0, err: '' });
  const key = /^My workspace {2}(service_\S{43})\n$/.exec(replaced.out)?.[1];
  expect((await waitForExit(spawnProgram('admin', ['key'], settings))).out).toBe(`${key}\n`);
  expect((await readdir(copy.data)).filter((name) => name.startsWith('secret.key.replaced-'))).toHaveLength(1);
  await using service = await startServiceOn(copy.data, { workers: 0 });
  expect((await createTestClient(service.url, key ?? '').get('/workspace')).status).toBe(200);
  // Not while the service runs: it signs with the old one.
  expect((await waitForExit(spawnProgram('admin', ['secret', 'replace'], settings))).err).toMatch(
    /^Another Media Search is running/,
  );
});

test('a damaged lock file is named as such', async () => {
  await using copy = await copyData();
  await writeFile(path.join(copy.data, 'service.lock'), 'x'.repeat(4096));
  const { code, err } = await waitForExit(spawnProgram('main', [], { DATA_DIR: copy.data, PORT: '0' }));
  expect([code, err]).toMatchObject([
    1,
    expect.stringMatching(/^The lock file \S+ is damaged\. .* delete it and start again\.\n$/),
  ]);
});

/** Whether a file system of a few kilobytes can be mounted here, in a namespace of one's own. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-Urm', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs the service within a namespace where `/mnt` is what a line of shell makes of it. */
async function startWithin(prepare: string, data: string): Promise<string> {
  const main = path.join(import.meta.dirname, '..', 'main.ts');
  const script = `${prepare}; DATA_DIR=/mnt/data PORT=0 exec "$0" "${main}"`;
  const child = spawn('unshare', ['-Urm', 'sh', '-c', script, process.execPath, data], {
    env: { ...compileCache, PATH: '/usr/sbin:/usr/bin:/sbin:/bin', FROM: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, err } = await waitForExit(child);
  expect(code).toBe(1);
  return err;
}

const full = /^The disk that holds the data folder \/mnt\/data is full; make room and start again\.\n$/;

test.skipIf(!canMount())('a full disk gives one sentence, at a first start and at a later one', async () => {
  await using copy = await copyData();
  for (const kilobytes of [4, 16, 64, 200]) {
    const mount = `mount -t tmpfs -o size=${kilobytes}k none /mnt`;
    expect(await startWithin(mount, copy.data), `${kilobytes} kB`).toMatch(full);
  }
  const used = 'mount -t tmpfs -o size=2m none /mnt; cp -r "$FROM" /mnt/data; cat /dev/zero > /mnt/fill 2> /dev/null';
  expect(await startWithin(used, copy.data)).toMatch(full);
});

test.skipIf(!canMount())('a read-only folder gives one sentence', async () => {
  await using copy = await copyData();
  const mount = 'mount -t tmpfs none /mnt; cp -r "$FROM" /mnt/data; mount -o remount,ro /mnt';
  expect(await startWithin(mount, copy.data)).toMatch(
    /^The data folder \/mnt\/data cannot be written \(.+\); set DATA_DIR to one that can\.\n$/,
  );
});

test.skipIf(process.getuid?.() === 0)('a folder without rights gives one sentence', async () => {
  await using copy = await copyData();
  await chmod(copy.data, 0o500);
  const { code, err } = await waitForExit(spawnProgram('main', [], { DATA_DIR: copy.data, PORT: '0' }));
  await chmod(copy.data, (await stat(copy.data)).mode | 0o700);
  expect([code, err]).toMatchObject([1, expect.stringMatching(/^The data folder \S+ cannot be written/)]);
});
