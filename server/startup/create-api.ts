import path from 'node:path';
import { createVisionModel } from '@media-search/models/vision-model';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import { extractionSources } from '../catalog/texts/text-extractions.ts';
import type { ExportPool } from '../delivery/export/export-pool.ts';
import { createShareDownloads } from '../delivery/shares/share-downloads.ts';
import type { ShareFiles } from '../delivery/shares/share-files.ts';
import { buildApp } from '../http/app.ts';
import type { SpeechService } from '../jobs/speech-service.ts';
import { createEventFeed } from '../messaging/events/event-feed.ts';
import type { Readiness } from '../platform/health/readiness.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import type { Settings } from '../settings.ts';
import type { Storage } from './open-storage.ts';
import { openSharedState } from './shared-state.ts';
import type { SearchServices } from './start-search.ts';

/** What answers requests is made of. */
type ApiParts = SearchServices & {
  settings: Settings;
  storage: Storage;
  speech: SpeechService;
  exportPool: ExportPool;
  shareFiles: ShareFiles;
  log: FastifyBaseLogger;
  metrics: Metrics;
  readiness: Readiness;
  /** Called after an item was stored or went back to `pending`. */
  onStored: () => void;
};

/**
 * Builds the HTTP side without listening.
 * @param stack stops the counters that are started here
 */
export function createApi(
  { settings, storage, exportPool, log, metrics, ...parts }: ApiParts,
  stack: AsyncDisposableStack,
): Promise<FastifyInstance> {
  const { publicUrl, maxUploadBytes, requestsPerMinute, trustedProxies, allowedAddresses, logLevel } = settings;
  const { db, secrets, assets, partialFiles, scratch, lostAndFound, removal, notices } = storage;
  const file = catalogFile(settings.dataDirectory);
  const sharedState = openSharedState(storage, { file, exportPool, log }, stack);
  const eventFeed = createEventFeed({ db, notices, log });
  metrics.addGauge({
    name: 'media_search_event_streams',
    help: 'Streams of events that are open at this process.',
    labelNames: [],
    read: async () => [{ labels: {}, value: eventFeed.count() }],
  });
  return buildApp({
    role: settings.role,
    ...parts,
    metrics,
    ...sharedState,
    db,
    secrets,
    assets,
    partialFiles,
    scratch,
    lostAndFound,
    notices,
    eventFeed,
    shareDownloads: createShareDownloads(notices),
    visionModel: settings.visionModel && createVisionModel(settings.visionModel),
    publicUrl,
    recognised: extractionSources.filter((source) => settings[source] !== 'off'),
    removeFiles: removal.remove,
    removeUnlisted: removal.removeUnlisted,
    noteHistory: () => storage.history.note(),
    maxUploadBytes,
    requestsPerMinute,
    trustedProxies,
    outbound: { allowedAddresses },
    logLevel,
    version: packageJson.version,
    dashboardDirectory: path.join(import.meta.dirname, '..', '..', 'dist'),
  });
}
