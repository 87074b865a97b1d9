import { CompiledQuery, createQueryId, type KyselyPlugin, sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { openTestCatalog } from '../testing/test-catalog.ts';
import { findApiKey, issueApiKey } from './accounts/api-keys.ts';
import { storeLastUse } from './counters/buffered-counters.ts';
import { addSearches, createSearchCounter } from './counters/search-counter.ts';
import { countWaitingDeliveries, findDueWebhooks } from './events/webhook-deliveries.ts';
import { readCovers } from './labels/covers.ts';
import { readGroupsOfItems } from './labels/groups-of-items.ts';
import { listGroups } from './labels/item-groups.ts';
import { readNamesOfItems } from './labels/names-of-items.ts';
import { readChunkVectors, readFilteredVectors } from './media/chunk-vectors.ts';
import { findChunks, findChunksWithTexts } from './media/chunks.ts';
import { listChangesAfter, readItemsForIndex, readLastChange } from './media/item-changes.ts';
import { countByMonth, findMediaByChecksum, listMedia } from './media/media-items.ts';
import { readMediaUsage } from './media/media-totals.ts';
import { listOpenUploads } from './media/uploads.ts';
import { priorityOf } from './queue/job-kinds.ts';
import { hasLessServedJob, hasMoreUrgentJob, selectNextJob } from './queue/job-queue.ts';
import type { Catalog } from './schema.ts';
import { listCaptionTracks, readCaptionLines } from './texts/caption-tracks.ts';
import { readExtractions } from './texts/text-extractions.ts';
import { countPendingExtractions } from './texts/text-extractions.ts';
import { listSegments } from './texts/text-segments.ts';

/**
 * The plans of the queries that must not read a whole table, as SQLite explains them: `SEARCH` uses an index, `SCAN` reads all rows, `USE TEMP
 * B-TREE` sorts. A plan that changes fails here; whether the new one is as good is for a person to judge, with `bench/`.
 */

/** What SQLite does for each statement that an action runs. */
async function explain(action: (db: Catalog) => Promise<unknown>): Promise<string[]> {
  await using t = await openTestCatalog();
  const statements: CompiledQuery[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(t.db.getExecutor().compileQuery(node, createQueryId()));
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  await action(t.db.withPlugin(recorder));
  const plans: string[] = [];
  for (const { sql, parameters } of statements) {
    const { rows } = await t.db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    );
    plans.push(rows.map(({ detail }) => detail).join(' | '));
  }
  expect(plans).not.toEqual([]);
  return plans;
}

const numbers = [1, 2, 3];
const filter = { creator_id: 'c' };
const page = { page: 1, per_page: 20 };

test.each<[what: string, action: (db: Catalog) => Promise<unknown>]>([
  ['claim a job', (db) => selectNextJob(db).execute(db)],
  ['find an API key', (db) => findApiKey(db, 'key')],
  ['find an item by its checksum', (db) => findMediaByChecksum(db, 'w', 'sum')],
  ['list the newest items', (db) => listMedia(db, 'w', { ...page, sort: '-created_at' })],
  ['list items by status', (db) => listMedia(db, 'w', { ...page, sort: '-created_at', status: 'error' })],
  ['list items by type', (db) => listMedia(db, 'w', { ...page, sort: '-created_at', type: 'image' })],
  ['list items of a creator by name', (db) => listMedia(db, 'w', { ...page, sort: 'filename', ...filter })],
  ['list items of a category by size', (db) => listMedia(db, 'w', { ...page, sort: 'size', category_id: 'c' })],
  ['list items by their identifiers', (db) => listMedia(db, 'w', { ...page, sort: '-created_at', ids: 'a,b' })],
  [
    'list items of a collection with a tag',
    (db) => listMedia(db, 'w', { ...page, sort: '-created_at', collection_id: 'c', tag_id: 't' }),
  ],
  ['read the collections and tags of items', (db) => readGroupsOfItems(db, 'w', ['a', 'b'])],
  ['list collections', (db) => listGroups(db, 'collections', 'w', page)],
  ['read covers', (db) => readCovers(db, 'w', [{ id: 'c', cover_id: 'm' }])],
  ['list the items taken last', (db) => listMedia(db, 'w', { ...page, sort: '-taken_at' })],
  ['list the items taken first', (db) => listMedia(db, 'w', { ...page, sort: 'taken_at' })],
  ['list a collection in its order', (db) => listMedia(db, 'w', { ...page, sort: 'position', collection_id: 'c' })],
  ['count items by month', (db) => countByMonth(db, 'w', {})],
  ['read chunks by number', (db) => findChunks(db, 'w', numbers)],
  ['read vectors by chunk', (db) => readChunkVectors(db, 'w', 'e', numbers)],
  ['read vectors of a filter', (db) => readFilteredVectors(db, 'w', 'e', filter, 100)],
  ['read what items use of a plan', (db) => readMediaUsage(db, 'w')],
  ['count items whose texts are not read yet', (db) => countPendingExtractions(db, 'w')],
  ['read chunks with their texts', (db) => findChunksWithTexts(db, 'w', numbers, {})],
  [
    'read chunks that pass a filter, with their texts',
    (db) => findChunksWithTexts(db, 'w', numbers, { collection_id: 'c', tag_id: 't', taken_after: '2026-07-14' }),
  ],
  ['list the texts of an item', (db) => listSegments(db, 'w', 'a', page)],
  ['list the subtitles of an item', (db) => listSegments(db, 'w', 'a', { ...page, source: 'subtitle' })],
  ['list the caption tracks of an item', (db) => listCaptionTracks(db, 'w', 'a')],
  [
    'read the lines of a track after another',
    (db) =>
      readCaptionLines(
        db,
        'w',
        'a',
        { source: 'subtitle', track: 1 },
        { source: 'speech', confidence: null, number: 9, start_time: 3, end_time: 4, text: '' },
        500,
      ),
  ],
  ['read how far the recognition of items is', (db) => readExtractions(db, 'w', ['a', 'b'])],
  ['find a more urgent job', (db) => hasMoreUrgentJob(db, { priority: priorityOf('speech', 'video') })],
  [
    'find a job of a workspace that is served less',
    (db) => hasLessServedJob(db, { workspace_id: 'w', priority: priorityOf('speech', 'video') }),
  ],
  ['read the names of items', (db) => readNamesOfItems(db, 'w', ['a', 'b'])],
  ['read the last change of a workspace', (db) => readLastChange(db, 'w')],
  ['list changes', (db) => listChangesAfter(db, 'w', 10, 100)],
  ['read items for an index', (db) => readItemsForIndex(db, 'w', ['a', 'b'])],
  ['count the deliveries that wait', (db) => countWaitingDeliveries(db)],
  ['find webhooks with deliveries that are due', (db) => findDueWebhooks(db, null)],
  ['store the last use of a key', (db) => storeLastUse(db, 'w', 'a', '2026-11-21T10:00:00.000Z')],
  ['store searches of a day', (db) => addSearches(db, 'w', '2026-11-21', 1)],
  ['read the searches of a workspace', (db) => createSearchCounter(db, false, { error: () => undefined }).read('w')],
  ['list open uploads', (db) => listOpenUploads(db, 'w', page)],
])('%s', async (_, action) => {
  expect(await explain(action)).toMatchSnapshot();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the statements of each search are prepared once', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  await seedChunks(db, workspaceId, 'e', { count: 3, perItem: 1 }, () => ({
    vector: new Float32Array([1, 0]),
    text: 'harbour',
  }));
  const { key } = await issueApiKey(db, createSecrets(new Uint8Array(32)), workspaceId);
  const rows = await db.selectFrom('chunks').select('number').execute();
  const chunkNumbers = rows.map(({ number }) => number);
  // The driver makes the function that makes rows once for each time that a statement was prepared.
  let prepared = 0;
  const original = Function;
  vi.stubGlobal('Function', (...parts: string[]) => {
    prepared += 1;
    return original(...parts);
  });
  const search = async () => {
    expect(await findApiKey(db, key)).toBeDefined();
    const { found } = await findChunksWithTexts(db, workspaceId, chunkNumbers, {});
    expect(found.map(({ texts }) => texts.segments[0]?.text)).toEqual(['harbour', 'harbour', 'harbour']);
  };
  await search();
  expect(prepared).toBe(3);
  for (let i = 0; i < 3; i++) await search();
  expect(prepared).toBe(3);
  // What such a statement would be without `anyValue`.
  for (let i = 0; i < 3; i++)
    await sql`select max(sequence) from item_changes where workspace_id = ${workspaceId}`.execute(db);
  expect(prepared).toBe(6);
});
