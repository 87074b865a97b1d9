import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { AssetOwner, AssetStore } from '../assets/asset-store.ts';
import type { LostAndFound, LostItem } from '../assets/lost-and-found.ts';
import { findStoredMedia, listFailedMedia } from '../catalog/media/media-items.ts';
import {
  addRemovalOfUnlisted,
  completeRemoval,
  findPendingRemoval,
  listPendingRemovals,
  type PendingRemoval,
} from '../catalog/media/pending-removals.ts';
import type { Catalog } from '../catalog/schema.ts';

/** How long the deletion of an item waits for its files. */
const maxWaitMs = 2000;
/** Delay until files that could not be removed are tried again. */
const retryIntervalMs = 60_000;
/**
 * In a bucket, a worker that lost its lease, or an upload that is slow, can store a file after the others were removed. So all are removed once
 * more after this, which is longer than a transfer with its retries and a lease.
 */
const lateWriteMs = 15 * 60_000;

/** Whether no process can store more of an item. */
const isSettled = ({ isLocal }: AssetStore, { created_at }: PendingRemoval): boolean =>
  isLocal || Date.now() - Date.parse(created_at) > lateWriteMs;

export type MediaRemoval = ReturnType<typeof createMediaRemoval>;

/**
 * Removes for good what was just stored as the original of an item and became none: it was refused, or the same bytes were there already. An item
 * that the catalog lists keeps its files.
 */
export async function takeBack({ db, assets }: { db: Catalog; assets: AssetStore }, owner: AssetOwner): Promise<void> {
  const removal = await addRemovalOfUnlisted(db, owner.workspace_id, owner.id);
  if (!removal) return;
  await assets.remove(removal);
  // In a bucket it is removed once more when no process can be storing any of it.
  if (assets.isLocal) await completeRemoval(db, removal);
}

/**
 * Removes a lost item that was restored as another one, or whose time is over. One that the catalog lists again keeps its original.
 * @returns whether it is gone
 */
export async function removeLostItem(
  { db, assets, lostAndFound }: { db: Catalog; assets: AssetStore; lostAndFound: LostAndFound },
  lost: LostItem,
): Promise<boolean> {
  const removal = await addRemovalOfUnlisted(db, lost.workspace_id, lost.id);
  if (!removal && (await lostAndFound.restoreInPlace(lost))) return false;
  await lostAndFound.remove(lost, removal);
  if (removal && assets.isLocal) await completeRemoval(db, removal);
  return true;
}

/**
 * Removes the renditions of failed attempts whose worker crashed before it could remove them.
 * Single process: to be called before any worker starts, because it removes the renditions of all attempts. With a second process only
 * those of attempts without a live lease may go.
 */
export async function removeFailedRenditions({
  db,
  assets,
  log,
}: {
  db: Catalog;
  assets: AssetStore;
  log: Pick<FastifyBaseLogger, 'warn'>;
}): Promise<void> {
  for (const item of await listFailedMedia(db)) {
    await assets.removeRenditions(item, { upTo: Infinity }).catch((error: unknown) => {
      log.warn({ media: item.id, err: error }, 'renditions of a failed attempt are still there');
    });
  }
}

/** Runs something again after a while, once however often that is asked for, until it is stopped. */
function createRetry(run: () => Promise<void>, log: Pick<FastifyBaseLogger, 'error'>) {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  function retryLater(): void {
    if (stopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      run().catch((error: unknown) => {
        log.error({ err: error }, 'files of deleted items were not removed');
        retryLater();
      });
    }, retryIntervalMs);
    timer.unref();
  }
  const stop = (): void => {
    stopped = true;
    clearTimeout(timer);
  };
  return { retryLater, stop };
}

/**
 * Removes the files of items that the catalog does not list. For good go those that `pending_removals` names, and no others: that files have no
 * row in `media_items` is no reason, as the catalog may be what is wrong. Other originals go to lost+found.
 */
export function createMediaRemoval(parts: {
  db: Catalog;
  assets: AssetStore;
  lostAndFound: LostAndFound;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
}) {
  const { db, assets, lostAndFound, log } = parts;
  const { retryLater, stop } = createRetry(() => removePending(), log);
  /** Those whose files were removed, and may have got some more since. */
  const removedOnce = new Set<string>();

  async function remove(removal: PendingRemoval): Promise<void> {
    const { id } = removal;
    const isLast = isSettled(assets, removal);
    try {
      await assets.remove(removal);
      removedOnce.add(id);
      if (!isLast) return retryLater();
      await completeRemoval(db, removal);
      removedOnce.delete(id);
    } catch (error) {
      log.warn({ media: id, err: error }, 'files of a deleted item are still there');
      retryLater();
    }
  }

  /** Removes what an earlier run left; what cannot be removed now is tried again later. */
  async function removePending(): Promise<void> {
    for (const removal of await listPendingRemovals(db)) {
      if (!removedOnce.has(removal.id) || isSettled(assets, removal)) await remove(removal);
      else retryLater();
    }
  }

  /**
   * Removes the files of an item that the catalog does not list, unless it is listed after all. Its original goes for good only where a
   * transaction says so; else to lost+found, with a line in the log.
   * @param reason why it is there, as a sentence
   */
  async function removeUnlisted({ workspace_id, id }: AssetOwner, reason: string): Promise<void> {
    if (await findStoredMedia(db, workspace_id, id)) return;
    const removal = await findPendingRemoval(db, workspace_id, id);
    if (removal) return remove(removal);
    const lost = await lostAndFound.quarantine({ workspace_id, id }, reason);
    const about = { workspace: workspace_id, item: id, filename: lost?.filename, reason };
    if (lost) log.warn(about, 'an original that the catalog does not list is in lost+found');
  }

  async function removeDeleted(workspaceId: string, mediaId: string): Promise<void> {
    const removal = await findPendingRemoval(db, workspaceId, mediaId);
    if (removal) await remove(removal);
  }

  return {
    removeUnlisted,
    /**
     * Removes the files of an item that was just deleted. Never throws: what fails is tried again later, and at each start. Resolves after two
     * seconds where the store takes longer: for the client, the item is gone already.
     */
    remove: async (workspaceId: string, mediaId: string): Promise<void> => {
      const removed = removeDeleted(workspaceId, mediaId).catch((error: unknown) => {
        log.warn({ media: mediaId, err: error }, 'files of a deleted item are still there');
        retryLater();
      });
      await Promise.race([removed, delay(maxWaitMs, undefined, { ref: false })]);
    },
    removePending,
    stop,
  };
}
