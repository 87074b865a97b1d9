import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { applySteps } from '../catalog/apply-steps.ts';
import { childOptions, openCatalogAt } from '../catalog/catalog-location.ts';
import { leastChange, migrationsOf } from '../catalog/migrations.ts';
import { makeDistinctPhoto } from '../testing/photos.ts';
import { readGreeting, spawnProgram, waitForExit } from '../testing/programs.ts';
import { createTestClient } from '../testing/running-service.ts';
import { needsServer, temporaryDatabase, testDatabaseUrl } from '../testing/temporary-database.ts';

/** What a later version adds: columns of tables that each request reads, one at a time and two at once. */
const adding = (...tables: string[]): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const table of tables) await sql.raw(`alter table ${table} add column later text`).execute(db);
  },
});
const later = {
  '9994-items': adding('media_items'),
  '9995-keys': adding('api_keys'),
  '9996-jobs': adding('jobs'),
  '9997-two': adding('tags', 'chunks'),
  '9998-later': { up: (db: Kysely<unknown>) => db.schema.createTable('later').addColumn('id', 'text').execute() },
};

async function start(settings: Record<string, string>) {
  const child = spawnProgram('main', [], {
    PORT: '0',
    WORKERS: '1',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'warn',
    ...settings,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const log = text(child.stderr as NodeJS.ReadableStream);
  const { url } = await readGreeting(child);
  if (url === '') throw new Error(await log);
  return {
    url,
    async stop(): Promise<string> {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      return log;
    },
  };
}

test('a rolling update: processes of the version before go on beside a newer schema, also those that start again', async (context) => {
  context.skip(testDatabaseUrl === undefined, needsServer);
  await using folder = await temporaryFolder();
  await using database = await temporaryDatabase();
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder.file('data'), REQUESTS_PER_MINUTE: '0' };
  const api = await start({ ...settings, ROLE: 'api' });
  const worker = await start({ ...settings, ROLE: 'worker' });
  const key = (await waitForExit(spawnProgram('admin', ['key'], settings))).out.trim();
  const headers = { authorization: `Bearer ${key}` };

  // Clients read, write and search all the while; each answer counts.
  const ended = new AbortController();
  const answers: { path: string; status: number; content: string }[] = [];
  const uploaded: string[] = [];
  const ask = async (url: string, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers, ...init });
    const content = await answer.text();
    answers.push({ path, status: answer.status, content });
    return content;
  };
  const upload = async (url: string, number: number) => {
    const body = new FormData();
    const file = await makeDistinctPhoto(folder.file(`${number}.png`), number);
    body.append('file', new Blob([await readFile(file)]), `${number}.png`);
    const content = await ask(url, '/media/upload', { method: 'POST', body });
    uploaded.push((JSON.parse(content) as { data?: { id: string } }).data?.id ?? content);
  };
  const busy = async (url: string, work: (i: number) => Promise<unknown>) => {
    for (let i = 0; !ended.signal.aborted; i++) {
      await work(i);
      await delay(20);
    }
  };
  const clients = [
    busy(api.url, () => ask(api.url, '/media')),
    busy(api.url, () => ask(api.url, '/media/search?q=green')),
    busy(api.url, (i) =>
      ask(api.url, '/tags', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `tag ${i}` }),
      }),
    ),
    busy(api.url, async (i) => i % 10 === 0 && upload(api.url, i / 10)),
  ];
  await delay(1000);

  // A backup reads a table for longer than a change waits. The newer version goes in between, and requests go on in between.
  const backup = new Client(database.url);
  await backup.connect();
  await backup.query('begin; lock table media_items in access share mode');
  const newer = await openCatalogAt({ url: database.url }, childOptions);
  const steps = { ...migrationsOf('postgres'), ...later };
  const updated = applySteps(newer, steps, leastChange);
  await delay(3000);
  const waited = answers.length;
  await delay(6000);
  const whileLocked = answers.slice(waited).filter(({ path }) => path === '/media');
  await backup.query('commit');
  await backup.end();
  await updated;

  await sql`create index concurrently later_index on media_items (workspace_id, later)`.execute(newer);
  // All that came after the change would wait as long as the backup.
  expect(whileLocked.length).toBeGreaterThan(0);
  await delay(1000);

  // The old worker and another old API process start again.
  expect(await worker.stop()).not.toContain('newer version');
  const again = await start({ ...settings, ROLE: 'worker' });
  const second = await start({ ...settings, ROLE: 'api' });
  await upload(second.url, 1000);
  await ask(second.url, '/media/search?q=green');
  await delay(500);
  ended.abort();
  await Promise.all(clients);
  const failed = answers.filter(({ status }) => status >= 300);
  expect(failed, failed.length > 0 ? await api.stop() : '').toEqual([]);
  const client = createTestClient(second.url, key);
  for (const id of uploaded) expect(await client.waitUntilIndexed(id)).toMatchObject({ status: 'complete' });
  const inSentence = /newer version of Media Search \(it has the change 9994-items\), which lets this one go on/;
  expect(await again.stop()).toMatch(inSentence);
  expect(await second.stop()).toMatch(inSentence);
  expect(await api.stop()).not.toMatch(/"level":[56]0/);

  // A version that takes something away says that this one may not go on.
  await applySteps(newer, { ...steps, '9999-taken-away': { up: () => Promise.resolve() } }, '9998-later');
  await newer.destroy();
  const sentence =
    'The database of DATABASE_URL was written by a newer version of Media Search (it has the change 9994-items); start that version.';
  const refused = { code: 1, out: '', err: `${sentence}\n` };
  const restarted = spawnProgram('main', [], { ...settings, ROLE: 'api', PORT: '0', LOG_LEVEL: 'error' });
  expect(await waitForExit(restarted)).toEqual(refused);
  expect(await waitForExit(spawnProgram('admin', ['key'], settings))).toEqual(refused);
});
