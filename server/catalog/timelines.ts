import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { dialectOf } from './dialect/dialect.ts';
import type { Catalog } from './schema.ts';
import { inService } from './transactions.ts';

/**
 * A position in the history of a catalog: everything that was stored up to a vector, or up to a change of an item. Numbers alone do not identify it: after an older copy of
 * the catalog was restored they are reused for other rows. So each start begins a timeline with a random identifier, as each
 * recovery does in PostgreSQL, and a position is on a timeline.
 */
export type CatalogPosition = {
  timeline: string;
  /** Of a row of `chunk_vectors`. */
  sequence: number;
};

/** A position that also tells copies apart that differ only by deletions, labels or names. */
export type ChangePosition = {
  timeline: string;
  /** The sequence of a row of `item_changes`, in any workspace. */
  change: number;
};

type NumberedTable = 'chunk_vectors' | 'item_changes';

const lastSequences: Record<'sqlite' | 'postgres', Record<NumberedTable, RawBuilder<unknown>>> = {
  sqlite: {
    chunk_vectors: sql`select seq as last from sqlite_sequence where name = 'chunk_vectors'`,
    item_changes: sql`select seq as last from sqlite_sequence where name = 'item_changes'`,
  },
  postgres: {
    chunk_vectors: sql`select pg_sequence_last_value('chunk_vectors_sequence_seq') as last`,
    // Each workspace counts its own.
    item_changes: sql`select max(last) as last from workspace_changes`,
  },
};

/** The last sequence that was ever assigned in a table, deleted rows included. */
async function readLastSequence(db: Catalog, table: NumberedTable): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`${lastSequences[dialectOf(db).name][table]}`.execute(db);
  return rows[0]?.last ?? 0;
}

/**
 * Begins a timeline: everything that is stored from now on is on it. Call it before anything is stored where the catalog may be a copy:
 * at each start, and before a copy is changed. Once too often does no harm.
 */
export function beginTimeline(db: Catalog): Promise<void> {
  return inService(db, async (transaction) => {
    const first_sequence = (await readLastSequence(transaction, 'chunk_vectors')) + 1;
    const first_change = (await readLastSequence(transaction, 'item_changes')) + 1;
    await transaction.insertInto('timelines').values({ id: randomUUID(), first_sequence, first_change }).execute();
  });
}

/** The identifier of the current timeline. */
export async function readTimeline(db: Catalog): Promise<string> {
  const { id } = await db
    .selectFrom('timelines')
    .select('id')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
}

/** The current end of the history. */
export async function readPosition(db: Catalog): Promise<CatalogPosition> {
  return { timeline: await readTimeline(db), sequence: await readLastSequence(db, 'chunk_vectors') };
}

/**
 * Whether a position is in the history of this catalog. If not, data derived there holds rows that this catalog never had
 * under those numbers. Of a position by vectors it says nothing about deletions since then; by changes, deletions count like all others.
 */
export async function isInHistory(db: Catalog, position: CatalogPosition | ChangePosition): Promise<boolean> {
  const timeline = await db.selectFrom('timelines').selectAll().where('id', '=', position.timeline).executeTakeFirst();
  if (!timeline) return false;
  const next = await db
    .selectFrom('timelines')
    .select(['first_sequence', 'first_change'])
    .where('number', '>', timeline.number)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  if ('change' in position) {
    return position.change <= (next ? next.first_change - 1 : await readLastSequence(db, 'item_changes'));
  }
  return position.sequence <= (next ? next.first_sequence - 1 : await readLastSequence(db, 'chunk_vectors'));
}
