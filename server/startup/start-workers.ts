import type { FastifyBaseLogger } from 'fastify';
import { type IndexingService, startIndexing } from '../jobs/indexing-service.ts';
import type { SpeechService } from '../jobs/speech-service.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { locateCatalog } from '../platform/storage/data-directory.ts';
import type { Settings } from '../settings.ts';
import type { WorkspaceUpdates } from './follow-changes.ts';
import type { Storage } from './open-storage.ts';
import type { SearchServices } from './start-search.ts';

type WorkerParts = Pick<SearchServices, 'embedding'> & {
  settings: Settings;
  storage: Storage;
  speech: SpeechService;
  metrics: Metrics;
  updates: WorkspaceUpdates;
  log: FastifyBaseLogger;
};

/**
 * Starts the worker processes.
 * @param stack stops them
 */
export async function startWorkers(
  { settings, storage, speech, metrics, updates, embedding, log }: WorkerParts,
  stack: AsyncDisposableStack,
): Promise<IndexingService> {
  const indexing = await startIndexing({
    limits: { maxSeconds: settings.maxVideoSeconds, maxFrames: settings.maxVideoFrames },
    db: storage.db,
    location: locateCatalog(settings),
    pubsub: storage.pubsub,
    dataDirectory: settings.dataDirectory,
    scratchDirectory: storage.scratchDirectory,
    assets: storage.assets,
    count: settings.workers,
    target: embedding.target(),
    ocr: settings.ocr,
    speech: speech.model(),
    logLevel: settings.logLevel,
    log,
    onEnded(workspaceId, attempt) {
      metrics.countJob(attempt);
      void updates.update(workspaceId);
    },
  });
  stack.defer(() => indexing.stop());
  return indexing;
}
