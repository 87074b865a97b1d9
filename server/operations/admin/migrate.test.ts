import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { uploadPhotos } from '../../testing/photos.ts';
import { killWhenFileAppears, runAdmin, spawnProgram, waitForExit } from '../../testing/programs.ts';
import { startServiceOn } from '../../testing/running-service.ts';
import { startS3Server } from '../../testing/s3-server.ts';
import { needsServer, temporaryDatabase, testDatabaseUrl } from '../../testing/temporary-database.ts';

/** A data folder with three photographs of a service that was stopped, and its key. */
async function makeData(folder: string) {
  const data = path.join(folder, 'data');
  await using service = await startServiceOn(data);
  const items = await uploadPhotos(service.client, folder, [1, 2, 3]);
  return { data, items: items as [MediaItem, MediaItem, MediaItem], key: service.key };
}

test('a data folder moves to another one, through kill -9, and works there', async () => {
  await using folder = await temporaryFolder();
  const { data, items } = await makeData(folder.path);
  const into = folder.file('moved');
  expect(await killWhenFileAppears(data, ['migrate', '--to', into], into, /^catalog\.db-wal$/)).toBe(true);
  const refused = await runAdmin(into, 'check');
  // Killed before the first row, it is an empty catalog.
  expect(refused.err + refused.out).toMatch(
    /A move into this catalog was interrupted|is missing or empty|secret key|^Checked 0 items/,
  );
  const moved = await runAdmin(data, 'migrate', '--to', into);
  expect(moved).toMatchObject({ code: 0, err: '' });
  expect(moved.out).toMatch(/^Copied \d+ rows and 3 items .* to .*moved, and compared .*\nSet DATA_DIR to it before/);
  expect(await runAdmin(into, 'check')).toMatchObject({ code: 0, err: '' });
  await using service = await startServiceOn(into);
  const found = await service.client.search('red');
  expect(new Set(found.data.map(({ id }) => id))).toEqual(new Set(items.map(({ id }) => id)));
  const { data: same } = await service.client.get<MediaItem>(`/media/${items[0].id}`);
  expect((await fetch(same.thumbnail ?? '')).status).toBe(200);
  // The secret key is there too: the API key is the same.
  expect(await readFile(path.join(into, 'secret.key'))).toEqual(await readFile(path.join(data, 'secret.key')));
});

