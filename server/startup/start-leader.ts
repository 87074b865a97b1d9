import type { FastifyBaseLogger } from 'fastify';
import { startScrub } from '../integrity/original-scrub.ts';
import type { Leader } from '../leader/leader.ts';
import { runHourly } from '../periodic.ts';
import { removeExpiredShares } from '../shares/share-expiry.ts';
import type { ShareFiles } from '../shares/share-files.ts';
import { removeExpired } from '../trash-removal.ts';
import type { Storage } from './open-storage.ts';

/** Has the leader do what has to be done again and again: read originals, empty the trash, remove expired links. */
export function startPeriodicWork(
  leader: Leader,
  { storage, shareFiles, log }: { storage: Storage; shareFiles: ShareFiles; log: FastifyBaseLogger },
): void {
  const { db, assets, removal } = storage;
  leader.whileLeading('comparing originals', () => startScrub({ db, assets, log }));
  const trash = { db, removeFiles: removal.remove };
  leader.whileLeading('emptying trash', () =>
    runHourly(async (signal) => void (await removeExpired(trash, signal)), 'emptying trash', log),
  );
  leader.whileLeading('removing expired links', () =>
    runHourly(() => removeExpiredShares(db, shareFiles), 'removing expired links', log),
  );
}
