import type { FastifyBaseLogger } from 'fastify';
import { findExpectedItems } from '../catalog/media/uploads.ts';
import type { Leader } from '../messaging/leader/leader.ts';
import { collectOrphans, scheduleLostItemExpiry } from '../operations/check/collect-orphans.ts';
import { runDaily, runHourly } from '../platform/periodic.ts';
import type { Storage } from './open-storage.ts';

/**
 * Has the leader keep a bucket tidy, also of what processes left that were killed: parts of uploads that were never completed, files of deleted
 * items, originals without a row. A data folder is swept at each start instead, when nobody else can be at work on it.
 */
export function startBucketUpkeep(leader: Leader, storage: Storage, log: FastifyBaseLogger): void {
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
