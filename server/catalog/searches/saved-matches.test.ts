import { afterEach, describe, expect, test, vi } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, elapse, indexed, openTestCatalog } from '../../testing/test-catalog.ts';
import { listEventsAfter } from '../events/events.ts';
import { deleteMedia } from '../media/media-items.ts';
import { moveToTrash, restoreFromTrash } from '../media/trash.ts';
import { completeExtraction } from '../queue/extraction-jobs.ts';
import { completeIndexing } from '../queue/indexing-jobs.ts';
import { claimJobOf } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import { requestMatches, storeMatches } from './saved-matches.ts';
import { createSavedSearch, deleteSavedSearch, updateSavedSearch } from './saved-searches.ts';

afterEach(() => void vi.useRealTimers());

const hits = [{ start: 0, end: 1, score: 0.9 }];

const save = async (db: Catalog, workspaceId: string) => {
  const body = { name: 'Red', page: 'search' as const, parameters: { q: 'red' }, notify: true };
  const row = await createSavedSearch(db, workspaceId, body);
  if (typeof row === 'string') throw new Error(row);
  return row;
};

/** Indexing ends, or begins again. */
const complete = async (db: Catalog, status: 'pending' | 'complete' = 'complete') => {
  const before = await db
    .selectFrom('media_items')
    .select(['workspace_id', 'id'])
    .where('status', '<>', status)
    .execute();
  await db.updateTable('media_items').set({ status }).execute();
  for (const { workspace_id, id } of before) await requestMatches(db, workspace_id, [id]);
};

const claimMatch = (db: Catalog, process = 'a') => claimJobOf(db, process, 'match');

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
    expect([await claimMatch(db), await claimMatch(db)]).toMatchObject([{ kind: 'match' }, undefined]);

    await updateSavedSearch(db, workspaceId, saved.id, { notify: false });
    await updateSavedSearch(db, workspaceId, saved.id, { notify: true });
    await db.deleteFrom('jobs').where('kind', '=', 'match').execute();
    await complete(db, 'pending');
    await complete(db);
    expect(await claimMatch(db)).toBeUndefined();
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
    const claims = await Promise.all(['a', 'b', 'c', 'd'].map((process) => claimMatch(db, process)));
    expect(new Set(claims.map((job) => job?.id)).size).toBe(4);
    expect(new Set(claims.map((job) => job?.workspace_id))).toEqual(new Set([workspaceId, other]));
    for (let i = 4; i < 12; i++) expect(await claimMatch(db)).toBeDefined();
    expect(await claimMatch(db)).toBeUndefined();
    await elapse(db, 31);
    expect(await claimMatch(db)).toMatchObject({ attempts: 2 });
  });

  test('a match is reported once, never of what is gone, and what came again meanwhile is asked again', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const saved = await save(db, workspaceId);
    const item = await t.add();
    await complete(db);
    const first = await claimMatch(db);
    if (!first) throw new Error('There is no job.');
    const matches = [{ savedSearchId: saved.id, hits }];
    // It is compared again meanwhile: what the process finds that is at it does not count any more.
    await complete(db, 'pending');
    await complete(db);
    expect(await storeMatches(db, first, matches, true)).toBe(false);
    expect(await countMatches(db, workspaceId)).toBe(0);
    const second = await claimMatch(db);
    if (second?.id !== item.id) throw new Error('It is not compared again.');
    // Two processes, one of which took the other for dead.
    const stored = await Promise.all([first, second].map((job) => storeMatches(db, job, matches, true)));
    expect(stored).toEqual([false, true]);
    expect([await countMatches(db, workspaceId), await claimMatch(db)]).toEqual([1, undefined]);
    await requestMatches(db, workspaceId, [item.id]);
    const third = await claimMatch(db);
    if (!third) throw new Error('There is no job.');
    // A saved search failed: what was found is reported, once, and the job stays.
    expect(await storeMatches(db, third, matches, false)).toBe(true);
    expect(await storeMatches(db, third, matches, true)).toBe(true);
    expect([await countMatches(db, workspaceId), await claimMatch(db)]).toEqual([1, undefined]);

    /** Compares an item of which something becomes of while it is compared. */
    const compareWhile = async (name: string, happen: (id: string) => Promise<unknown>) => {
      const added = await t.add(name);
      await complete(db);
      const job = await claimMatch(db);
      if (job?.id !== added.id) throw new Error('It is not compared.');
      await happen(added.id);
      await storeMatches(db, job, matches, true);
    };
    await compareWhile('b.mp4', (id) => moveToTrash(db, workspaceId, [id]));
    await compareWhile('c.mp4', (id) => deleteMedia(db, workspaceId, id));
    await compareWhile('off.mp4', () => updateSavedSearch(db, workspaceId, saved.id, { notify: false }));
    expect(await countMatches(db, workspaceId)).toBe(1);
    await updateSavedSearch(db, workspaceId, saved.id, { notify: true });
    await compareWhile('d.mp4', () => deleteSavedSearch(db, workspaceId, saved.id));
    expect(await countMatches(db, workspaceId)).toBe(1);
    expect(await db.selectFrom('saved_matches').selectAll().execute()).toEqual([]);
  });

  test('an item that is restored from the trash is compared, and so is one whose texts were read', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    await save(db, workspaceId);
    const item = await t.add();
    const job = await claim(db, 'worker');
    await completeIndexing(db, job, indexed(['Hello']), ['ocr', 'speech']);
    const compare = async () => {
      const found = await claimMatch(db);
      if (found) await storeMatches(db, found, [], true);
      return found?.id;
    };
    expect([await compare(), await compare()]).toEqual([item.id, undefined]);
    const end = { language: null, model: null, message: null, warning: null };
    const segments = [{ start: 0, end: 1, text: 'Hello', language: null, box: null, confidence: null }];
    await completeExtraction(db, await claim(db, 'worker', 'ocr'), { ...end, state: 'complete', segments });
    expect([await compare(), await compare()]).toEqual([item.id, undefined]);
    await completeExtraction(db, await claim(db, 'worker', 'speech'), { ...end, state: 'none' });
    expect(await compare()).toBeUndefined();
    await restoreFromTrash(db, workspaceId, [item.id]);
    expect(await compare()).toBeUndefined();
    await moveToTrash(db, workspaceId, [item.id]);
    await requestMatches(db, workspaceId, [item.id]);
    expect(await compare()).toBeUndefined();
    await restoreFromTrash(db, workspaceId, [item.id]);
    expect([await compare(), await compare()]).toEqual([item.id, undefined]);
  });
});
