import type { Catalog } from './schema.ts';

/**
 * Items that were deleted and whose files may still be on disk. Each is noted in the transaction that removes its row, so that a
 * folder without a row is known to be deleted on purpose, also after a crash.
 */
export type PendingRemoval = { workspace_id: string; media_id: string };

export async function listPendingRemovals(db: Catalog): Promise<PendingRemoval[]> {
  return db.selectFrom('pending_removals').select(['workspace_id', 'media_id']).orderBy('created_at').execute();
}

/** Notes that the files of an item are to be removed. Call it in the transaction that removes its row. */
export async function addPendingRemoval(db: Catalog, workspaceId: string, mediaId: string): Promise<void> {
  await db
    .insertInto('pending_removals')
    .values({ workspace_id: workspaceId, media_id: mediaId, created_at: new Date().toISOString() })
    .execute();
}

/** The files of an item are gone from the disk. */
export async function completeRemoval(db: Catalog, { workspace_id, media_id }: PendingRemoval): Promise<void> {
  await db
    .deleteFrom('pending_removals')
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', media_id)
    .execute();
}
