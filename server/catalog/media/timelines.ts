import { randomUUID } from 'node:crypto';
import type { ChangePosition } from '@media-search/search-engine/builder/index-source';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { readSetting, writeSetting } from '../service-settings.ts';
import { inService } from '../transactions.ts';

/**
 * A position in the history of a catalog: everything that was stored up to a vector, or up to a change of an item. Numbers alone do not identify it: after an older copy of
 * the catalog was restored they are reused for other rows. So each start of a file begins a timeline with a random identifier, as each
 * recovery does in PostgreSQL, where a timeline begins when the database is another or was recovered; and a position is on a timeline.
 */
export type CatalogPosition = {
  timeline: string;
  /** Of a row of `chunk_vectors`. */
  sequence: number;
};

/** When the current timeline began because the database is another, RFC 3339. Where nothing tells a database from its copies it is not written. */
export const historySetting = 'history_known_since';

/** Where the identity of the database is noted that the current timeline was begun on. */
export const identitySetting = 'database_identity';

/**
 * Begins a timeline where the catalog may be a copy: everything that is stored from now on is on it. Call it before anything is stored: at each
 * start, and before a copy is changed. Once too often does no harm.
 * @param isCopy the catalog was just copied from another
 */
export async function beginTimeline(db: Catalog, { isCopy = false } = {}): Promise<void> {
  const identity = await dialectOf(db).identity(db);
  // Without a lock: other processes may be at work, and hold it.
  if (identity !== null && !isCopy && (await readSetting(db, identitySetting)) === identity) return;
  await inService(db, async (transaction) => {
    if (identity !== null) {
      await writeSetting(transaction, identitySetting, identity);
      await writeSetting(transaction, historySetting, new Date().toISOString());
    }
    const { lastSequence } = dialectOf(transaction);
    const first = async (table: 'chunk_vectors' | 'item_changes') => {
      const last = await lastSequence(transaction, table);
      return last === null ? 0 : last + 1;
    };
    const timeline = { first_sequence: await first('chunk_vectors'), first_change: await first('item_changes') };
    await transaction
      .insertInto('timelines')
      .values({ id: randomUUID(), ...timeline })
      .execute();
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
  const sequence = (await dialectOf(db).lastSequence(db, 'chunk_vectors')) ?? 0;
  return { timeline: await readTimeline(db), sequence };
}

/** The current end of the history, by changes, of a catalog in a file. */
export async function readChangePosition(db: Catalog): Promise<ChangePosition> {
  const change = (await dialectOf(db).lastSequence(db, 'item_changes')) ?? 0;
  return { timeline: await readTimeline(db), change };
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
  const last = (table: 'chunk_vectors' | 'item_changes') => dialectOf(db).lastSequence(db, table);
  if ('change' in position) {
    return position.change <= (next ? next.first_change - 1 : ((await last('item_changes')) ?? Infinity));
  }
  return position.sequence <= (next ? next.first_sequence - 1 : ((await last('chunk_vectors')) ?? Infinity));
}
