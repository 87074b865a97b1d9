import type { Workspace } from '../../contract/workspace.ts';
import type { Catalog } from './schema.ts';

/** The current day of the usage statistics, UTC: `2026-11-21`. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** Adds an upload to today's row. Call it after the item is stored, in the same transaction. */
export async function recordUpload(db: Catalog, workspaceId: string): Promise<void> {
  await addToDay(db, workspaceId, today(), { uploads: 1, searches: 0 });
  await refreshStorage(db, workspaceId);
}

/** Adds searches to a day's row. */
export async function addSearches(db: Catalog, workspaceId: string, date: string, searches: number): Promise<void> {
  await addToDay(db, workspaceId, date, { uploads: 0, searches });
}

/** Searches since the first of this month (UTC). */
export async function readSearchesThisMonth(db: Catalog, workspaceId: string): Promise<number> {
  const { searches } = await db
    .selectFrom('usage_days')
    .where('workspace_id', '=', workspaceId)
    .where('date', '>=', `${today().slice(0, 7)}-01`)
    .select((e) => e.fn.coalesce(e.fn.sum<number>('searches'), e.lit(0)).as('searches'))
    .executeTakeFirstOrThrow();
  return searches;
}

/** Writes the bytes stored now to today's row. Call it after items were added or deleted, in the same transaction. */
export async function refreshStorage(db: Catalog, workspaceId: string): Promise<void> {
  await addToDay(db, workspaceId, today(), { uploads: 0, searches: 0 });
  await db
    .updateTable('usage_days')
    .set((e) => ({
      storage_bytes: e
        .selectFrom('media_items')
        .where('media_items.workspace_id', '=', workspaceId)
        .select((f) => f.fn.coalesce(f.fn.sum<number>('size'), f.lit(0)).as('bytes')),
    }))
    .where('workspace_id', '=', workspaceId)
    .where('date', '=', today())
    .execute();
}

async function addToDay(
  db: Catalog,
  workspaceId: string,
  date: string,
  counts: { uploads: number; searches: number },
): Promise<void> {
  await db
    .insertInto('usage_days')
    .values({ workspace_id: workspaceId, date, ...counts })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'date']).doUpdateSet((e) => ({
        uploads: e('usage_days.uploads', '+', counts.uploads),
        searches: e('usage_days.searches', '+', counts.searches),
      })),
    )
    .execute();
}

/** The usage of a workspace now, and per day for the last 90 days. */
export async function readUsage(db: Catalog, workspaceId: string): Promise<Workspace['usage']> {
  const groups = await db
    .selectFrom('media_items')
    .where('workspace_id', '=', workspaceId)
    .groupBy(['status', 'type'])
    .select((e) => [
      'status',
      'type',
      e.fn.countAll<number>().as('items'),
      e.fn.coalesce(e.fn.sum<number>('size'), e.lit(0)).as('bytes'),
      e.fn.coalesce(e.fn.sum<number>('duration'), e.lit(0)).as('seconds'),
      e.fn.coalesce(e.fn.sum<number>('chunk_count'), e.lit(0)).as('chunks'),
    ])
    .execute();
  const history = await db
    .selectFrom('usage_days')
    .where('workspace_id', '=', workspaceId)
    .select(['date', 'uploads', 'searches', 'storage_bytes'])
    .orderBy('date', 'desc')
    .limit(90)
    .execute();
  const usage: Workspace['usage'] = {
    storage_bytes: 0,
    media_items: 0,
    indexed_seconds: 0,
    searches_per_month: await readSearchesThisMonth(db, workspaceId),
    by_status: { pending: 0, indexing: 0, complete: 0, error: 0 },
    by_type: { video: 0, image: 0 },
    chunks: 0,
    history: history.toReversed(),
  };
  for (const group of groups) {
    usage.storage_bytes += group.bytes;
    usage.media_items += group.items;
    if (group.status === 'complete') usage.indexed_seconds += group.seconds;
    usage.by_status[group.status] += group.items;
    usage.by_type[group.type] += group.items;
    usage.chunks += group.chunks;
  }
  return usage;
}
