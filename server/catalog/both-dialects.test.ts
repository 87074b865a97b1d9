import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOwnRow } from '../operations/transfer/tables.ts';
import { postgresBackend } from '../testing/fresh-catalog.ts';
import { claim, indexed, openTestCatalog, reload } from '../testing/test-catalog.ts';
import { findStoredResponse, storeResponse } from './accounts/idempotency.ts';
import { storeLastUse } from './counters/buffered-counters.ts';
import { addSearches, createSearchCounter } from './counters/search-counter.ts';
import { setTargetEmbedder } from './embedders.ts';
import { findItemsWithoutVectors, findRowFaults } from './integrity-queries.ts';
import { readCovers } from './labels/covers.ts';
import { changeMembers, createGroup, deleteGroup, listGroups, mergeTag } from './labels/item-groups.ts';
import { createLabel, listLabels } from './labels/labels.ts';
import { readNamesOfItems } from './labels/names-of-items.ts';
import { listEmbeddedChunks, readChunkVectors, readFilteredVectors } from './media/chunk-vectors.ts';
import { readEmbeddings } from './media/chunk-views.ts';
import { findChunksWithTexts, listChunks } from './media/chunks.ts';
import { listChangesAfter, readItemsForIndex, readLastChange } from './media/item-changes.ts';
import { changeMedia, countByMonth, deleteMedia, listMedia } from './media/media-items.ts';
import { findWrongTotals, readMediaUsage, recountTotals } from './media/media-totals.ts';
import { recordOriginalCheck } from './media/original-checks.ts';
import { beginTimeline, isInHistory, readPosition } from './media/timelines.ts';
import { moveToTrash, readTrashTotals, restoreFromTrash } from './media/trash.ts';
import { foldTextsAgain } from './migrations/0041-fold-texts-again.ts';
import { enqueueMissingExtractions, readAgain } from './queue/extraction-jobs.ts';
import { completeIndexing, reportProgress } from './queue/indexing-jobs.ts';
import type { Catalog } from './schema.ts';
import { listCaptionTracks, readCaptionLines } from './texts/caption-tracks.ts';

type TestCatalog = Awaited<ReturnType<typeof openTestCatalog>>;

let sqlite: TestCatalog;
let postgres: TestCatalog;

beforeAll(async () => {
  sqlite = await openTestCatalog();
  postgres = await openTestCatalog(postgresBackend);
});

