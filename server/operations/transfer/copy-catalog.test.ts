import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { databaseChecksOf } from '../../catalog/database-checks.ts';
import { listChangesAfter, readLastChange } from '../../catalog/media/item-changes.ts';
import { findWrongTotals } from '../../catalog/media/media-totals.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { openFresh } from '../../testing/fresh-catalog.ts';
import { fillCatalog } from '../../testing/full-catalog.ts';
import { needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { addUpTable, compareChecksums } from './checksums.ts';
import { copyCatalog } from './copy-catalog.ts';
import { readArrival, refuseUnfinishedMove } from './move-state.ts';
import { readLayout } from './rows.ts';
import { movedTables, ownTables } from './tables.ts';

/** Ends a copy after some batches, as `kill -9` would between two of them. */
const endAfter = (batches: number) => {
  let left = batches;
  return {
    addTotal: () => undefined,
    advance() {
      left -= 1;
      if (left < 0) throw new Error('killed');
    },
  };
};

const silent = { addTotal: () => undefined, advance: () => undefined };

async function setUp(items: number) {
  const stack = new AsyncDisposableStack();
  const source = await openCatalog(':memory:');
  stack.defer(() => source.destroy());
  const target = await openCatalog(':memory:');
  stack.defer(() => target.destroy());
  if (items > 0) await fillCatalog(source, { items });
  const copy = {
    source,
    target,
    targetName: 'the target',
    move: 'one',
    unchanged: () => Promise.resolve(true),
    progress: silent,
  };
  return { source, target, copy, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Where the rows of two catalogs differ. */
async function findDifferences(one: Catalog, other: Catalog): Promise<string[]> {
  const differences: string[] = [];
  for (const layout of await readLayout(one, movedTables)) {
    const sums = [await addUpTable(one, layout, 'exact'), await addUpTable(other, layout, 'exact')] as const;
    differences.push(...compareChecksums(layout.name, ...sums));
  }
  return differences;
}

const listTriggers = async (db: Catalog) =>
  (await sql<{ sql: string }>`select sql from sqlite_schema where type = 'trigger' order by name`.execute(db)).rows;

test('every table is either copied or made again', async () => {
  await using t = await setUp(1);
  const tables = (await t.source.introspection.getTables()).map(({ name }) => name);
  expect(tables.toSorted()).toEqual([...movedTables.map(({ name }) => name), ...ownTables].toSorted());
});

test('a copy that is ended after each batch and run again holds the same rows, and works', async () => {
  await using t = await setUp(230);
  const { source, target, copy } = t;
  let tries = 0;
  for (let done = false; !done; tries++) {
    done = await copyCatalog({ ...copy, progress: endAfter(3 * tries + 34) }).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe('killed');
        return false;
      },
    );
    if (!done) {
      await expect(refuseUnfinishedMove(target)).rejects.toThrow(/interrupted/);
      expect(await listTriggers(target)).toEqual(
        (await readArrival(target))?.progress ? [] : await listTriggers(source),
      );
    }
  }
  expect(tries).toBeGreaterThan(10);
  expect(await findDifferences(source, target)).toEqual([]);
  await refuseUnfinishedMove(target);
  expect(await listTriggers(target)).toEqual(await listTriggers(source));
  expect([
    await databaseChecksOf(target).findFaults(target),
    await databaseChecksOf(target).findBrokenReferences(target),
    await findWrongTotals(target),
  ]).toEqual([[], [], []]);
  for (const { id } of await listWorkspaces(source)) {
    expect(await listChangesAfter(target, id, 0, 1000)).toHaveLength(230);
    // Triggers are at work again, and no number is given twice.
    const last = await readLastChange(target, id);
    await target.deleteFrom('media_items').where('workspace_id', '=', id).where('filename', 'like', '% 3').execute();
    expect(await readLastChange(target, id)).toBeGreaterThan(last);
  }
  expect(await findWrongTotals(target)).toEqual([]);
});

test('numbers that were given to rows which are deleted are not given again', async () => {
  await using t = await setUp(3);
  await t.source.deleteFrom('chunks').where('number', '=', 6).execute();
  await sql`update fencing_counter set last = 70`.execute(t.source);
  await copyCatalog(t.copy);
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = 'chunks'`.execute(t.target);
  expect(rows).toEqual([{ seq: 6 }]);
  expect(await t.target.selectFrom('fencing_counter').select('last').execute()).toEqual([{ last: 70 }]);
});

test('a source that was opened meanwhile is copied again; a catalog, or a copy of another one, is no target', async () => {
  await using t = await setUp(230);
  const { source, target, copy } = t;
  await expect(copyCatalog({ ...copy, progress: endAfter(40) })).rejects.toThrow('killed');
  // It has arrived already.
  await source.updateTable('people').set({ name: 'Another' }).execute();
  await copyCatalog({ ...copy, move: 'two' });
  expect(await findDifferences(source, target)).toEqual([]);
  await expect(copyCatalog({ ...copy, move: 'three' })).rejects.toThrow('the target is not empty');

  const empty = await openCatalog(':memory:');
  await expect(copyCatalog({ ...copy, target: empty, progress: endAfter(40) })).rejects.toThrow('killed');
  await source.deleteFrom('workspaces').where('id', 'like', '%0').execute();
  await expect(copyCatalog({ ...copy, target: empty, move: 'four' })).rejects.toThrow('The move of another catalog');
  await empty.destroy();
});

test('what differs after the copy is found, in any column', async () => {
  await using t = await setUp(3);
  await expect(copyCatalog({ ...t.copy, progress: endAfter(70) })).rejects.toThrow('killed');
  expect((await readArrival(t.target))?.progress).toBeNull();
  await t.target.updateTable('media_items').set({ place: 'elsewhere' }).where('filename', 'like', '%0 1').execute();
  await t.target.deleteFrom('jobs').where('media_id', 'like', '%1').execute();
  await expect(copyCatalog(t.copy)).rejects.toThrow(
    /differs from what was sent.*media_items of the workspace 0.*0: rows differ; jobs of the workspace .*: 2 rows instead of 3/,
  );
});

test.skipIf(testDatabaseUrl === undefined)(`a catalog moves to PostgreSQL and back; ${needsServer}`, async () => {
  await using t = await setUp(0);
  await using database = await openFresh('postgres');
  await fillCatalog(t.target, { items: 230, suffix: ' \0é' });
  const there = { ...t.copy, source: t.target, target: database.db };
  for (const batches of [20, 45, 60])
    await expect(copyCatalog({ ...there, progress: endAfter(batches) })).rejects.toThrow('killed');
  await copyCatalog(there);
  expect(await findWrongTotals(database.db)).toEqual([]);
  const [first] = await listWorkspaces(database.db);
  expect(await listChangesAfter(database.db, first?.id ?? '', 0, 1000)).toHaveLength(230);
  const items = await database.db.selectFrom('media_items').select('id').where('trashed_at', 'is', null).execute();
  const { rows: indexed } = await sql`select 1 from text_items`.execute(database.db);
  expect(indexed).toHaveLength(items.length);
  await database.db.deleteFrom('media_items').where('filename', 'like', '% 3%').execute();
  expect(await readLastChange(database.db, first?.id ?? '')).toBeGreaterThan(230);
  expect(await findWrongTotals(database.db)).toEqual([]);

  await using back = await setUp(0);
  await copyCatalog({ ...there, source: database.db, target: back.target, move: 'back' });
  expect([await databaseChecksOf(back.target).findFaults(back.target), await findWrongTotals(back.target)]).toEqual([
    [],
    [],
  ]);
});
