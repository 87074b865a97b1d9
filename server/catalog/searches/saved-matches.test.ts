import { afterEach, describe, expect, test, vi } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { advanceClock, openTestCatalog } from '../../testing/test-catalog.ts';
import { listEventsAfter } from '../events/events.ts';
import { deleteMedia } from '../media/media-items.ts';
import { moveToTrash } from '../media/trash.ts';
import type { Catalog } from '../schema.ts';
import { claimMatchRequests, settleMatchRequest } from './saved-matches.ts';
import { createSavedSearch, deleteSavedSearch, updateSavedSearch } from './saved-searches.ts';

afterEach(() => void vi.useRealTimers());

const hits = [{ start: 0, end: 1, score: 0.9 }];

const save = async (db: Catalog, workspaceId: string) => {
  const body = { name: 'Red', page: 'search' as const, parameters: { q: 'red' }, notify: true };
  const row = await createSavedSearch(db, workspaceId, body);
  if (typeof row === 'string') throw new Error(row);
  return row;
};

const complete = (db: Catalog, status: 'pending' | 'complete' = 'complete') =>
  db.updateTable('media_items').set({ status }).execute();

const countMatches = async (db: Catalog, workspaceId: string) =>
  (await listEventsAfter(db, workspaceId, 0, 1000)).filter(({ type }) => type === 'search.saved_match').length;

describe.each(backends)('on %s', (backend) => {
  test('only new items are compared, also those that were being indexed, and only where somebody wants to know', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    await t.add();
    await complete(db);
    await complete(db, 'pending');
    // It is being indexed while the bell is turned on.
    const saved = await save(db, workspaceId);
    const { id: elsewhere } = await t.addWorkspace('Elsewhere');
    await t.add('Other.mp4', elsewhere);
    await complete(db);
    expect((await claimMatchRequests(db, '', 10))?.requests).toHaveLength(1);

    await updateSavedSearch(db, workspaceId, saved.id, { notify: false });
    await updateSavedSearch(db, workspaceId, saved.id, { notify: true });
    await db.deleteFrom('match_requests').execute();
    await complete(db, 'pending');
    await complete(db);
    expect(await claimMatchRequests(db, '', 10)).toBeNull();
  });

  test('processes claim different items, workspaces in turn, and one that dies loses its claim', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const { id: other } = await t.addWorkspace('Other');
    for (const id of [workspaceId, other]) {
      await save(db, id);
      for (let i = 0; i < 6; i++) await t.add(`${i}.mp4`, id);
    }
    await complete(db);
    const claims = await Promise.all(['', '', workspaceId].map((after) => claimMatchRequests(db, after, 2)));
    const ids = claims.flatMap((claim) => claim?.requests.map(({ media_id }) => media_id) ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(claims[2]?.workspaceId).toBe(other);
    for (let i = 0; i < 12; i++) await claimMatchRequests(db, '', 2);
    expect(await claimMatchRequests(db, '', 2)).toBeNull();
    advanceClock(121);
    expect((await claimMatchRequests(db, '', 2))?.requests).toHaveLength(2);
  });

  test('a match is reported once, never of what is gone, and what came again meanwhile is asked again', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const saved = await save(db, workspaceId);
    const item = await t.add();
    await complete(db);
    const [request] = (await claimMatchRequests(db, '', 10))?.requests ?? [];
    if (!request) throw new Error('There is no request.');
    await complete(db, 'pending');
    await complete(db);
    const matches = [{ savedSearchId: saved.id, hits }];
    // Two processes, one of which took the other for dead.
    await Promise.all([1, 2].map(() => settleMatchRequest(db, workspaceId, request, { matches, again: false })));
    expect(await countMatches(db, workspaceId)).toBe(1);
    const [again] = (await claimMatchRequests(db, '', 10))?.requests ?? [];
    expect(again).toMatchObject({ media_id: item.id, version: 2 });
    await settleMatchRequest(db, workspaceId, again ?? request, { matches, again: false });
    expect([await countMatches(db, workspaceId), await claimMatchRequests(db, '', 10)]).toEqual([1, null]);

    const trashed = await t.add('b.mp4');
    await moveToTrash(db, workspaceId, [trashed.id]);
    const gone = await t.add('c.mp4');
    await deleteMedia(db, workspaceId, gone.id);
    for (const { id } of [trashed, gone]) {
      await settleMatchRequest(db, workspaceId, { ...request, media_id: id }, { matches, again: false });
    }
    await updateSavedSearch(db, workspaceId, saved.id, { notify: false });
    const off = await t.add('off.mp4');
    await settleMatchRequest(db, workspaceId, { ...request, media_id: off.id }, { matches, again: false });
    expect(await countMatches(db, workspaceId)).toBe(1);
    await deleteSavedSearch(db, workspaceId, saved.id);
    const late = await t.add('d.mp4');
    await settleMatchRequest(db, workspaceId, { ...request, media_id: late.id }, { matches, again: false });
    expect(await countMatches(db, workspaceId)).toBe(1);
    expect(await db.selectFrom('saved_matches').selectAll().execute()).toEqual([]);
  });
});
