import { type Selectable, sql } from 'kysely';
import type { Workspace } from '../../contract/workspace.ts';
import type { Catalog, Database } from './schema.ts';

/**
 * Totals of the items of a workspace, read without its items: triggers of the table `media_items` keep them, in the transaction of each change
 * (`migrations/0014-media-totals.ts`).
 */

export type MediaTotals = Selectable<Database['media_totals']>;

/** A row for each status and type that the items of a workspace have or had. */
export function listMediaTotals(db: Catalog, workspaceId: string): Promise<MediaTotals[]> {
  return db.selectFrom('media_totals').selectAll().where('workspace_id', '=', workspaceId).execute();
}

type MediaUsage = Omit<Workspace['usage'], 'searches_per_month' | 'history'>;

/** What the items of a workspace use of its plan, and how many there are. Only complete ones count with their seconds. */
export async function readMediaUsage(db: Catalog, workspaceId: string): Promise<MediaUsage> {
  const usage: MediaUsage = {
    storage_bytes: 0,
    media_items: 0,
    indexed_seconds: 0,
    by_status: { pending: 0, indexing: 0, complete: 0, error: 0 },
    by_type: { video: 0, image: 0 },
    chunks: 0,
  };
  for (const { status, type, items, bytes, microseconds, chunks } of await listMediaTotals(db, workspaceId)) {
    usage.storage_bytes += bytes;
    usage.media_items += items;
    if (status === 'complete') usage.indexed_seconds += microseconds / 1e6;
    usage.by_status[status] += items;
    usage.by_type[type] += items;
    usage.chunks += chunks;
  }
  return usage;
}

/** The totals as their items say. */
const countedTotals = sql`
  select workspace_id, status, type, count(*) as items, sum(size) as bytes,
    sum(cast(round(coalesce(duration, 0) * 1000000) as integer)) as microseconds, sum(chunk_count) as chunks
  from media_items group by workspace_id, status, type`;

/** Workspaces whose totals differ from their items. */
export async function findWrongTotals(db: Catalog): Promise<string[]> {
  const { rows } = await sql<{ workspace_id: string }>`
    with counted as (${countedTotals}),
      stored as (
        select workspace_id, status, type, items, bytes, microseconds, chunks from media_totals
        where items <> 0 or bytes <> 0 or microseconds <> 0 or chunks <> 0
      )
    select workspace_id from (select * from counted except select * from stored)
    union
    select workspace_id from (select * from stored except select * from counted)
    order by workspace_id`.execute(db);
  return rows.map(({ workspace_id }) => workspace_id);
}

/** Counts the items of all workspaces again. */
export function recountTotals(db: Catalog): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('media_totals').execute();
    await sql`insert into media_totals (workspace_id, status, type, items, bytes, microseconds, chunks) ${countedTotals}`.execute(
      transaction,
    );
  });
}
