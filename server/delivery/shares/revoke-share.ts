import type { Catalog } from '../../catalog/schema.ts';
import { deleteShare, type ShareRow } from '../../catalog/shares/shares.ts';
import { inRows } from '../../catalog/transactions.ts';
import type { Notices } from '../../messaging/pubsub/pubsub.ts';
import type { ShareFiles } from './share-files.ts';

/** Revokes a link, ends its downloads at all processes, and removes what was made for it. Undefined when there is none. */
export async function revokeShare(
  { db, notices, shareFiles }: { db: Catalog; notices: Notices; shareFiles: ShareFiles },
  workspaceId: string,
  id: string,
): Promise<ShareRow | undefined> {
  const share = await inRows(db, async (transaction) => {
    const deleted = await deleteShare(transaction, workspaceId, id);
    if (deleted) await notices.publish(transaction, 'shares', id);
    return deleted;
  });
  if (share) await shareFiles.remove(share);
  return share;
}
