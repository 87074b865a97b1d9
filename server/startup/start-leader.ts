import { describePosition } from '@media-search/places/nearest-place';
import type { FastifyBaseLogger } from 'fastify';
import { deleteExpiredClaims } from '../catalog/accounts/request-claims.ts';
import { forgetChanges } from '../catalog/changes/change-rows.ts';
import { deleteExpiredCounts } from '../catalog/counters/rate-counters.ts';
import { deleteOldEvents } from '../catalog/events/events.ts';
import { forgetDeliveries } from '../catalog/events/webhook-deliveries.ts';
import { fillRecorded } from '../catalog/media/fill-recorded.ts';
import { findExpectedItems } from '../catalog/media/uploads.ts';
import { keepVectorIndexes } from '../catalog/postgres/vector-indexes.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { PictureFiles } from '../delivery/pictures/picture-files.ts';
import { startRenewal } from '../delivery/pictures/renew-pictures.ts';
import { removeExpiredShares } from '../delivery/shares/share-downloads.ts';
import type { ShareFiles } from '../delivery/shares/share-files.ts';
import type { Leader } from '../messaging/leader/leader.ts';
import { createOnlyLeader } from '../messaging/leader/only-leader.ts';
import { collectOrphans, scheduleLostItemExpiry } from '../operations/check/collect-orphans.ts';
import { startScrub } from '../operations/check/original-scrub.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';
import { plainGauge } from '../platform/metrics/plain-gauge.ts';
import { runDaily, runEvery, runHourly } from '../platform/periodic.ts';
import { removeExpiredUploads } from '../uploads/resumable/expire-uploads.ts';
import { finishInterruptedUploads } from '../uploads/resumable/finish-interrupted.ts';
import { removeExpired } from '../uploads/trash-removal.ts';
import type { Storage } from './open-storage.ts';

/** How long a workspace that has become large waits for an index at most, milliseconds; until then its vectors are compared one by one. */
const indexIntervalMs = 60_000;

/** How long an upload whose process was killed at its end waits for another one to end it at most, besides the lease, milliseconds. */
const endIntervalMs = 60_000;

/** How often it is noted how far the catalog has come, milliseconds. */
const noteIntervalMs = 1000;

/** Removes counts and claims that have expired. */
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
    pictureFiles,
    onStored,
    log,
  }: {
    storage: Storage;
    shareFiles: ShareFiles;
    pictureFiles: PictureFiles;
    onStored: () => void;
    log: FastifyBaseLogger;
  },
): void {
  const { db, assets, removal } = storage;
  const uploads = { ...storage, removeUnlisted: removal.removeUnlisted, onStored, log };
  if (!assets.isLocal) startBucketUpkeep(leader, storage, log);
  leader.whileLeading('comparing originals', () => startScrub({ db, assets, log }));
  leader.whileLeading('naming places', () =>
    runDaily(async (signal) => void (await fillRecorded(db, describePosition, signal)), 'naming places', log),
  );
  leader.whileLeading('renewing pictures', () => startRenewal({ db, pictureFiles, log }));
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
  removeOldRows(leader, storage, shareFiles, log);
  if (storage.isShared) startSharedUpkeep(leader, storage, log);
}

/** Has the leader do what a database needs that several processes use. */
function startSharedUpkeep(leader: Leader, storage: Storage, log: FastifyBaseLogger): void {
  const { db, assets, removal } = storage;
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

/** Has the leader remove what is kept for some time only. */
function removeOldRows(leader: Leader, { db }: Storage, shareFiles: ShareFiles, log: FastifyBaseLogger): void {
  leader.whileLeading('removing expired links', () =>
    runHourly(() => removeExpiredShares(db, shareFiles), 'removing expired links', log),
  );
  const old = { deliveries: forgetDeliveries, events: deleteOldEvents, changes: forgetChanges };
  for (const [name, remove] of Object.entries(old)) {
    const what = `removing old ${name}`;
    leader.whileLeading(what, () => runHourly((signal) => remove(db, signal), what, log));
  }
}

/**
 * Has the leader keep a bucket tidy, also of what processes left that were killed: parts of uploads that were never completed, files of deleted
 * items, originals without a row. A data folder is swept at each start instead, when no other process can be at work on it.
 */
function startBucketUpkeep(leader: Leader, storage: Storage, log: FastifyBaseLogger): void {
  const { db, assets, lostAndFound, removal } = storage;
  leader.whileLeading('removing unfinished uploads', () =>
    runHourly(
      async (signal) => {
        for (const leftover of await assets.listLeftovers(await findExpectedItems(db))) {
          signal.throwIfAborted();
          await leftover.remove();
        }
      },
      'removing unfinished uploads',
      log,
    ),
  );
  leader.whileLeading('removing files of deleted items', () =>
    runHourly(() => removal.removePending(), 'removing files of deleted items', log),
  );
  leader.whileLeading('looking for lost originals', () =>
    runDaily(() => collectOrphans({ ...storage, log }), 'looking for lost originals', log),
  );
  leader.whileLeading('emptying lost+found', () => scheduleLostItemExpiry({ db, assets, lostAndFound, log }));
}

/** Takes part in the choice of a leader; without a database that others share this process leads. @param stack stops it */
export async function openLeader(
  databaseUrl: string | null,
  log: FastifyBaseLogger,
  stack: AsyncDisposableStack,
): Promise<Leader> {
  const leader =
    databaseUrl === null
      ? createOnlyLeader(log)
      : await (await import('../messaging/leader/postgres-leader.ts')).createPostgresLeader(databaseUrl, log);
  stack.defer(() => leader.stop());
  return leader;
}

/** Whether this process is the leader: of all processes together 1, but for the seconds in which another takes over. */
export const createLeaderGauge = (leader: Leader): GaugeSource =>
  plainGauge('media_search_leader', 'Whether this process does what one of all does.', () =>
    leader.isLeading() ? 1 : 0,
  );
