import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { standsIn } from '@media-search/search-engine/text/label-names';
import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import { allSources, toSourceSet } from '@media-search/search-engine/text/text-sources';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../../packages/search-engine/testing/random.ts';
import { createWorkspace } from '../../catalog/accounts/workspaces.ts';
import { createLabel } from '../../catalog/labels/labels.ts';
import { readItemsForIndex } from '../../catalog/media/item-changes.ts';
import { findPassing, listPassing } from '../../catalog/postgres/chunk-scope.ts';
import { openPostings } from '../../catalog/postgres/open-postings.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { inWorkspace } from '../../catalog/transactions.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { openFresh } from '../../testing/fresh-catalog.ts';
import { drawChunks, indexAll, queries } from '../../testing/random-texts.ts';
import { needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { openTextSearch } from './texts.ts';

/** Adds an item of a few chunks with texts of their own. */
async function addItem(db: Catalog, workspaceId: string, random: Random, creator_id: string | null): Promise<string> {
  const id = randomUUID();
  const chunks = drawChunks(random, 1 + random.below(6));
  const [{ filename, tags } = { filename: '', tags: '' }] = chunks;
  await inWorkspace(db, workspaceId, async (transaction) => {
    const created_at = new Date().toISOString();
    await transaction
      .insertInto('media_items')
      .values({
        workspace_id: workspaceId,
        id,
        filename,
        tags,
        type: 'video',
        status: 'complete',
        size: 1,
        creator_id,
        mime_type: 'video/mp4',
        sha256: id,
        created_at,
        updated_at: created_at,
      })
      .execute();
    for (const [position, { texts }] of chunks.entries()) {
      const { number } = await transaction
        .insertInto('chunks')
        .values({
          workspace_id: workspaceId,
          id: randomUUID(),
          media_id: id,
          position,
          start_time: position,
          end_time: position + 1,
          thumbnail_file: 'none.webp',
        })
        .returning('number')
        .executeTakeFirstOrThrow();
      for (const { source, text } of texts) {
        const { number: segment } = await transaction
          .insertInto('text_segments')
          .values({
            workspace_id: workspaceId,
            media_id: id,
            source,
            text,
            track: null,
            language: null,
            start_time: position,
            end_time: position + 1,
            box: null,
            confidence: null,
          })
          .returning('number')
          .executeTakeFirstOrThrow();
        await transaction
          .insertInto('chunk_segments')
          .values({ workspace_id: workspaceId, chunk_number: number, segment_number: segment })
          .execute();
      }
    }
  });
  return id;
}

/** Changes that searches have to follow; the last ones are no transactions of a workspace. */
const changes: ((db: Catalog, workspaceId: string, id: string, random: Random) => Promise<unknown>)[] = [
  (db, ws, id) =>
    inWorkspace(db, ws, (t) =>
      t
        .updateTable('media_items')
        .set({ filename: 'harbour walrus.mp4' })
        .where('workspace_id', '=', ws)
        .where('id', '=', id)
        .execute(),
    ),
  (db, ws, id) =>
    inWorkspace(db, ws, (t) =>
      t.deleteFrom('media_items').where('workspace_id', '=', ws).where('id', '=', id).execute(),
    ),
  (db, ws, id) =>
    inWorkspace(db, ws, (t) =>
      t
        .deleteFrom('text_segments')
        .where('workspace_id', '=', ws)
        .where('media_id', '=', id)
        .where('source', '=', 'speech')
        .execute(),
    ),
  (db, ws, id) =>
    db
      .updateTable('media_items')
      .set({ trashed_at: new Date().toISOString() })
      .where('workspace_id', '=', ws)
      .where('id', '=', id)
      .execute(),
  (db, ws, id) =>
    db
      .updateTable('text_segments')
      .set({ text: 'red car night' })
      .where('workspace_id', '=', ws)
      .where('media_id', '=', id)
      .execute(),
  (db, ws) => db.updateTable('media_items').set({ trashed_at: null }).where('workspace_id', '=', ws).execute(),
];

test('postings in PostgreSQL follow each change of texts, and are ranked as an index of all texts is', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using fresh = await openFresh('postgres');
  const { db } = fresh;
  const secrets = createSecrets(new Uint8Array(32));
  const { id: ws } = await createWorkspace(db, secrets, { workspace: 'Mine', owner: 'Ana' });
  const { id: theirs } = await createWorkspace(db, secrets, { workspace: 'Theirs', owner: 'Ben' });
  const ana = (await createLabel(db, 'creators', ws, { name: 'Night Harbour' }))?.id as string;
  const random = createRandom(30);
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) {
    ids.push(await addItem(db, ws, random, i % 4 === 0 ? ana : null));
    if (i % 3 === 0) await addItem(db, theirs, random, null);
  }
  for (const change of [() => Promise.resolve(), ...changes]) {
    await change(db, ws, random.pick(ids), random);
    const items = await readItemsForIndex(db, ws, ids);
    const chunks = items
      .flatMap(({ chunks, ...item }) => chunks.map((chunk) => ({ ...item, ...chunk })))
      .toSorted((a, b) => a.number - b.number);
    const searchAll = indexAll(chunks);
    for (const query of [...queries, 'walrus', 'walras']) {
      const sources = random.below(2) === 0 ? allSources : toSourceSet(['speech', 'filename']);
      const text = parseTextQuery(query);
      const numbers = chunks.map(({ number }) => number);
      const ofAna = chunks.filter(({ creator_id }) => creator_id === ana).map(({ number }) => number);
      const filter = random.below(2) === 0 ? {} : { creator_id: ana };
      const passing = new Set(filter.creator_id === undefined ? numbers : ofAna);
      const labelled = text.terms.map((term) =>
        sources === allSources && 'night harbour'.includes(term) && standsIn('night harbour', term) ? ofAna : [],
      );
      const options = { sources, count: 20, enough: 20, passing, labelled };
      const expected = await searchAll(query, options);
      const among = { filter };
      const passes = {
        share: () => Promise.resolve(0.3),
        list: () => (random.below(2) === 0 ? listPassing(db, ws, among, 1000) : Promise.resolve(null)),
        find: (some: ArrayLike<number>) => findPassing(db, ws, among, some),
      };
      const asked = { text, sources };
      const search = openTextSearch(openPostings(db, ws), asked, Promise.resolve(passes));
      const found = await search.findTexts(options, []);
      expect(
        {
          matches: found.matches,
          corrections: found.corrections,
          others: [...(await found.matchesOf([...passing])).values()].toSorted((a, b) => a.slot - b.slot),
          excluded: [...(await search.findExcluded(numbers))].toSorted((a, b) => a - b),
        },
        query,
      ).toEqual({
        matches: expected.matches,
        corrections: expected.corrections,
        others: await expected.matchesOf(numbers),
        excluded: await expected.excluded(numbers),
      });
    }
  }
  // Nothing is left of what was deleted.
  await db.deleteFrom('media_items').where('workspace_id', '=', ws).execute();
  await openPostings(db, ws).openQuery([], [], { ofTerm: 1, ofAll: 1 });
  const { rows } = await sql`select (select count(*) from text_postings where workspace_id = ${ws}) as postings,
      (select count(*) from text_items where workspace_id = ${ws}) as items,
      (select documents + length from text_totals where workspace_id = ${ws}) as total`.execute(db);
  expect(rows).toEqual([{ postings: 0, items: 0, total: 0 }]);
});

test('a name that is changed beside a transaction that indexes the same item is found as well', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using fresh = await openFresh('postgres');
  const { db } = fresh;
  const { id: ws } = await createWorkspace(db, createSecrets(new Uint8Array(32)), {
    workspace: 'Mine',
    owner: 'Ana',
  });
  const id = await addItem(db, ws, createRandom(31), null);
  const rename = (by: Catalog, filename: string) =>
    by.updateTable('media_items').set({ filename }).where('workspace_id', '=', ws).where('id', '=', id).execute();
  // Noted, and indexed by nobody yet.
  await rename(db, 'walrus.mp4');
  const noted = Promise.withResolvers<void>();
  const renaming = db.transaction().execute(async (transaction) => {
    await rename(transaction, 'pelican.mp4');
    noted.resolve();
    await delay(500);
  });
  await noted.promise;
  await inWorkspace(db, ws, () => Promise.resolve());
  await renaming;
  const asked = { text: parseTextQuery('pelican '), sources: allSources };
  const search = openTextSearch(openPostings(db, ws), asked, Promise.resolve(null));
  expect((await search.findTexts({ count: 10, enough: 10 }, [])).matches.length).toBeGreaterThan(0);
});
