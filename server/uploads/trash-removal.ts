import { setImmediate as nextTurn } from 'node:timers/promises';
import { deleteMedia } from '../catalog/media/media-items.ts';
import { expiryLimit, listExpiredItems, listTrashedItems, type TrashedItem } from '../catalog/media/trash.ts';
import type { Catalog } from '../catalog/schema.ts';

type Parts = {
  db: Catalog;
  /** Removes the files of an item that was just deleted. Never throws. */
  removeFiles: (workspaceId: string, mediaId: string) => Promise<void>;
};

/** Items read at once. */
const batchSize = 100;

/**
 * Deletes for good what is in the trash of a workspace now; what comes into it meanwhile stays. Throws the signal's reason when it aborts;
 * what is deleted by then stays so.
 * @returns how many items, and the bytes of their originals
 */
export function emptyTrash(parts: Parts, workspaceId: string, signal: AbortSignal) {
  const now = new Date().toISOString();
  return deleteItems(parts, now, () => listTrashedItems(parts.db, workspaceId, now, batchSize), signal);
}

/**
 * Deletes the items of all workspaces whose 30 days in the trash are over. An older copy of a catalog does not know which of them were restored
 * since: it has to be in use for as long first.
 * @param knownSince since when the catalog has had no gap, RFC 3339
 * @returns how many, and the bytes of their originals
 */
export async function removeExpired(parts: Parts, knownSince: string, signal: AbortSignal) {
  const limit = expiryLimit();
  if (knownSince > limit) return { deleted: 0, storage_bytes: 0 };
  return deleteItems(parts, limit, () => listExpiredItems(parts.db, limit, batchSize), signal);
}

/** Deletes items that have been in the trash since `until` or longer. */
async function deleteItems(
  { db, removeFiles }: Parts,
  until: string,
  next: () => Promise<TrashedItem[]>,
  signal: AbortSignal,
) {
  const done = { deleted: 0, storage_bytes: 0 };
  for (let items = await next(); items.length > 0; items = await next()) {
    for (const { workspace_id, id, size } of items) {
      signal.throwIfAborted();
      // Another request may have emptied the trash meanwhile, or restored the item, which then stays.
      if (!(await deleteMedia(db, workspace_id, id, until))) continue;
      await removeFiles(workspace_id, id);
      done.deleted += 1;
      done.storage_bytes += size;
      // Each deletion is a synchronous transaction: requests have their turn between two.
      await nextTurn();
    }
  }
  return done;
}