test('a move is refused in one sentence where it cannot be', async () => {
  await using folder = await temporaryFolder();
  const { data } = await makeData(folder.path);
  const full = folder.file('full');
  expect(await runAdmin(data, 'migrate', '--to', full)).toMatchObject({ code: 0 });
  const refusals: [string[], RegExp][] = [
    [['migrate'], /^Say where to: migrate --to postgres/],
    [['migrate', '--to', 'http://elsewhere'], /^http:\/\/elsewhere is no place to move to/],
    [['migrate', '--to', folder.file('a'), 's3://b'], /^A data folder takes everything/],
    [['migrate', '--to', 's3://media/x/../y'], /is wrong/],
    [['migrate', '--to', data], /^Everything is in .* already\.\n$/],
    [['migrate', '--to', full], /^.*full is not empty: it holds a catalog\. Choose an empty one\.\n$/],
    [['migrate', '--to', 'postgres://nobody:secret@127.0.0.1:9/none'], /^(?!.*secret).*ECONNREFUSED.*\n$/],
  ];
  for (const [args, sentence] of refusals) {
    const { code, out, err } = await runAdmin(data, ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  }
  await using service = await startServiceOn(data);
  const { err } = await runAdmin(data, 'migrate', '--to', folder.file('b'));
  expect(err).toMatch(/^Another Media Search is running on the data folder/);
  expect((await service.client.get('/workspace')).status).toBe(200);
  expect(existsSync(folder.file('b')) ? await readdir(folder.file('b')) : []).not.toContain('catalog.db');
});

test('files go to a bucket, through kill -9, are checked and backed up there, and come back', async () => {
  await using folder = await temporaryFolder();
  const { data, items } = await makeData(folder.path);
  await using bucket = await startS3Server();
  const run = (settings: Record<string, string>, ...args: string[]) =>
    waitForExit(spawnProgram('admin', args, { ...settings, DATA_DIR: data }));
  const { STORAGE_URL: _, ...credentials } = bucket.environment;
  const there = { ...credentials, STORAGE_URL: 's3://media/moved' };
  const interrupted = spawnProgram('admin', ['migrate', '--to', 's3://media/moved'], {
    ...credentials,
    DATA_DIR: data,
  });
  const ended = waitForExit(interrupted);
  while (![...bucket.objects.keys()].some((each) => each.endsWith('/original'))) await delay(1);
  interrupted.kill('SIGKILL');
  expect((await ended).code).toBeNull();
  const moved = await run(credentials, 'migrate', '--to', 's3://media/moved');
  expect(moved).toMatchObject({ code: 0, err: '' });
  expect(moved.out).toMatch(/^Copied 3 items .* to s3:\/\/media\/moved, and compared .*\nSet STORAGE_URL to it/);
  expect(await run(there, 'check')).toEqual({ code: 0, err: '', out: expect.stringMatching(/nothing is wrong/) });
  const backup = folder.file('backup');
  expect((await run(there, 'backup', backup)).out).toMatch(/^Backed up 3 items/);
  const back = folder.file('back');
  expect((await run(there, 'migrate', '--to', back)).out).toMatch(/^Copied \d+ rows and 3 items/);
  // A backup goes into another bucket as well, and what is damaged on the way is noticed.
  const other = { ...credentials, STORAGE_URL: 's3://media/restored', DATA_DIR: folder.file('restored') };
  const restored = await waitForExit(spawnProgram('admin', ['restore', backup], other));
  expect(restored).toMatchObject({ code: 0, err: '' });
  const kept = [...bucket.objects].filter(([name]) => /^restored\/.*\/original$/.test(name));
  expect(new Set(kept.map(([, { body }]) => createHash('sha256').update(body).digest('hex')))).toEqual(
    new Set(items.map(({ sha256 }) => sha256)),
  );
}, 180_000);

/** Runs `admin` on a catalog in a database, whose files are in a folder. */
const runOn = (data: string, url: string, ...args: string[]) =>
  waitForExit(spawnProgram('admin', args, { DATA_DIR: data, DATABASE_URL: url }));

test.skipIf(testDatabaseUrl === undefined)(
  `a catalog goes to PostgreSQL, is checked and backed up there, restored to another database, and goes back; ${needsServer}`,
  async () => {
    await using folder = await temporaryFolder();
    const { data, items, key } = await makeData(folder.path);
    await using one = await temporaryDatabase();
    await using two = await temporaryDatabase();
    const [backup, there, back] = [folder.file('backup'), folder.file('there'), folder.file('back')];
    const done = async (ending: ReturnType<typeof runAdmin>, out: RegExp) => {
      const ended = await ending;
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out).toMatch(out);
    };
    await done(runAdmin(data, 'migrate', '--to', one.url), /^Copied \d+ rows to postgres:.*\nSet DATABASE_URL to it/);
    expect((await runAdmin(data, 'migrate', '--to', one.url)).err).toMatch(/is not empty: it holds a catalog/);
    await done(runOn(data, one.url, 'check'), /^Checked 3 items .*: nothing is wrong\.\n$/);
    await done(runOn(data, one.url, 'key'), new RegExp(`^${key}\n$`));
    await done(runOn(data, one.url, 'backup', backup), /^Backed up 3 items/);
    // A backup of PostgreSQL is one of a data folder too.
    await done(runAdmin(there, 'restore', backup), /^Restored 3 items/);
    await done(runAdmin(there, 'check'), /nothing is wrong/);
    await done(runOn(folder.file('two'), two.url, 'restore', backup), /^Restored 3 items/);
    await done(runOn(folder.file('two'), two.url, 'check'), /^Checked 3 items .*: nothing is wrong/);
    await done(runOn(folder.file('two'), two.url, 'migrate', '--to', back), /^Copied \d+ rows and 3 items/);
    await using service = await startServiceOn(back);
    const found = await service.client.search('red');
    expect(new Set(found.data.map(({ id }) => id))).toEqual(new Set(items.map(({ id }) => id)));
  },
  180_000,
);
