import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { event as eventSchema } from '../../contract/events.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { describeSchema } from '../testing/describe-schema.ts';
import { openEarlierCatalog } from '../testing/earlier-catalog.ts';
import { type Backend, openFresh, postgresBackend } from '../testing/fresh-catalog.ts';
import { listApiKeys } from './accounts/api-keys.ts';
import { findPlan } from './accounts/plans.ts';
import { listEventsAfter } from './events/events.ts';
import { listWebhooks } from './events/webhooks.ts';
import { listGroups } from './labels/item-groups.ts';
import { listLabels } from './labels/labels.ts';
import { readNamesOfItems } from './labels/names-of-items.ts';
import { readEmbeddings } from './media/chunk-views.ts';
import { findChunksWithTexts } from './media/chunks.ts';
import { listChangesAfter } from './media/item-changes.ts';
import { deleteMedia, listMedia } from './media/media-items.ts';
import { findWrongTotals, readMediaUsage } from './media/media-totals.ts';
import { migrationsOf } from './migrations.ts';
import { openCatalog } from './open-catalog.ts';
import { checkSchema } from './prepare-schema.ts';
import type { Catalog } from './schema.ts';
import { listSavedSearches } from './searches/saved-searches.ts';
import { findShare, listShares } from './shares/shares.ts';
import { listCaptionTracks } from './texts/caption-tracks.ts';
import { joinTexts, listSegments } from './texts/text-segments.ts';

const page = { page: 1, per_page: 10 };
const workspaceId = '01a20d0c-a627-7710-a176-77924a20f8f7';
const film = '01a20d0c-a792-76e3-b43f-0ef656810079';
const photo = '01a20d0c-a721-7064-9fb3-ab044c0d5e0f';

const namesOf = ({ rows }: { rows: { name: string; media_count?: number }[] }) =>
  rows.map(({ name, media_count }) => [name, media_count]);

const jobsOf = (kind: string) =>
  `insert into jobs (workspace_id, media_id, kind, priority, payload, created_at) values ('${workspaceId}', '${film}', '${kind}', 2, '{}', '2026');\n`;

/** What the service of that version answered of its catalog. */
async function expectContents(db: Catalog): Promise<void> {
  const items = await listMedia(db, workspaceId, { ...page, sort: 'filename' });
  expect(items.rows.map(({ filename, status, chunk_count }) => [filename, status, chunk_count])).toEqual([
    ['Harbour film.mkv', 'complete', 2],
    ['RedCar_02.png', 'complete', 1],
  ]);
  expect(await readMediaUsage(db, workspaceId)).toMatchObject({ media_items: 2, indexed_seconds: 6 });
  expect(await findWrongTotals(db)).toEqual([]);
  const { rows } = await listSegments(db, workspaceId, film, page);
  expect(rows.map(({ source, language, start_time, text }) => [source, language, start_time, text])).toEqual([
    ['subtitle', null, 1, 'The ferry leaves'],
    ['subtitle', null, 4, '終わり 🎬'],
  ]);
  expect(await listCaptionTracks(db, workspaceId, film)).toHaveLength(1);
  const { found } = await findChunksWithTexts(db, workspaceId, [1, 2, 3], {});
  expect(found.map(({ texts }) => joinTexts(texts.segments)).toSorted()).toEqual(['', 'The ferry leaves', '終わり 🎬']);
  expect(await readEmbeddings(db, workspaceId, 'descriptors@1', [1, 2, 3])).toHaveLength(3);
  expect(namesOf(await listGroups(db, 'collections', workspaceId, page))).toEqual([['Cars', 1]]);
  expect(namesOf(await listGroups(db, 'tags', workspaceId, page))).toEqual([['sea', 1]]);
  expect(namesOf(await listLabels(db, 'creators', workspaceId, page))).toEqual([['Ada', 1]]);
  expect(namesOf(await listSavedSearches(db, workspaceId, page))).toEqual([['Ferries', undefined]]);
  expect((await readNamesOfItems(db, workspaceId, [photo, film])).size).toBeGreaterThan(0);
  expect((await listShares(db, workspaceId, page)).rows).toMatchObject([{ media_id: film }]);
  expect(await findShare(db, 'H8acELmi7iJWMRlu3WgniEjmnQzpjGXBX6hGqF9sWCc')).toMatchObject({ media_id: film });
  expect(await listWebhooks(db, workspaceId)).toMatchObject([
    { url: 'https://[2606:4700::1111]/', types: 'media.completed', waiting: 2, created_by: null },
  ]);
  expect(await listApiKeys(db, workspaceId)).toMatchObject([{ revoked_at: null, created_by: null }]);
  expect(await findPlan(db, workspaceId)).toMatchObject({ id: 'self-hosted', requests_per_minute: null });
}

