import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Catalog, Database } from '../schema.ts';
import { inService } from '../transactions.ts';

/**
 * Totals of the items of a workspace, read without its items: triggers of the table `media_items` keep them, in the transaction of each change
 * (`../baseline/sqlite-triggers.ts`, `../baseline/postgres-triggers.ts`). Items in the trash are in both.
 */

export type MediaTotals = Selectable<Database['media_totals']>;

/** A row for each status and type that the items of a workspace have or had. */
export function listMediaTotals(db: Catalog, workspaceId: string): Promise<MediaTotals[]> {
  return db.selectFrom('media_totals').selectAll().where('workspace_id', '=', workspaceId).execute();
}

/** The same of the items in the trash. */
const listTrashTotals = (db: Catalog, workspaceId: string): Promise<MediaTotals[]> =>
  db.selectFrom('trash_totals').selectAll().where('workspace_id', '=', workspaceId).execute();

type MediaUsage = Omit<Workspace['usage'], 'searches_per_month' | 'history' | 'open_uploads'>;

/**
 * What the items of a workspace use of its plan, and how many there are. Only complete ones count with their seconds. Those in the trash
 * count for the plan, and not among statuses, types and chunks.
 */
export async function readMediaUsage(db: Catalog, workspaceId: string): Promise<MediaUsage> {
  const usage: MediaUsage = {
    storage_bytes: 0,
    media_items: 0,
    indexed_seconds: 0,
    by_status: { pending: 0, indexing: 0, complete: 0, error: 0 },
    by_type: { video: 0, image: 0, audio: 0 },
    chunks: 0,
    trash: { media_items: 0, storage_bytes: 0 },
  };
  for (const { status, type, items, bytes, microseconds, chunks } of await listMediaTotals(db, workspaceId)) {
    usage.storage_bytes += bytes;
    usage.media_items += items;
    if (status === 'complete') usage.indexed_seconds += microseconds / 1e6;
    usage.by_status[status] += items;
    usage.by_type[type] += items;
    usage.chunks += chunks;
  }
  for (const { status, type, items, bytes, chunks } of await listTrashTotals(db, workspaceId)) {
    usage.trash.media_items += items;
    usage.trash.storage_bytes += bytes;
    usage.by_status[status] -= items;
    usage.by_type[type] -= items;
    usage.chunks -= chunks;
  }
  return usage;
}

/** The totals as their items say. */
const countedTotals = (condition = sql`true`) => sql`
  select workspace_id, status, type, count(*) as items, sum(case when source_id is null then size else 0 end) as bytes,
    sum(cast(round(coalesce(duration, 0) * 1000000) as bigint)) as microseconds, sum(chunk_count) as chunks
  from media_items where ${condition} group by workspace_id, status, type`;

const countedTrash = countedTotals(sql`trashed_at is not null`);

/** Workspaces whose totals differ from their items. */
export async function findWrongTotals(db: Catalog): Promise<string[]> {
  const wrong = [
    ...(await findDifferences(db, 'media_totals', countedTotals())),
    ...(await findDifferences(db, 'trash_totals', countedTrash)),
  ];
  return [...new Set(wrong)].toSorted();
}

async function findDifferences(db: Catalog, table: 'media_totals' | 'trash_totals', counted: RawBuilder<unknown>) {
  const { rows } = await sql<{ workspace_id: string }>`
    with counted as (${counted}),
      stored as (
        select workspace_id, status, type, items, bytes, microseconds, chunks from ${sql.table(table)}
        where items <> 0 or bytes <> 0 or microseconds <> 0 or chunks <> 0
      )
    select workspace_id from (select * from counted except select * from stored) as missing
    union
    select workspace_id from (select * from stored except select * from counted) as surplus`.execute(db);
  return rows.map(({ workspace_id }) => workspace_id);
}

/** Counts the items of all workspaces again. */
export function recountTotals(db: Catalog): Promise<void> {
  return inService(db, async (transaction) => {
    await transaction.deleteFrom('media_totals').execute();
    await sql`insert into media_totals (workspace_id, status, type, items, bytes, microseconds, chunks) ${countedTotals()}`.execute(
      transaction,
    );
    // What was derived before has to be seen as outdated, so the moves are counted on.
    await sql`update trash_totals set items = 0, bytes = 0, microseconds = 0, chunks = 0, moves = moves + 1`.execute(
      transaction,
    );
    await sql`insert into trash_totals (workspace_id, status, type, items, bytes, microseconds, chunks, moves)
      select counted.*, 1 from (${countedTrash}) counted where true
      on conflict (workspace_id, status, type) do update set items = excluded.items, bytes = excluded.bytes,
        microseconds = excluded.microseconds, chunks = excluded.chunks`.execute(transaction);
  });
}
