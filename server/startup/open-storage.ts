import type { FastifyBaseLogger } from 'fastify';
import type { AssetStore } from '../assets/asset-store.ts';
import type { LostAndFound } from '../assets/lost-and-found.ts';
import { openStoredFiles } from '../assets/open-stored-files.ts';
import type { PartialFiles } from '../assets/partial-files.ts';
import { deleteAllClaims } from '../catalog/accounts/request-claims.ts';
import { createWorkspace, listWorkspaces } from '../catalog/accounts/workspaces.ts';
import { beginTimeline } from '../catalog/media/timelines.ts';
import { releaseAllUploads } from '../catalog/media/uploads.ts';
import { pingCatalog } from '../catalog/ping.ts';
import { noteNewerSchema } from '../catalog/prepare-schema.ts';
import { releaseAllJobs } from '../catalog/queue/job-queue.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createMemoryPubSub, type PubSub } from '../messaging/pubsub/pubsub.ts';
import { collectOrphans, scheduleLostItemExpiry } from '../operations/check/collect-orphans.ts';
import { type KnownHistory, openKnownHistory } from '../operations/check/known-history.ts';
import { openDataCatalog, openSecrets } from '../operations/open-data-directory.ts';
import type { Secrets } from '../platform/crypto/secrets.ts';
import type { StorageObserver } from '../platform/metrics/metrics.ts';
import { lockDataDirectory, prepareDataDirectory } from '../platform/storage/data-directory.ts';
import { createScratch, emptyScratch, type Scratch } from '../platform/storage/scratch.ts';
import type { Settings } from '../settings.ts';
import { createMediaRemoval, type MediaRemoval, removeFailedRenditions } from '../uploads/media-removal.ts';

/** All that is kept: what the service needs to read and to change it. */
export type Storage = {
  db: Catalog;
  secrets: Secrets;
  assets: AssetStore;
  partialFiles: PartialFiles;
  scratch: Scratch;
  /** Holds the scratch folders of this process and its workers. */
  scratchDirectory: string;
  lostAndFound: LostAndFound;
  removal: MediaRemoval;
  history: KnownHistory;
  pubsub: PubSub;
  /** Asks the database for an answer. Rejects when it gives none. */
  ping: () => Promise<void>;
  /** Whether other processes work on it at the same time. */
  isShared: boolean;
};

/**
 * Opens catalog, secrets and files of a data folder, and finishes what an earlier run left unfinished. The first start creates them. A
 * start that is refused changes nothing. Throws `StartupError`.
 * @param stack closes what is opened here
 * @param onRequest is told of each request to a bucket
 */
export async function openStorage(
  settings: Pick<Settings, 'dataDirectory' | 'databaseUrl' | 'secretKeyFile' | 'storage'>,
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>,
  stack: AsyncDisposableStack,
  onRequest?: StorageObserver,
): Promise<Storage> {
  const { dataDirectory } = settings;
  await prepareDataDirectory(dataDirectory);
  stack.use(lockDataDirectory(dataDirectory));
  const { assets, partialFiles, lostAndFound, historyNote } = await openStoredFiles(settings, onRequest);
  const db = await openDataCatalog(settings, assets, { atStart: true });
  stack.defer(() => db.destroy());
  await noteNewerSchema(db, log);
  const secrets = await openSecrets(settings, db);
  const pubsub = createMemoryPubSub(log);
  stack.defer(() => pubsub.stop());
  await assets.prepare();
  const history = await openKnownHistory(db, historyNote, log);
  // From here on something changes.
  await beginTimeline(db);
  await history.note();
  // An earlier note is true as well: a disk that is full fails no stop.
  stack.defer(() =>
    history.note().catch((err: unknown) => log.warn({ err }, 'the history of the catalog was not noted')),
  );
  await emptyScratch(dataDirectory);
  // The owners of all leases have ended. The attempt of a job counts: the file may have ended its worker.
  await releaseAllUploads(db);
  await deleteAllClaims(db);
  await releaseAllJobs(db, 'broke off');
  if ((await listWorkspaces(db)).length === 0) {
    await createWorkspace(db, secrets, { workspace: 'My workspace', owner: 'Owner' });
  }
  const removal = createMediaRemoval({ db, assets, lostAndFound, log });
  stack.defer(() => removal.stop());
  if (assets.isLocal) {
    await sweep({ db, assets, lostAndFound, removal, log });
    const expiry = scheduleLostItemExpiry({ db, assets, lostAndFound, log });
    stack.defer(() => expiry.stop());
  }
  return {
    db,
    secrets,
    assets,
    partialFiles,
    scratch: createScratch(dataDirectory),
    scratchDirectory: dataDirectory,
    lostAndFound,
    removal,
    history,
    pubsub,
    ping: () => pingCatalog(db),
    isShared: false,
  };
}

/**
 * Removes or moves the files that no row names.
 * Single process: no worker of ours runs and no upload arrives yet, so a file without a row has no owner. With a second process each
 * step must leave alone what a living process owns, and one process at a time may do it.
 */
async function sweep(parts: { removal: MediaRemoval } & Parameters<typeof collectOrphans>[0]) {
  // First, because their folders have no row on purpose.
  await parts.removal.removePending();
  await removeFailedRenditions(parts);
  await collectOrphans(parts);
}
