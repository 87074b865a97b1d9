import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Catalog } from './schema.ts';

/**
 * A position in the history of a catalog: everything that was stored up to a vector. Numbers alone do not identify it: after an older copy of
 * the catalog was restored they are reused for other rows. So each start begins a timeline with a random identifier, as each
 * recovery does in PostgreSQL, and a position is on a timeline.
 */
export type CatalogPosition = {
  timeline: string;
  /** Of a row of `chunk_vectors`. */
  sequence: number;
};

/** The last sequence that was ever assigned to a vector, deleted ones included. */
async function readLastSequence(db: Catalog): Promise<number> {
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = 'chunk_vectors'`.execute(db);
  return rows[0]?.seq ?? 0;
}

/** Begins a timeline: everything that is stored from now on is on it. Call it at each start, before anything is stored. */
export function beginTimeline(db: Catalog): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const first_sequence = (await readLastSequence(transaction)) + 1;
    await transaction.insertInto('timelines').values({ id: randomUUID(), first_sequence }).execute();
  });
}

/** The current end of the history. */
export async function readPosition(db: Catalog): Promise<CatalogPosition> {
  const current = await db
    .selectFrom('timelines')
    .select('id')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return { timeline: current.id, sequence: await readLastSequence(db) };
}

/**
 * Whether a position is in the history of this catalog. If not, data derived there holds rows that this catalog never had
 * under those numbers. It says nothing about deletions since then.
 */
export async function isInHistory(db: Catalog, position: CatalogPosition): Promise<boolean> {
  const timeline = await db.selectFrom('timelines').selectAll().where('id', '=', position.timeline).executeTakeFirst();
  if (!timeline) return false;
  const next = await db
    .selectFrom('timelines')
    .select('first_sequence')
    .where('number', '>', timeline.number)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  const last = next ? next.first_sequence - 1 : await readLastSequence(db);
  return position.sequence <= last;
}