/** The triggers of items write the log of events, in the form of the contract, and the record of changes. */
async function expectTriggers(db: Catalog): Promise<void> {
  const events = await listEventsAfter(db, workspaceId, 0, 100);
  const changes = await listChangesAfter(db, workspaceId, 0, 100);
  expect(changes.map(({ media_id }) => media_id).toSorted()).toEqual([photo, film]);
  await db.updateTable('media_items').set({ status: 'error', error_code: 'lost', stage: null }).execute();
  expect(await deleteMedia(db, workspaceId, photo)).toBe(true);
  const [last] = await listChangesAfter(db, workspaceId, changes.at(-1)?.sequence ?? 0, 100).then((all) =>
    all.slice(-1),
  );
  expect(last).toMatchObject({ media_id: photo });
  const added = await listEventsAfter(db, workspaceId, events.at(-1)?.number ?? 0, 100);
  expect(added.map(({ type }) => type).toSorted()).toEqual(['media.deleted', 'media.failed', 'media.failed']);
  for (const { number: _, ...each } of [...events, ...added]) expect(eventSchema.parse(each)).toEqual(each);
  expect(added.at(-1)?.data).toMatchObject({
    media: { id: photo, error: { code: 'lost', message: '' }, progress: null },
  });
}

describe.each<Backend>(['sqlite', postgresBackend])('over %s', (backend) => {
  test('a catalog of the last version before the baseline keeps its data and gets the schema of a new one', async () => {
    await using fresh = await openFresh(backend);
    const expected = await describeSchema(fresh.db);
    expect(expected.length).toBeGreaterThan(300);
    await using earlier = await openEarlierCatalog(backend, jobsOf('details') + jobsOf('subtitles'));
    const { db } = earlier;
    expect(await describeSchema(db)).toEqual(expected);
    const names = sql<{ name: string }>`select name from kysely_migration order by name`;
    expect((await names.execute(db)).rows).toEqual((await names.execute(fresh.db)).rows);
    // Their kinds are done no longer.
    expect(await db.selectFrom('jobs').selectAll().execute()).toEqual([]);
    await expectContents(db);
    await expectTriggers(db);
    if (backend !== 'sqlite') {
      // Transactions of the workspace have indexed its texts at their end.
      expect((await sql`select 1 from text_changes`.execute(db)).rows).toEqual([]);
      const terms = await sql<{ term: string }>`select term from text_terms`.execute(db);
      expect(terms.rows.map(({ term }) => term)).toContain('ferry');
    }
    await sql`update kysely_migration set name = '0036-webhooks' where name = '0037-baseline'`.execute(db);
    await expect(checkSchema(db, 'The catalog')).rejects.toThrow(
      /^The catalog was written by a version of Media Search that this one no longer reads; start version 0\.1\.0 \(commit 9df9b898\) on it once, then this one\.$/,
    );
  });
});

test('a catalog of version 0.1.0 opens, too, and none that is older or newer', async () => {
  // The changes of that version, of which some are noted as they are made again: each may be run twice.
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  await (await openCatalog(file)).destroy();
  const sqlite = new SQLite(file);
  const rename = sqlite.prepare('update kysely_migration set name = ? where name = ?');
  rename.run('0037-upload-makers', '0037-baseline');
  sqlite.prepare("insert into kysely_migration (name, timestamp) values ('0001-first-schema', '2026')").run();
  sqlite.prepare("delete from kysely_migration where name >= '0042'").run();
  const namesIn = () => sqlite.prepare<[], { name: string }>('select name from kysely_migration order by name').all();
  await (await openCatalog(file)).destroy();
  const all = Object.keys(migrationsOf('sqlite')).toSorted();
  expect(all[0]).toBe('0037-baseline');
  expect(namesIn().map(({ name }) => name)).toEqual(all);
  // A start that was killed before the migrator noted what it had committed.
  sqlite.prepare('delete from kysely_migration').run();
  await (await openCatalog(file)).destroy();
  expect(namesIn()).toHaveLength(all.length);
  sqlite.prepare("insert into kysely_migration (name, timestamp) values ('9999-later', '2026')").run();
  sqlite.prepare("update service_settings set value = '9999-later' where name = 'least_change'").run();
  await expect(openCatalog(file)).rejects.toThrow(/newer version of Media Search \(it has the change 9999-later\)/);
  sqlite.prepare("delete from kysely_migration where name <> '9999-later'").run();
  rename.run('0036-webhooks', '9999-later');
  await expect(openCatalog(file)).rejects.toThrow(`The catalog ${file} was written by a version of Media Search that`);
  sqlite.close();
});
