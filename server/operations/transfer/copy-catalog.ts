import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { recountTotals } from '../../catalog/media/media-totals.ts';
import { beginTimeline } from '../../catalog/media/timelines.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { inService } from '../../catalog/transactions.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { addUpTable, commonPrecision, compareChecksums } from './checksums.ts';
import { fillingOf, resumeTriggers } from './filling.ts';
import { type Arrival, forgetArrival, readArrival, writeArrival } from './move-state.ts';
import { countRows, keyOf, readBatches, readLayout, type Row, type TableLayout, writeRows } from './rows.ts';
import { movedTables } from './tables.ts';

export type CatalogCopy = {
  /** Nothing may change it meanwhile, or it is one snapshot. */
  source: Catalog;
  /** It has this version's schema, and nothing else uses it. */
  target: Catalog;
  /** How a person names it, in messages. */
  targetName: string;
  /** Identifies what the source holds: where it is as in an earlier try, that one goes on. */
  move: string;
  /** Whether the source is still as it was at the beginning. */
  unchanged: () => Promise<boolean>;
  /** Called with numbers of rows: of all that are to be read or written first. */
  progress: { addTotal(rows: number): void; advance(rows: number): void };
};

/**
 * Copies all rows of a catalog into another of either dialect, and compares both. It may be ended at any moment and run again: each batch is
 * stored with how far it is.
 * @returns the number of rows
 * Throws `StartupError` when the target holds something else, or when what arrived differs.
 */
export async function copyCatalog(copy: CatalogCopy): Promise<number> {
  const { source, target, progress } = copy;
  const tables = await pairLayouts(source, target);
  let rows = 0;
  for (const { from } of tables) rows += await countRows(source, from.name);
  // Each is written once, and read twice to compare.
  progress.addTotal(3 * rows);
  await copyRows(copy, await beginArrival(copy), tables);
  await fillingOf(target).makeIndexes(target);
  await compareCatalogs(copy, tables);
  if (!(await copy.unchanged())) {
    throw new StartupError('What is moved was used meanwhile; stop whatever uses it and run this again.');
  }
  await forgetArrival(target);
  return rows;
}

type TablePair = { from: TableLayout; into: TableLayout };

async function pairLayouts(source: Catalog, target: Catalog): Promise<TablePair[]> {
  const into = await readLayout(target, movedTables);
  return (await readLayout(source, movedTables)).map((from, i) => {
    const other = into[i];
    if (!other || other.columns.length === 0 || other.columns.join(',') !== from.columns.join(',')) {
      throw new Error(`The tables ${from.name} of both catalogs have other columns.`);
    }
    return { from, into: other };
  });
}

/** What tells a catalog from others: its first workspace. */
async function identifyCatalog(source: Catalog): Promise<string> {
  const catalog = (await listWorkspaces(source)).map(({ id }) => id).toSorted()[0];
  if (catalog === undefined) throw new StartupError('There is no workspace to move yet.');
  return catalog;
}

/**
 * Finds out whether a catalog can take another, which nothing is changed by.
 * @returns what has arrived of it, in an earlier try
 * Throws `StartupError` when it holds something else.
 */
export async function findArrival({
  source,
  target,
  targetName,
}: Pick<CatalogCopy, 'source' | 'target' | 'targetName'>): Promise<Arrival | null> {
  const catalog = await identifyCatalog(source);
  const known = await readArrival(target);
  if (known ? known.catalog !== catalog : (await listWorkspaces(target)).length > 0) {
    throw new StartupError(
      known
        ? `The move of another catalog into ${targetName} was interrupted; go on with that one, or empty it.`
        : `${targetName} is not empty: it holds a catalog. Choose an empty one.`,
    );
  }
  return known;
}

/** Where to go on. */
async function beginArrival(copy: CatalogCopy): Promise<Arrival> {
  const { source, target, move } = copy;
  const known = await findArrival(copy);
  if (known?.move === move) return known;
  const catalog = await identifyCatalog(source);
  const filling = fillingOf(target);
  return inService(target, async (transaction) => {
    // Those of a copy that had arrived, and is not wanted any more, are there again.
    const triggers = known?.progress ? known.triggers : await filling.suspendTriggers(transaction);
    await filling.clear(transaction);
    const first = movedTables[0]?.name ?? 'workspaces';
    const arrival = { move, catalog, triggers, progress: { table: first, after: null } };
    await writeArrival(transaction, arrival);
    return arrival;
  });
}

async function copyRows(copy: CatalogCopy, arrival: Arrival, tables: TablePair[]): Promise<void> {
  const { source, target, progress } = copy;
  const begun = arrival.progress;
  if (!begun) {
    for (const { from } of tables) progress.advance(await countRows(source, from.name));
    return;
  }
  const first = tables.findIndex(({ from }) => from.name === begun.table);
  for (const { into } of tables.slice(0, first + 1)) progress.advance(await countRows(target, into.name));
  for (const [i, { from, into }] of tables.slice(first).entries()) {
    for await (const rows of readBatches(source, from, i === 0 ? begun.after : null)) {
      const after = keyOf(rows.at(-1) as Row, from.key);
      await inService(target, async (transaction) => {
        await writeRows(transaction, into, rows);
        await writeArrival(transaction, { ...arrival, progress: { table: from.name, after } });
      });
      progress.advance(rows.length);
    }
  }
  await makeOwnRows(copy, arrival);
}

/** Makes what each catalog has of its own. All of it may be done again. */
async function makeOwnRows({ source, target }: CatalogCopy, arrival: Arrival): Promise<void> {
  const filling = fillingOf(target);
  await filling.raiseCounters(target, await fillingOf(source).readCounters(source));
  await filling.recordItems(target);
  await recountTotals(target);
  await beginTimeline(target, { isCopy: true });
  await inService(target, async (transaction) => {
    await resumeTriggers(transaction, arrival.triggers);
    await writeArrival(transaction, { ...arrival, progress: null });
  });
}

async function compareCatalogs({ source, target, targetName, progress }: CatalogCopy, tables: TablePair[]) {
  const precision = commonPrecision(source, target);
  const advance = (rows: number) => progress.advance(rows);
  const differences: string[] = [];
  for (const { from, into } of tables) {
    const expected = await addUpTable(source, from, precision, advance);
    differences.push(...compareChecksums(from.name, expected, await addUpTable(target, into, precision, advance)));
  }
  if (differences.length > 0) {
    throw new StartupError(
      `What arrived in ${targetName} differs from what was sent, so it is not used (${differences.slice(0, 3).join('; ')}). Empty it and run this again.`,
    );
  }
}
