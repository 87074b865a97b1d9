import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openFresh } from '../testing/fresh-catalog.ts';
import { fillCatalog } from '../testing/full-catalog.ts';
import { needsServer, testDatabaseUrl } from '../testing/temporary-database.ts';
import { databaseChecksOf } from './database-checks.ts';
import { findItemsWithoutVectors, findRowFaults, findStuckMedia } from './integrity-queries.ts';
import { findWrongTotals, recountTotals } from './media/media-totals.ts';

test.skipIf(testDatabaseUrl === undefined)(
  `what is wrong in PostgreSQL is found and repaired; ${needsServer}`,
  async () => {
    await using t = await openFresh('postgres');
    const { db } = t;
    await fillCatalog(db, { items: 5 });
    const checks = databaseChecksOf(db);
    expect(await checks.findFaults(db)).toEqual([]);
    expect(await checks.findBrokenReferences(db)).toEqual([]);
    expect(await findRowFaults(db)).toEqual([]);
    expect(await findWrongTotals(db)).toEqual([]);
    const workspace = await db.selectFrom('workspaces').select('id').orderBy('id').executeTakeFirstOrThrow();
    expect(await findItemsWithoutVectors(db, workspace.id)).toEqual([]);

    await sql`update pg_index set indisvalid = false where indexrelid = 'chunks_pkey'::regclass`.execute(db);
    expect(await checks.findFaults(db)).toEqual(['the index chunks_pkey is not valid']);
    await checks.rebuildIndexes(db);
    expect(await checks.findFaults(db)).toEqual([]);

    await sql`delete from chunk_vectors where chunk_number = 2`.execute(db);
    expect(await findItemsWithoutVectors(db, workspace.id)).toHaveLength(1);
    await sql`delete from chunks where number = 3`.execute(db);
    expect(await findRowFaults(db)).toHaveLength(1);
    await sql`delete from jobs`.execute(db);
    expect((await findStuckMedia(db)).length).toBe(2);
    await sql`update media_totals set bytes = bytes + 1`.execute(db);
    expect(await findWrongTotals(db)).toHaveLength(2);
    await recountTotals(db);
    expect(await findWrongTotals(db)).toEqual([]);
    await sql`insert into jobs (workspace_id, media_id, kind, priority, payload, created_at) values (${workspace.id}, 'gone', 'index', 1, '{}', '')`.execute(
      db,
    );
    expect(await checks.findBrokenReferences(db)).toEqual(['the job index of gone names no row of media_items']);
  },
);
