import { afterEach, describe, expect, test, vi } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { openCatalogAt, serviceOptions } from '../catalog-location.ts';
import type { Catalog } from '../schema.ts';
import { storeResponse } from './idempotency.ts';
import { createRequestClaims, deleteExpiredClaims } from './request-claims.ts';

afterEach(() => void vi.useRealTimers());

const past = '2026-01-01T00:00:00.000Z';

const endLeases = (db: Catalog, key: string) =>
  db.updateTable('request_claims').set({ lease_until: past }).where('key', '=', key).execute();

describe.each(backends)('on %s', (backend) => {
  test('the claim of a request that takes long is renewed', async () => {
    await using t = await openTestCatalog(backend);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const claims = createRequestClaims(t.db);
    await claims.claim(t.workspaceId, 'key');
    await endLeases(t.db, 'key');
    vi.advanceTimersByTime(5000);
    const readEnd = async () =>
      (await t.db.selectFrom('request_claims').select('lease_until').execute())[0]?.lease_until;
    // By the clock of the database, which is that of this machine.
    const soon = new Date(Date.now() + 10_000).toISOString();
    await expect.poll(async () => ((await readEnd()) ?? '') > soon).toBe(true);
    await claims.stop();
  });

  test('a key is claimed by one request at a time, and free when its process has died; what that still does is rolled back', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId: id } = t;
    const other = 'url' in t.location ? await openCatalogAt(t.location, serviceOptions) : null;
    const [a, b] = [createRequestClaims(db), createRequestClaims(other ?? db)];
    const claims = await Promise.all(Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? a : b).claim(id, 'key')));
    const [first, ...more] = claims.filter((claim) => claim !== undefined);
    expect(more).toEqual([]);
    expect(await b.claim(id, 'another')).toBeDefined();
    const confirms = (claim = first) => db.transaction().execute(async (transaction) => claim?.confirm(transaction));
    expect(await confirms()).toBe(true);
    await endLeases(db, 'key');
    const second = await b.claim(id, 'key');
    expect([await confirms(), await confirms(second)]).toEqual([false, true]);
    await first?.[Symbol.asyncDispose]();
    expect(await a.claim(id, 'key')).toBeUndefined();
    await db.deleteFrom('request_claims').where('key', '=', 'key').execute();
    expect(await confirms(second)).toBe(true);
    const request = { key: 'key', operation: 'POST /x', fingerprint: 'x' };
    await storeResponse(db, id, request, { status: 201, headers: {}, body: null });
    expect(await confirms(second)).toBe(false);
    await second?.[Symbol.asyncDispose]();
    expect(await a.claim(id, 'key')).toBeDefined();
    await endLeases(db, 'another');
    await deleteExpiredClaims(db);
    expect((await db.selectFrom('request_claims').select('key').execute()).map(({ key }) => key)).toEqual(['key']);
    await a.stop();
    await b.stop();
    await other?.destroy();
  });
});
