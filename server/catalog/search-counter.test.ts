import { expect, test } from 'vitest';
import { createSecrets } from '../crypto/secrets.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { openCatalog } from './open-catalog.ts';
import { createSearchCounter } from './search-counter.ts';
import { readSearchesThisMonth } from './usage.ts';
import { createWorkspace } from './workspaces.ts';

async function setUp(searchesPerMonth: number | null) {
  const folder = await temporaryFolder();
  const db = await openCatalog(folder.file('catalog.db'));
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Test' });
  await db.updateTable('plans').set({ searches_per_month: searchesPerMonth }).execute();
  const errors: unknown[] = [];
  const counter = createSearchCounter(db, { error: (error: unknown) => void errors.push(error) });
  return {
    db,
    id,
    counter,
    errors,
    stored: () => readSearchesThisMonth(db, id),
    async [Symbol.asyncDispose]() {
      await counter.stop();
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('of many concurrent searches, with flushes in between, exactly as many pass as the plan allows', async () => {
  await using t = await setUp(20);
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      if (i % 7 === 0) await t.counter.flush();
      return t.counter.countIfAllowed(t.id);
    }),
  );
  expect(outcomes.filter((excess) => excess === undefined)).toHaveLength(20);
  expect(outcomes.find((excess) => excess !== undefined)).toMatchObject({ limit: 'searches_per_month', used: 20 });
  await t.counter.flush();
  expect(await t.stored()).toBe(20);
});

test('searches are stored automatically within a second, and at the stop', async () => {
  await using t = await setUp(null);
  for (let i = 0; i < 3; i++) await t.counter.countIfAllowed(t.id);
  expect(await t.stored()).toBe(0);
  await expect.poll(t.stored, { timeout: 20_000 }).toBe(3);
  await t.counter.countIfAllowed(t.id);
  await t.counter.stop();
  expect(await t.stored()).toBe(4);
});

test('counts that could not be stored are retried', async () => {
  await using t = await setUp(null);
  await t.counter.countIfAllowed(t.id);
  await t.db.schema.alterTable('usage_days').renameTo('elsewhere').execute();
  await expect(t.counter.flush()).rejects.toThrow('usage_days');
  await t.counter.countIfAllowed(t.id);
  await t.db.schema.alterTable('elsewhere').renameTo('usage_days').execute();
  await t.counter.flush();
  expect(await t.stored()).toBe(2);
});
