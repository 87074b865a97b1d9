import { sql } from 'kysely';
import type { Event, EventData } from '../../../contract/events.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

/**
 * The log of events. What happens to items is written by triggers (`../baseline/events.ts`), in the transaction of the change; what else
 * happens, by `recordEvent`. It is numbered in the order of the commits of a workspace: who has read up to a number has missed nothing before it, and who then reads
 * the catalog finds it no older. Events of progress leave it when their item is settled, all others after seven days.
 */

/** How long the log keeps an event, milliseconds. */
const keptMs = 7 * 24 * 60 * 60_000;

/** A stored event. */
export type LoggedEvent = Event & { /** Its place in the log of its workspace. */ number: number };

/** The events that no trigger writes. */
type RecordedType =
  | 'search.saved_match'
  | 'media.reviewed'
  | `comment.${'created' | 'updated' | 'deleted'}`
  | `source.${'scanned' | 'offline' | 'online'}`;

/**
 * Records an event that is about more than an item, or about a source.
 * @param transaction of the change that it tells of
 */
export async function recordEvent<Type extends RecordedType>(
  transaction: Catalog,
  workspaceId: string,
  type: Type,
  data: EventData[Type],
): Promise<void> {
  const mediaId = 'media' in data ? data.media.id : null;
  await transaction
    .insertInto('events')
    .values({ workspace_id: workspaceId, type, media_id: mediaId, data: JSON.stringify(data) })
    .execute();
}

/** The number of the last event of a workspace; 0 without any. */
export async function readLastEventNumber(db: Catalog, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(number) as last from events where workspace_id = ${workspaceId}
  `.execute(db);
  return rows[0]?.last ?? 0;
}

/** The identifier of the last event up to a number from which the log can be read on later: progress leaves it. Null: there is none. */
export async function readLastKeptId(db: Catalog, workspaceId: string, number: number): Promise<string | null> {
  const last = await ofWorkspace(db, workspaceId)
    .select('id')
    .where('number', '<=', number)
    .where('type', '<>', 'media.progress')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.id ?? null;
}

/** The number of an event; undefined when the log does not have it, or no longer. */
export async function findEventNumber(db: Catalog, workspaceId: string, id: string): Promise<number | undefined> {
  return (await ofWorkspace(db, workspaceId).select('number').where('id', '=', id).executeTakeFirst())?.number;
}

/**
 * The events of a workspace after a number, in their order.
 * @param limit of how many of the log are read at most
 */
export async function listEventsAfter(
  db: Catalog,
  workspaceId: string,
  number: number,
  limit: number,
): Promise<LoggedEvent[]> {
  const rows = await ofWorkspace(db, workspaceId)
    .selectAll()
    .where('number', '>', number)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(({ number: place, id, type, created_at: timestamp, data }) => {
    return { number: place, id, type, timestamp, data: JSON.parse(data) as unknown } as LoggedEvent;
  });
}

/** The number of the last event of all workspaces that was ever recorded, where they are numbered together: in SQLite. */
export const readLastOfAll = async (db: Catalog): Promise<number> =>
  (await dialectOf(db).lastSequence(db, 'events')) ?? 0;

/** The workspaces that have events after a number of all workspaces. */
export async function listWorkspacesAfter(db: Catalog, number: number): Promise<string[]> {
  const rows = await db.selectFrom('events').select('workspace_id').distinct().where('number', '>', number).execute();
  return rows.map(({ workspace_id }) => workspace_id);
}

const ofWorkspace = (db: Catalog, workspaceId: string) =>
  db.selectFrom('events').where('workspace_id', '=', workspaceId);

/** How many events are deleted by one statement. */
const batchSize = 1000;

/** Deletes what was recorded more than seven days ago, and whatever is before it in the log, so that the rest has no gaps. */
export async function deleteOldEvents(db: Catalog, signal: AbortSignal): Promise<void> {
  const until = new Date(Date.now() - keptMs).toISOString();
  while (!signal.aborted) {
    const old = await db
      .selectFrom('events')
      .select(['workspace_id', 'number'])
      .where('created_at', '<', until)
      .orderBy('created_at')
      .limit(batchSize)
      .execute();
    if (old.length === 0) return;
    for (const [workspaceId, events] of Map.groupBy(old, ({ workspace_id }) => workspace_id)) {
      const last = Math.max(...events.map(({ number }) => number));
      await inWorkspace(db, workspaceId, (transaction) =>
        transaction.deleteFrom('events').where('workspace_id', '=', workspaceId).where('number', '<=', last).execute(),
      );
    }
  }
}
