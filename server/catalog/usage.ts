import type { Workspace } from '../../contract/workspace.ts';
import { listMediaTotals, readMediaUsage, toMediaUsage } from './media-totals.ts';
import type { Catalog } from './schema.ts';

/** The current day of the usage statistics, UTC: `2026-11-21`. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** Adds an upload to today's row, and writes the bytes stored now. Call it after the item is stored, in the same transaction. */
export async function recordUpload(db: Catalog, workspaceId: string): Promise<void> {
  await addToDay(db, workspaceId, { uploads: 1 });
}

/** Writes the bytes stored now to today's row. Call it after an item was deleted, in the same transaction. */
export async function refreshStorage(db: Catalog, workspaceId: string): Promise<void> {
  await addToDay(db, workspaceId, { uploads: 0 });
}

async function addToDay(db: Catalog, workspaceId: string, { uploads }: { uploads: number }): Promise<void> {
  const { storage_bytes } = await readMediaUsage(db, workspaceId);
  await db
    .insertInto('usage_days')
    .values({ workspace_id: workspaceId, date: today(), uploads, storage_bytes })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'date'])
        .doUpdateSet((e) => ({ uploads: e('usage_days.uploads', '+', uploads), storage_bytes })),
    )
    .execute();
}

/** Adds searches to a day's row. */
export async function addSearches(db: Catalog, workspaceId: string, date: string, searches: number): Promise<void> {
  await db
    .insertInto('usage_days')
    .values({ workspace_id: workspaceId, date, searches })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'date'])
        .doUpdateSet((e) => ({ searches: e('usage_days.searches', '+', searches) })),
    )
    .execute();
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

/** The usage of a workspace now, and per day for the last 90 days. */
export async function readUsage(db: Catalog, workspaceId: string): Promise<Workspace['usage']> {
  const totals = await listMediaTotals(db, workspaceId);
  const history = await db
    .selectFrom('usage_days')
    .where('workspace_id', '=', workspaceId)
    .select(['date', 'uploads', 'searches', 'storage_bytes'])
    .orderBy('date', 'desc')
    .limit(90)
    .execute();
  const usage: Workspace['usage'] = {
    ...toMediaUsage(totals),
    searches_per_month: await readSearchesThisMonth(db, workspaceId),
    by_status: { pending: 0, indexing: 0, complete: 0, error: 0 },
    by_type: { video: 0, image: 0 },
    chunks: 0,
    history: history.toReversed(),
  };
  for (const { status, type, items, chunks } of totals) {
    usage.by_status[status] += items;
    usage.by_type[type] += items;
    usage.chunks += chunks;
  }
  return usage;
}
