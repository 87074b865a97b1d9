import type { Catalog } from './schema.ts';

/**
 * Deleted items whose files may still be on disk. Each is stored in the transaction that deletes its row, so that a
 * folder without a row is known to be deleted on purpose, also after a crash.
 */
export type PendingRemoval = {
  workspace_id: string;
  media_id: string;
  /** When the item was deleted: RFC 3339, UTC. */
  created_at: string;
};

export async function listPendingRemovals(db: Catalog): Promise<PendingRemoval[]> {
  return db
    .selectFrom('pending_removals')
    .select(['workspace_id', 'media_id', 'created_at'])
    .orderBy('created_at')
    .execute();
}

/** Adds a pending removal of the files of an item. Call it in the transaction that deletes its row. */
export async function addPendingRemoval(db: Catalog, workspaceId: string, mediaId: string): Promise<void> {
  await db
    .insertInto('pending_removals')
    .values({ workspace_id: workspaceId, media_id: mediaId, created_at: new Date().toISOString() })
    .execute();
}

/** Deletes a pending removal: the files of the item are removed from the disk. */
export async function completeRemoval(db: Catalog, { workspace_id, media_id }: PendingRemoval): Promise<void> {
  await db
    .deleteFrom('pending_removals')
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', media_id)
    .execute();
}
