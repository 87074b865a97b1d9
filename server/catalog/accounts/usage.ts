import { readMediaUsage } from '../media/media-totals.ts';
import type { Catalog } from '../schema.ts';

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
