import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { openFresh } from '../../testing/fresh-catalog.ts';
import { needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { issueApiKey, listApiKeys } from '../accounts/api-keys.ts';
import { createWorkspace } from '../accounts/workspaces.ts';
import { openCatalogAt, serviceOptions } from '../catalog-location.ts';
import { createKeyUses } from './buffered-counters.ts';
import { createCounters, deleteExpiredCounts } from './rate-counters.ts';
import { createSearchCounter } from './search-counter.ts';

const log = { error: (error: unknown) => expect.unreachable(String(error)) };
const secrets = createSecrets(new Uint8Array(32));

/** A workspace, as two processes see it. */
async function openTwice() {
  const fresh = await openFresh('postgres');
  const { db } = fresh;
  const other = await openCatalogAt(fresh.location, serviceOptions);
  const { id } = await createWorkspace(db, secrets, { workspace: 'Test', owner: 'Test' });
  return {
    db,
    other,
    id,
    limit: (searches: number | null) => db.updateTable('plans').set({ searches_per_month: searches }).execute(),
    async [Symbol.asyncDispose]() {
      await other.destroy();
      await fresh[Symbol.asyncDispose]();
    },
  };
}

/** Does something many times at once, at two by turns. */
const byTurns = <Counted, Result>(
  times: number,
  [a, b]: [Counted, Counted],
  act: (counted: Counted) => Promise<Result>,
) => Promise.all(Array.from({ length: times }, (_, i) => act(i % 2 === 0 ? a : b)));

describe('what two processes count', () => {
  afterEach(() => void vi.useRealTimers());
  beforeEach((context) => context.skip(testDatabaseUrl === undefined, needsServer));

  test('as many searches pass as the plan allows, and all that a plan without a limit allows are stored', async () => {
    await using t = await openTwice();
    await t.limit(50);
    const counters = [createSearchCounter(t.db, true, log), createSearchCounter(t.other, true, log)] as const;
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const isSameMonth = new Date().getUTCDate() > 1;
    await t.db.insertInto('usage_days').values({ workspace_id: t.id, date: yesterday, searches: 7 }).execute();
    const before = isSameMonth ? 7 : 0;
    const outcomes = await byTurns(160, [...counters], (counter) => counter.countIfAllowed(t.id));
    const refused = outcomes.filter((outcome) => outcome !== undefined);
    expect(refused).toHaveLength(160 - 50 + before);
    expect(refused[0]).toMatchObject({ limit: 'searches_per_month', allowed: 50, used: 50 });
    expect(await counters[0].read(t.id)).toMatchObject({ searches_per_month: 50 });
    await t.limit(null);
    await sleep(1050);
    await byTurns(20, [...counters], (counter) => counter.countIfAllowed(t.id));
    expect(await counters[0].read(t.id)).toMatchObject({ searches_per_month: 60 });
    for (const counter of counters) await counter.stop();
    const { searches_per_month, history } = await counters[0].read(t.id);
    expect(searches_per_month).toBe(70);
    expect(history.map(({ searches }) => searches)).toEqual([7, 70 - before]);
  });

  test('of two uses of a key the later is stored', async () => {
    await using t = await openTwice();
    await issueApiKey(t.db, secrets, t.id);
    const [key] = await listApiKeys(t.db, t.id);
    if (!key) throw new Error('There is a key.');
    const [early, late] = [createKeyUses(t.db, log), createKeyUses(t.other, log)];
    early.note(key);
    await sleep(5);
    late.note(key);
    const before = new Date().toISOString();
    await late.stop();
    const stored = (await listApiKeys(t.db, t.id)).find(({ id }) => id === key.id)?.last_used_at ?? '';
    await early.stop();
    expect((await listApiKeys(t.db, t.id)).find(({ id }) => id === key.id)?.last_used_at).toBe(stored);
    expect(stored !== '' && stored <= before).toBe(true);
  });

  test('together they let through as many as one would, and begin again together', async () => {
    await using t = await openTwice();
    const options = { name: 'guesses', limit: 10, windowSeconds: 60, whenAway: 'throw' } as const;
    const [a, b] = [createCounters(t.db)(options), createCounters(t.other)(options)];
    const counts = await byTurns(40, [a, b], (counter) => counter.consume('1.2.3.4'));
    expect(counts.filter(({ exceeded }) => !exceeded)).toHaveLength(10);
    expect(await a.consume('5.6.7.8')).toMatchObject({ exceeded: false, remaining: 9 });
    await a.reward('5.6.7.8');
    expect(await b.consume('5.6.7.8')).toMatchObject({ remaining: 9 });
    await a.forget('1.2.3.4');
    expect(await b.consume('1.2.3.4')).toMatchObject({ exceeded: false, remaining: 9 });
    await deleteExpiredCounts(t.db);
    expect(await b.consume('1.2.3.4')).toMatchObject({ remaining: 8 });
    await t.db.updateTable('rate_limits').set({ expire: 1 }).execute();
    await deleteExpiredCounts(t.db);
    expect(await t.db.selectFrom('rate_limits').select('key').execute()).toEqual([]);
  });

  test('while the database is away guesses cannot be counted, requests are counted by each process', async () => {
    await using t = await openTwice();
    const counters = createCounters(t.other);
    const guesses = counters({ name: 'guesses', limit: 2, windowSeconds: 60, whenAway: 'throw' });
    const requests = counters({ name: 'requests', limit: 2, windowSeconds: 60, whenAway: 'count here' });
    await sql`alter table rate_limits rename to lost`.execute(t.db);
    await expect(guesses.consume('a')).rejects.toThrow('rate_limits');
    const counts = [await requests.consume('a'), await requests.consume('a'), await requests.consume('a')];
    expect(counts.map(({ exceeded }) => exceeded)).toEqual([false, false, true]);
    await sql`alter table lost rename to rate_limits`.execute(t.db);
    expect(await guesses.consume('a')).toMatchObject({ remaining: 1 });
  });
});
