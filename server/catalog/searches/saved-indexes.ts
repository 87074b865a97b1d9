import { sql } from 'kysely';
import { isFree, isHeld, leaseEnd, leaseLength, leaseTo, noLease } from '../queue/leases.ts';
import type { Catalog } from '../schema.ts';

/** The index of a workspace under an embedder. */
export type SavedIndexKey = { workspaceId: string; embedderId: string };

const named = ({ workspaceId, embedderId }: SavedIndexKey) => ({ workspace_id: workspaceId, embedder_id: embedderId });

/** How long the index of a workspace waits for another process when its owner was killed, seconds. */
export const indexLeaseSeconds = leaseLength('saved_indexes');

/**
 * Makes a process the one that builds and saves an index, or lets it be that for longer.
 * @param owner random for each process
 * @returns false while another process is it
 */
export async function holdIndex(db: Catalog, key: SavedIndexKey, owner: string): Promise<boolean> {
  const lease = leaseTo(db, 'saved_indexes', owner);
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('saved_indexes')
    .values({ ...named(key), ...lease })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'embedder_id'])
        .doUpdateSet(lease)
        .where(sql<boolean>`(${isFree(db, 'saved_indexes')} or saved_indexes.lease_owner = ${owner})`),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Lets a process hold all that it holds for longer. What it has lost by now stays lost. */
export async function renewIndexes(db: Catalog, owner: string): Promise<void> {
  await db
    .updateTable('saved_indexes')
    .set({ lease_until: leaseEnd(db, 'saved_indexes') })
    .where('lease_owner', '=', owner)
    .where(isHeld(db, 'saved_indexes'))
    .execute();
}

/** Lets another process hold an index. */
export async function releaseIndex(db: Catalog, key: SavedIndexKey, owner: string): Promise<void> {
  await db
    .updateTable('saved_indexes')
    .set(noLease)
    .where('workspace_id', '=', key.workspaceId)
    .where('embedder_id', '=', key.embedderId)
    .where('lease_owner', '=', owner)
    .execute();
}

/** The name of the newest file of an index; null: there is none. */
export async function readSavedFile(db: Catalog, key: SavedIndexKey): Promise<string | null> {
  const row = await db
    .selectFrom('saved_indexes')
    .select('file')
    .where('workspace_id', '=', key.workspaceId)
    .where('embedder_id', '=', key.embedderId)
    .executeTakeFirst();
  return row?.file ?? null;
}

/** Notes the newest file of an index, or that there is none. @returns false where another process holds the index by now */
export async function noteSavedFile(
  db: Catalog,
  key: SavedIndexKey,
  owner: string,
  file: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('saved_indexes')
    .set({ file })
    .where('workspace_id', '=', key.workspaceId)
    .where('embedder_id', '=', key.embedderId)
    .where('lease_owner', '=', owner)
    .where(isHeld(db, 'saved_indexes'))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