afterAll(async () => {
  await sqlite[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

/** Tables that only PostgreSQL has: what several processes share, and what is in files or in memory otherwise. */
const ofPostgres = new Set(
  'workspace_changes rate_limits request_claims exports saved_indexes ranking_parts text_changes text_items text_postings text_terms text_totals'.split(
    ' ',
  ),
);
/** Columns of only one of the two: a generated one, which SQLite does not list, and the transaction that notes a change. */
const ofOne = new Set(['media_items.taken_local', 'item_changes.xid', 'fencing_counter.last']);

const types: Record<string, string> = {
  integer: 'integer',
  int8: 'integer',
  int2: 'integer',
  real: 'real',
  float8: 'real',
  text: 'text',
  varchar: 'text',
  blob: 'bytes',
  bytea: 'bytes',
  halfvec: 'bytes',
};

/** The columns of all tables, with type and whether they may be null. */
async function listColumns(db: Catalog, keys: ReadonlySet<string>): Promise<Map<string, string>> {
  const tables = await db.introspection.getTables();
  const columns = tables.flatMap(({ name, columns: all }) =>
    all.map((column) => {
      const place = `${name}.${column.name}`;
      const type = types[column.dataType.toLowerCase()] ?? column.dataType;
      // Keys of SQLite tables may be null unless it is said.
      return [place, `${type}${column.isNullable && !keys.has(place) ? ' or null' : ''}`] as const;
    }),
  );
  return new Map(columns);
}

test('both schemas have the same tables and columns', async () => {
  const { rows } = await sql<{ place: string }>`
    select t.name || '.' || c.name as place from sqlite_schema t, pragma_table_info(t.name) c where c.pk > 0`.execute(
    sqlite.db,
  );
  const expected = await listColumns(sqlite.db, new Set(rows.map(({ place }) => place)));
  const found = await listColumns(postgres.db, new Set());
  for (const place of [...expected.keys(), ...found.keys()])
    if (ofOne.has(place) || ofPostgres.has(place.split('.')[0] ?? '')) {
      expected.delete(place);
      found.delete(place);
    }
  expect(found).toEqual(expected);

  // Texts are in the order of their bytes, whatever the server's collation.
  const collations = await sql<{ place: string }>`
    select c.relname || '.' || a.attname as place from pg_attribute a join pg_class c on c.oid = a.attrelid
      join pg_namespace n on n.oid = c.relnamespace join pg_collation o on o.oid = a.attcollation
    where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and o.collname <> 'C' and a.atttypid = 'text'::regtype`.execute(
    postgres.db,
  );
  expect(collations.rows).toEqual([]);
  // A table that is distributed by workspace has it in its key.
  const keys = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where n.nspname = 'public' and c.relkind = 'r' and a.attname is distinct from 'workspace_id' order by 1`.execute(
    postgres.db,
  );
  expect(keys.rows.map(({ name }) => name)).toEqual(
    'embedders kysely_migration kysely_migration_lock people plans rate_limits service_settings sessions sign_in_links timelines workspaces'.split(
      ' ',
    ),
  );
});

test('in PostgreSQL a timeline begins once, and again where rows were copied from elsewhere', async () => {
  const { db } = postgres;
  await beginTimeline(db);
  const position = await readPosition(db);
  await beginTimeline(db);
  expect(await readPosition(db)).toEqual(position);
  expect(await isInHistory(db, position)).toBe(true);
  await beginTimeline(db, { isCopy: true });
  expect(await isInHistory(db, position)).toBe(false);
  // A dump that was restored is another database.
  await db.updateTable('service_settings').set({ value: 'other' }).where('name', '=', 'database_identity').execute();
  const before = await readPosition(db);
  await beginTimeline(db);
  expect(await isInHistory(db, before)).toBe(false);
  // What it notes of the database would differ after a move, which compares what arrived.
  const noted = await db.selectFrom('service_settings').selectAll().execute();
  expect(noted.filter((row) => !isOwnRow('service_settings', row))).toEqual([]);
});

test('what several processes count is stored the same in both, and a workspace that is gone keeps no other from it', async () => {
  const counted = [];
  for (const { db, workspaceId } of [sqlite, postgres]) {
    await db.updateTable('plans').set({ searches_per_month: 3 }).execute();
    const counter = createSearchCounter(db, true, { error: (error: unknown) => expect.unreachable(String(error)) });
    const outcomes = [];
    for (let i = 0; i < 5; i++) outcomes.push((await counter.countIfAllowed(workspaceId))?.used);
    await db.updateTable('plans').set({ searches_per_month: null }).execute();
    await sleep(1050);
    expect(await counter.countIfAllowed(workspaceId)).toBeUndefined();
    const { searches_per_month } = await counter.read(workspaceId);
    await counter.flush();
    expect(await addSearches(db, 'gone', '2026-11-21', 1)).toBe(false);
    await storeLastUse(db, workspaceId, 'gone', '2026-11-21T10:00:00.000Z');
    counted.push({ outcomes, searches_per_month, stored: (await counter.read(workspaceId)).searches_per_month });
    await counter.stop();
    await db.deleteFrom('usage_days').execute();
  }
  expect(counted[0]).toEqual({
    outcomes: [undefined, undefined, undefined, 3, 3],
    searches_per_month: 4,
    stored: 4,
  });
  expect(counted[1]).toEqual(counted[0]);
});

// It uses the two catalogs up.
test('the same story has the same end in both', { retry: 0 }, async () => {
  const told = await tell(sqlite);
  const local = ['2026-07-14T21:12:08.000', '2026-08-02T01:30:00.000'];
  expect(told).toMatchObject({ wrong: [], faults: [], trash: { items: 1 }, history: true, local });
  expect(await tell(postgres)).toEqual(told);
});

/** Uses most of the catalog, and says what it answers, with names in place of identifiers and times. */
async function tell(t: TestCatalog): Promise<object> {
  const { db, workspaceId: w } = t;
  await beginTimeline(db);
  const position = await readPosition(db);
  const [red, blue, gone] = [await t.add('Rot%_1.MP4'), await t.add('blau.mp4'), await t.add('Ärger.mp4')];
  for (const [i, item] of [red, blue, gone].entries()) {
    const job = await claim(db, 'worker');
    expect(job.id).toBe(item.id);
    expect(await reportProgress(db, job, 'analysing', 0.5)).toBe(true);
    // In place of the date of the file.
    if (item === blue) await changeMedia(db, w, item.id, { taken_at: '2026-08-02T01:30:00+03:00' });
    await completeIndexing(db, job, { ...indexed(['one', null, `lines ${i}`]), duration: i === 2 ? null : 3 - i }, [
      'ocr',
    ]);
  }
  const creator = await createLabel(db, 'creators', w, { name: 'Ines' });
  await createLabel(db, 'creators', w, { name: 'ines' });
  await changeMedia(db, w, blue.id, { creator_id: creator?.id });
  const album = await createGroup(db, 'collections', w, 'Album');
  const [tag, other] = [await createGroup(db, 'tags', w, 'Tag'), await createGroup(db, 'tags', w, 'Other')];
  if (typeof album === 'string' || typeof tag === 'string' || typeof other === 'string') throw new Error('taken');
  await changeMembers(db, 'collections', w, album.id, { add: [blue.id, red.id, 'unknown'] });
  await changeMembers(db, 'tags', w, tag.id, { add: [red.id], remove: [blue.id] });
  await mergeTag(db, w, tag.id, other.id);
  const before = await readLastChange(db, w);
  await moveToTrash(db, w, [red.id, gone.id]);
  await restoreFromTrash(db, w, [red.id]);
  const changed = await listChangesAfter(db, w, before, 10);
  await recordOriginalCheck(db, red, 'original_missing');
  await storeResponse(db, w, { key: 'k', operation: 'o', fingerprint: 'f' }, { status: 201, headers: {}, body: 1 });
  await storeResponse(db, w, { key: 'k', operation: 'o', fingerprint: 'g' }, { status: 201, headers: {}, body: 2 });
  await enqueueMissingExtractions(db, ['ocr', 'speech']);
  await setTargetEmbedder(db, { kind: 'descriptors', id: 'next@1', dimensions: 4 } as never);

  const list = async (query: object) =>
    (await listMedia(db, w, { page: 1, per_page: 9, sort: 'filename', ...query })).rows.map(({ filename }) => filename);
  const numbers = (await listChunks(db, w, red.id, { page: 1, per_page: 9 })).map(({ number }) => number);
  const filter = { collection_id: album.id, taken_after: '2026-07-14' };
  const lines = await readCaptionLines(db, w, red.id, { source: 'subtitle', track: 0 }, null, 9);
  const story = {
    wrong: await findWrongTotals(db),
    faults: [...(await findRowFaults(db)), ...(await findItemsWithoutVectors(db, w))].map(({ fault }) => fault),
    usage: await readMediaUsage(db, w),
    trash: await readTrashTotals(db, w),
    history: await isInHistory(db, position),
    // Once for each item, however often it changed.
    changed: new Set(changed.map(({ media_id }) => media_id)).size,
    lists: [
      await list({}),
      await list({ sort: '-filename' }),
      await list({ sort: 'duration' }),
      await list({ sort: '-duration' }),
      await list({ q: 't%_1.m' }),
      await list({ q: 'Ä' }),
      await list({ tag_id: other.id }),
      await list({ sort: '-taken_at' }),
    ],
    months: await countByMonth(db, w, {}),
    groups: (await listGroups(db, 'tags', w, { page: 1, per_page: 9 })).rows.map(({ name, media_count }) => [
      name,
      media_count,
    ]),
    labels: (await listLabels(db, 'creators', w, { page: 1, per_page: 9, q: 'NES' })).rows.map(
      ({ name, media_count }) => [name, media_count],
    ),
    covers: (await readCovers(db, w, [album])).get(album.id)?.length,
    names: (await readNamesOfItems(db, w, [red.id, blue.id])).get(blue.id),
    chunks: (await findChunksWithTexts(db, w, numbers, filter)).found.map(({ chunk, texts }) => [
      chunk.start_time,
      texts,
    ]),
    vectors: (await readFilteredVectors(db, w, 'test@1', filter, 9)).map(({ vector }) => [...vector]),
    embedded: (await listEmbeddedChunks(db, w, 'test@1', {})).length,
    read: [...(await readChunkVectors(db, w, 'test@1', numbers)).values()].map((vector) => [...vector]),
    elsewhere: (await readChunkVectors(db, 'elsewhere', 'test@1', numbers)).size,
    views: [...(await readEmbeddings(db, w, 'test@1', numbers)).values()].map(({ views }) => views?.length),
    tracks: await listCaptionTracks(db, w, red.id),
    after: (await readCaptionLines(db, w, red.id, { source: 'subtitle', track: 0 }, lines[0] ?? null, 9)).map(
      ({ text }) => text,
    ),
    local: [(await reload(db, red)).taken_local, (await reload(db, blue)).taken_local],
    problem: (await reload(db, red)).original_problem,
    response: await findStoredResponse(db, w, 'k'),
    indexed: (await readItemsForIndex(db, w, [red.id, gone.id])).map(({ chunks, collection_id }) => [
      chunks.length,
      collection_id.length,
    ]),
    again: await readAgain(db, w, 'speech'),
    jobs: await db.selectFrom('jobs').select(['kind', 'priority']).orderBy('kind').execute(),
  };
  await deleteGroup(db, 'collections', w, album.id);
  expect(await deleteMedia(db, w, blue.id)).toBe(true);
  expect(await findWrongTotals(db)).toEqual([]);
  await db.updateTable('media_totals').set({ items: 9 }).execute();
  expect(await findWrongTotals(db)).toEqual([w]);
  await recountTotals(db);
  expect(await findWrongTotals(db)).toEqual([]);
  await db.deleteFrom('workspaces').execute();
  const left = [
    'media_items',
    'chunks',
    'chunk_vectors',
    'chunk_views',
    'chunk_segments',
    'jobs',
    'item_changes',
  ] as const;
  for (const table of left) expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
  return story;
}

test('texts whose words are compared in another way since are noted in PostgreSQL, to be indexed again', async () => {
  const { db, add, addWorkspace } = postgres;
  const { id: workspaceId } = await addWorkspace('Folded');
  const { id } = await add('東京.mp4', workspaceId);
  await sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file)
    values (${workspaceId}, ${id}, ${id}, 0, 0, 1, '')`.execute(db);
  await sql`delete from text_changes where workspace_id = ${workspaceId}`.execute(db);
  for (let run = 0; run < 2; run++) {
    await foldTextsAgain.up(db);
    const { rows } = await sql`select media_id from text_changes where workspace_id = ${workspaceId}`.execute(db);
    expect(rows).toEqual([{ media_id: id }]);
  }
});

test('in PostgreSQL a statement that changes many chunks notes each of their items, without a trigger for each row', async () => {
  const { db, add, addWorkspace } = postgres;
  const { id: workspaceId } = await addWorkspace('Statements');
  const items = [await add('a.mp4', workspaceId), await add('b.mp4', workspaceId)].map(({ id }) => id).toSorted();
  const changedBy = async (statement: ReturnType<typeof sql>) => {
    await sql`delete from text_changes where workspace_id = ${workspaceId}`.execute(db);
    const before = await readLastChange(db, workspaceId);
    await statement.execute(db);
    const noted = await listChangesAfter(db, workspaceId, before, 100);
    const { rows } = await sql<{ media_id: string }>`
      select media_id from text_changes where workspace_id = ${workspaceId} order by 1`.execute(db);
    return { noted: noted.map(({ media_id }) => media_id).toSorted(), texts: rows.map(({ media_id }) => media_id) };
  };
  const both = { noted: items, texts: items };
  const added = sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file)
    select workspace_id, id || nth, id, nth, 0, 1, '' from media_items, generate_series(1, 50) nth
    where workspace_id = ${workspaceId}`;
  expect(await changedBy(added)).toEqual(both);
  const embedded = sql`insert into chunk_vectors (workspace_id, embedder_id, chunk_number, vector)
    select workspace_id, 'test@1', number, '[1,0]' from chunks where workspace_id = ${workspaceId}`;
  expect(await changedBy(embedded)).toEqual({ noted: items, texts: [] });
  await sql`insert into text_segments (workspace_id, media_id, source, start_time, end_time, text)
    select workspace_id, media_id, 'speech', 0, 1, '' from chunks where workspace_id = ${workspaceId}`.execute(db);
  const linked = sql`insert into chunk_segments (workspace_id, chunk_number, segment_number)
    select workspace_id, chunks.number, segments.number from chunks join text_segments segments using (workspace_id, media_id)
    where workspace_id = ${workspaceId}`;
  expect(await changedBy(linked)).toEqual(both);
  const removeFrom = (table: string) => sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId}`;
  // A foreign key deletes the links.
  expect(await changedBy(removeFrom('text_segments'))).toEqual(both);
  expect(await changedBy(removeFrom('chunk_vectors'))).toEqual({ noted: items, texts: [] });
  expect(await changedBy(removeFrom('chunks'))).toEqual(both);
  const { rows } =
    await sql`select tgname from pg_trigger where not tgisinternal and tgtype & 1 = 1 and tgtype & 12 <> 0
    and tgrelid in ('chunks'::regclass, 'chunk_vectors'::regclass, 'chunk_segments'::regclass)`.execute(db);
  expect(rows).toEqual([]);
});
