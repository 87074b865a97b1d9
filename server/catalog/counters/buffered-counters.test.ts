import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { issueApiKey, listApiKeys } from '../accounts/api-keys.ts';
import { createWorkspace } from '../accounts/workspaces.ts';
import { openCatalog, openCountsCatalog } from '../open-catalog.ts';
import { createKeyUses } from './buffered-counters.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A catalog with a workspace of two keys, the uses of a service, and `other`: a connection as another process has it. */
async function setUp() {
  const folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const db = await openCatalog(file);
  const secrets = createSecrets(new Uint8Array(32));
  const { id } = await createWorkspace(db, secrets, { workspace: 'Test', owner: 'Test' });
  await issueApiKey(db, secrets, id);
  const errors: unknown[] = [];
  const counts = openCountsCatalog(file);
  const uses = createKeyUses(counts, { error: (error: unknown) => void errors.push(error) });
  const other = new SQLite(file);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= uses.stop());
  return {
    uses,
    errors,
    other,
    stop,
    /** Both keys, as requests find them. */
    async keys() {
      const [first, second] = (await listApiKeys(db, id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      if (!first || !second) throw new Error('The workspace has two keys.');
      return [first, second] as const;
    },
    async [Symbol.asyncDispose]() {
      if (other.inTransaction) other.exec('rollback');
      await stop();
      await counts.destroy();
      other.close();
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('the last use of a key is stored within a second, and that of no other key', async () => {
  await using t = await setUp();
  const [first] = await t.keys();
  const before = new Date().toISOString();
  t.uses.note(first);
  expect((await t.keys())[0].last_used_at).toBeNull();
  await expect.poll(async () => (await t.keys())[0].last_used_at).not.toBeNull();
  const [stored, untouched] = await t.keys();
  expect(stored.last_used_at?.localeCompare(before)).toBeGreaterThanOrEqual(0);
  expect(untouched.last_used_at).toBeNull();
});

test('a use within a minute of the last one is not stored, a later one is', async () => {
  await using t = await setUp();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-03T12:00:00Z') });
  const lastUse = async () => (await t.keys())[0].last_used_at;
  t.uses.note((await t.keys())[0]);
  vi.setSystemTime('2026-11-03T12:00:40Z');
  // The first use may still be in memory.
  t.uses.note((await t.keys())[0]);
  await expect.poll(lastUse).toBe('2026-11-03T12:00:00.000Z');
  vi.setSystemTime('2026-11-03T12:00:59Z');
  t.uses.note((await t.keys())[0]);
  vi.setSystemTime('2026-11-03T12:01:01Z');
  t.uses.note((await t.keys())[0]);
  await t.stop();
  expect(await lastUse()).toBe('2026-11-03T12:01:01.000Z');
});

test('while another process writes nothing waits, and the use is stored afterwards', async () => {
  await using t = await setUp();
  const [first, second] = await t.keys();
  t.other.exec('begin immediate');
  const began = performance.now();
  t.uses.note(first);
  t.uses.note(second);
  // Some flushes fail meanwhile. By the connection of all requests the first would wait for ten seconds.
  await sleep(1500);
  expect(performance.now() - began).toBeLessThan(4000);
  t.other.exec('commit');
  const stored = async () => (await t.keys()).filter(({ last_used_at }) => last_used_at !== null).length;
  await expect.poll(stored).toBe(2);
  expect(t.errors).toEqual([]);
});

test('what was not stored yet is stored at the stop', async () => {
  await using t = await setUp();
  t.uses.note((await t.keys())[1]);
  await t.stop();
  expect((await t.keys())[1].last_used_at).toMatch(/^20/);
});

test('a failure is logged and retried, and a key that is gone keeps no other from being stored', async () => {
  await using t = await setUp();
  t.other.exec(`create trigger refuse before update on api_keys begin select raise(abort, 'refused'); end`);
  const [first, second] = await t.keys();
  t.uses.note({ ...first, id: 'gone' });
  t.uses.note(second);
  await expect.poll(() => t.errors.length).toBeGreaterThan(0);
  t.other.exec('drop trigger refuse');
  await expect.poll(async () => (await t.keys())[1].last_used_at).not.toBeNull();
});
