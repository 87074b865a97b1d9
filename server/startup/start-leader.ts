import type { FastifyBaseLogger } from 'fastify';
import { deleteExpiredClaims } from '../catalog/accounts/request-claims.ts';
import { deleteOldEvents } from '../catalog/events/events.ts';
import { forgetDeliveries } from '../catalog/events/webhook-deliveries.ts';
import { deleteExpiredCounts } from '../catalog/postgres/counters.ts';
import { keepVectorIndexes } from '../catalog/postgres/vector-indexes.ts';
import type { Catalog } from '../catalog/schema.ts';
import { removeExpiredShares } from '../delivery/shares/share-expiry.ts';
import type { ShareFiles } from '../delivery/shares/share-files.ts';
import { runEvery, runHourly } from '../jobs/periodic.ts';
import type { Leader } from '../messaging/leader/leader.ts';
import { startScrub } from '../operations/check/original-scrub.ts';
import { removeExpiredUploads } from '../uploads/resumable/expire-uploads.ts';
import { finishInterruptedUploads } from '../uploads/resumable/finish-interrupted.ts';
import { removeExpired } from '../uploads/trash-removal.ts';
import { startBucketUpkeep } from './bucket-upkeep.ts';
import type { Storage } from './open-storage.ts';

/** How long a workspace that has become large waits for an index at most, milliseconds; until then its vectors are compared one by one. */
const indexIntervalMs = 60_000;

/** How long an upload whose process was killed at its end waits for another one to end it at most, besides the lease, milliseconds. */
const endIntervalMs = 60_000;

/** How often it is noted how far the catalog has come, milliseconds. */
const noteIntervalMs = 1000;

/** Removes what processes counted and claimed in common, and nobody needs any more. */
async function removeExpiredCounts(db: Catalog): Promise<void> {
  await deleteExpiredCounts(db);
  await deleteExpiredClaims(db);
}

/** Has the leader do what has to be done again and again: read originals, empty the trash, remove expired links. */
export function startPeriodicWork(
  leader: Leader,
  {
    storage,
    shareFiles,
    onStored,
    log,
  }: { storage: Storage; shareFiles: ShareFiles; onStored: () => void; log: FastifyBaseLogger },
): void {
  const { db, assets, removal } = storage;
  const uploads = { ...storage, removeUnlisted: removal.removeUnlisted, onStored, log };
  if (!assets.isLocal) startBucketUpkeep(leader, storage, log);
  leader.whileLeading('comparing originals', () => startScrub({ db, assets, log }));
  leader.whileLeading('noting the history', () =>
    runEvery(noteIntervalMs, () => storage.history.note(), 'noting the history', log),
  );
  const trash = { db, removeFiles: removal.remove };
  leader.whileLeading('emptying trash', () =>
    runHourly(
      async (signal) => void (await removeExpired(trash, storage.history.since, signal)),
      'emptying trash',
      log,
    ),
  );
  leader.whileLeading('ending uploads', () =>
    runEvery(endIntervalMs, (signal) => finishInterruptedUploads(uploads, signal), 'ending uploads', log),
  );
  leader.whileLeading('removing expired uploads', () =>
    runHourly(
      async (signal) => {
        // First, so that an upload that has arrived whole becomes an item although its time is over.
        await finishInterruptedUploads(uploads, signal);
        await removeExpiredUploads(uploads, signal);
      },
      'removing expired uploads',
      log,
    ),
  );
  leader.whileLeading('removing expired links', () =>
    runHourly(() => removeExpiredShares(db, shareFiles), 'removing expired links', log),
  );
  leader.whileLeading('removing old deliveries', () =>
    runHourly((signal) => forgetDeliveries(db, signal), 'removing old deliveries', log),
  );
  leader.whileLeading('removing old events', () =>
    runHourly((signal) => deleteOldEvents(db, signal), 'removing old events', log),
  );
  if (!storage.isShared) return;
  // A folder that is not shared is swept at each start.
  if (assets.isLocal) {
    leader.whileLeading('removing files of deleted items', () =>
      runHourly(() => removal.removePending(), 'removing files of deleted items', log),
    );
  }
  leader.whileLeading('keeping indexes of vectors', () =>
    runEvery(indexIntervalMs, async (signal) => void (await keepVectorIndexes(db, signal)), 'an index of vectors', log),
  );
  leader.whileLeading('removing expired counts', () =>
    runHourly(() => removeExpiredCounts(db), 'removing expired counts', log),
  );
}
