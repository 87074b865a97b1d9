import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { AssetStore } from './assets/asset-store.ts';
import { listFailedMedia } from './catalog/media-items.ts';
import { completeRemoval, listPendingRemovals, type PendingRemoval } from './catalog/pending-removals.ts';
import type { Catalog } from './catalog/schema.ts';

/** Who deletes an item waits for its files for so long. */
const maxWaitMs = 2000;
/** Delay until files that could not be removed are tried again. */
const retryIntervalMs = 60_000;
/**
 * In a bucket, a worker that lost its lease, or an upload that is slow, can store a file after the others were removed. So all are removed once
 * more after this, which is longer than a transfer with its retries and a lease.
 */
const lateWriteMs = 15 * 60_000;

/** Whether nobody can store more of an item any more. */
const isSettled = ({ isLocal }: AssetStore, { created_at }: PendingRemoval): boolean =>
  isLocal || Date.now() - Date.parse(created_at) > lateWriteMs;

export type MediaRemoval = ReturnType<typeof createMediaRemoval>;

/**
 * Removes the files of items whose rows are gone: those that `pending_removals` names, and no others. That files have no row in
 * `media_items` is no reason to remove them.
 */
export function createMediaRemoval(parts: {
  db: Catalog;
  assets: AssetStore;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
}) {
  const { db, assets, log } = parts;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;
  /** Those whose files were removed, and may have got some more since. */
  const removedOnce = new Set<string>();

  async function remove(removal: PendingRemoval): Promise<void> {
    const { workspace_id, media_id } = removal;
    const isLast = isSettled(assets, removal);
    try {
      await assets.remove({ workspace_id, id: media_id });
      removedOnce.add(media_id);
      if (!isLast) return retryLater();
      await completeRemoval(db, removal);
      removedOnce.delete(media_id);
    } catch (error) {
      log.warn({ media: media_id, err: error }, 'files of a deleted item are still there');
      retryLater();
    }
  }

  function retryLater(): void {
    if (stopped || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      removePending().catch((error: unknown) => {
        log.error({ err: error }, 'files of deleted items were not removed');
        retryLater();
      });
    }, retryIntervalMs);
    retry.unref();
  }

  /** Removes what an earlier run left; what cannot be removed now is tried again later. */
  async function removePending(): Promise<void> {
    for (const removal of await listPendingRemovals(db)) {
      if (!removedOnce.has(removal.media_id) || isSettled(assets, removal)) await remove(removal);
      else retryLater();
    }
  }

  /**
   * Removes the renditions of failed attempts whose worker crashed before it could remove them.
   * Single process: to be called before any worker starts, because it removes the renditions of all attempts. With a second process only
   * those of attempts without a live lease may go.
   */
  async function removeFailedRenditions(): Promise<void> {
    for (const item of await listFailedMedia(db)) {
      await assets.removeRenditions(item, { upTo: Infinity }).catch((error: unknown) => {
        log.warn({ media: item.id, err: error }, 'renditions of a failed attempt are still there');
      });
    }
  }

  return {
    removeFailedRenditions,
    /**
     * Removes the files of an item that was just deleted. Never throws: what fails is tried again later, and at each start. Resolves after two
     * seconds where the store takes longer: for whoever asked, the item is gone already.
     */
    remove: async (workspaceId: string, mediaId: string): Promise<void> => {
      const removed = remove({ workspace_id: workspaceId, media_id: mediaId, created_at: new Date().toISOString() });
      await Promise.race([removed, delay(maxWaitMs, undefined, { ref: false })]);
    },
    removePending,
    stop(): void {
      stopped = true;
      clearTimeout(retry);
    },
  };
}
