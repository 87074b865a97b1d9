import type { FastifyBaseLogger } from 'fastify';
import { findSource } from '../catalog/sources/sources.ts';
import { StartupError } from '../errors/startup-error.ts';
import type { Leader } from '../messaging/leader/leader.ts';
import type { StorageObserver } from '../platform/metrics/metrics.ts';
import type { Settings } from '../settings.ts';
import { addConfiguredSources } from '../sources/add-source.ts';
import { withSources } from '../sources/source-assets.ts';
import { createSourceBuckets, type SourceBuckets } from '../sources/source-buckets.ts';
import { SourceError } from '../sources/source-error.ts';
import { startSources } from '../sources/start-sources.ts';
import type { Storage } from './open-storage.ts';

/** What is kept, with the originals in sources. */
export type KeptFiles = Storage & { sourceBuckets: SourceBuckets };

/** Adds the originals in its sources to what a service keeps. @param onRequest is told of each request to a bucket */
export function openSourceFiles(storage: Storage, settings: Settings, onRequest: StorageObserver): KeptFiles {
  const { db } = storage;
  const sourceBuckets = createSourceBuckets(settings, onRequest);
  const assets = withSources(storage.assets, {
    dataDirectory: settings.dataDirectory,
    findSource: (workspaceId, id) => findSource(db, workspaceId, id),
    buckets: sourceBuckets.originals,
  });
  return { ...storage, assets, sourceBuckets };
}

/** Adds the sources that the settings name, and has the leader scan and watch all. Throws `StartupError`. */
export async function keepSources(
  leader: Leader,
  { sources, sourceRoots: roots, dataDirectory }: Pick<Settings, 'sources' | 'sourceRoots' | 'dataDirectory'>,
  { storage, onStored, log }: { storage: KeptFiles; onStored: () => void; log: FastifyBaseLogger },
): Promise<void> {
  const { db, removal, sourceBuckets: buckets } = storage;
  await addConfiguredSources(db, sources, { dataDirectory, buckets }).catch((error: unknown) => {
    throw error instanceof SourceError
      ? new StartupError(`A location of the setting SOURCES is wrong: it ${error.message}.`)
      : error;
  });
  leader.whileLeading('keeping sources', () =>
    startSources({
      db,
      dataDirectory,
      roots,
      buckets,
      removeFiles: ({ workspace_id, id }) => removal.remove(workspace_id, id),
      onStored,
      log,
    }),
  );
}
