import type { ServerResponse } from 'node:http';
import type { Catalog } from '../../catalog/schema.ts';
import { listSharedIds } from '../../catalog/shares/shared-items.ts';
import { deleteShare, findStoredShare, listExpiredShares, type ShareRow } from '../../catalog/shares/shares.ts';
import { inRows } from '../../catalog/transactions.ts';
import type { PubSub } from '../../messaging/pubsub/pubsub.ts';
import type { ShareFiles } from './share-files.ts';

export type ShareDownloads = ReturnType<typeof createShareDownloads>;

/**
 * Responses that send the file of a public link, so that a link that is revoked gives nothing more, whichever process revoked it. Where notices may
 * have been missed all end: clients ask for the rest again, which is refused where the link is gone.
 */
export function createShareDownloads(pubsub: Pick<PubSub, 'subscribe' | 'onGap'>) {
  const running = new Map<string, Set<ServerResponse>>();
  const end = (shareId: string): void => {
    for (const response of running.get(shareId) ?? []) response.destroy();
  };
  pubsub.subscribe('shares', end);
  pubsub.onGap(() => {
    for (const shareId of running.keys()) end(shareId);
  });
  return {
    /** Notes a response until it has ended. */
    add(shareId: string, response: ServerResponse): void {
      const responses = running.get(shareId) ?? new Set();
      running.set(shareId, responses.add(response));
      response.once('close', () => {
        responses.delete(response);
        if (responses.size === 0 && running.get(shareId) === responses) running.delete(shareId);
      });
    },
  };
}

/** Deletes the links that have expired, with what was made for them. They are refused from the second on at which they expire. */
export async function removeExpiredShares(db: Catalog, shareFiles: ShareFiles): Promise<void> {
  for (const share of await listExpiredShares(db)) {
    const ids = await listSharedIds(db, share);
    if (await deleteShare(db, share.workspace_id, share.id)) await shareFiles.remove(share, ids);
  }
}

/** Revokes a link, ends its downloads at all processes, and removes what was made for it. Undefined when there is none. */
export async function revokeShare(
  { db, pubsub, shareFiles }: { db: Catalog; pubsub: PubSub; shareFiles: ShareFiles },
  workspaceId: string,
  id: string,
): Promise<ShareRow | undefined> {
  const revoked = await inRows(db, async (transaction) => {
    // Gone with the link, so they are read before.
    const ids = await listIdsOf(transaction, workspaceId, id);
    const deleted = await deleteShare(transaction, workspaceId, id);
    if (deleted) await pubsub.publish(transaction, 'shares', id);
    return deleted && { share: deleted, ids };
  });
  if (revoked) await shareFiles.remove(revoked.share, revoked.ids);
  return revoked?.share;
}

/** The items that a link leads to; none where there is no such link. */
async function listIdsOf(db: Catalog, workspaceId: string, id: string): Promise<string[]> {
  const share = await findStoredShare(db, workspaceId, id);
  return share ? listSharedIds(db, share) : [];
}
