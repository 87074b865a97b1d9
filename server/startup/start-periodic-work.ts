import type { FastifyBaseLogger } from 'fastify';
import { startScrub } from '../integrity/original-scrub.ts';
import { runHourly } from '../periodic.ts';
import { removeExpiredShares } from '../shares/share-expiry.ts';
import type { ShareFiles } from '../shares/share-files.ts';
import { removeExpired } from '../trash-removal.ts';
import type { Storage } from './open-storage.ts';

/**
 * Starts what has to be done again and again: reading originals, emptying the trash, removing expired links.
 * @param stack stops it
 */
export function startPeriodicWork(
  { storage, shareFiles, log }: { storage: Storage; shareFiles: ShareFiles; log: FastifyBaseLogger },
  stack: AsyncDisposableStack,
): void {
  const { db, assets, removal } = storage;
  const scrub = startScrub({ db, assets, log });
  stack.defer(() => scrub.stop());
  const trash = { db, removeFiles: removal.remove };
  const trashExpiry = runHourly(async (signal) => void (await removeExpired(trash, signal)), 'emptying trash', log);
  stack.defer(() => trashExpiry.stop());
  const shareExpiry = runHourly(() => removeExpiredShares(db, shareFiles), 'removing expired links', log);
  stack.defer(() => shareExpiry.stop());
}
