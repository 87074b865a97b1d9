import type { RemovableItem } from '../../assets/asset-store.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

/**
 * Items whose files are to be removed for good. Each is stored by the transaction that deletes its row, or that says that it never got one, so
 * that a folder without a row is known to belong to no item, also after a crash. Nothing else makes a `RemovableItem`.
 */
export type PendingRemoval = RemovableItem & {
  /** When it was decided: RFC 3339, UTC. */
  created_at: string;
};

/** An item that is listed has its files, whatever else the catalog says. */
const selectRemovals = (db: Catalog) =>
  db
    .selectFrom('pending_removals')
    .select(['workspace_id', 'media_id as id', 'created_at'])
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('media_items')
            .select('media_items.id')
            .whereRef('media_items.workspace_id', '=', 'pending_removals.workspace_id')
            .whereRef('media_items.id', '=', 'pending_removals.media_id'),
        ),
      ),
    );

/** All pending removals, the oldest first. */
export async function listPendingRemovals(db: Catalog): Promise<PendingRemoval[]> {
  return (await selectRemovals(db).orderBy('created_at').execute()) as PendingRemoval[];
}

/** Undefined when no transaction says that the files of an item may go. */
export async function findPendingRemoval(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
): Promise<PendingRemoval | undefined> {
  const ofItem = selectRemovals(db).where('workspace_id', '=', workspaceId).where('media_id', '=', mediaId);
  return (await ofItem.executeTakeFirst()) as PendingRemoval | undefined;
}

/** Adds a pending removal of the files of an item. Call it in the transaction that deletes its row. */
export async function addPendingRemoval(db: Catalog, workspaceId: string, mediaId: string): Promise<void> {
  await db
    .insertInto('pending_removals')
    .values({ workspace_id: workspaceId, media_id: mediaId, created_at: new Date().toISOString() })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'media_id']).doNothing())
    .execute();
}

/**
 * Says that the files of an item may go which the catalog does not list: those of an upload that was refused, or lost ones that have expired.
 * @returns null when it is listed
 */
export function addRemovalOfUnlisted(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
): Promise<PendingRemoval | null> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const listed = transaction.selectFrom('media_items').select('id').where('workspace_id', '=', workspaceId);
    if (await listed.where('id', '=', mediaId).executeTakeFirst()) return null;
    await addPendingRemoval(transaction, workspaceId, mediaId);
    return (await findPendingRemoval(transaction, workspaceId, mediaId)) ?? null;
  });
}

/** Deletes a pending removal: the files of the item are removed. */
export async function completeRemoval(db: Catalog, { workspace_id, id }: PendingRemoval): Promise<void> {
  await db.deleteFrom('pending_removals').where('workspace_id', '=', workspace_id).where('media_id', '=', id).execute();
}
