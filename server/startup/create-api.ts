import path from 'node:path';
import { createVisionModel } from '@media-search/models/vision-model';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import { type RequestClaims, createRequestClaims } from '../catalog/accounts/request-claims.ts';
import { type BufferedCounters, createBufferedCounters } from '../catalog/counters/buffered-counters.ts';
import { type Counters, createCounters } from '../catalog/counters/rate-counters.ts';
import { openCountsCatalog } from '../catalog/open-catalog.ts';
import { extractionSources } from '../catalog/texts/text-extractions.ts';
import type { ExportPool } from '../delivery/export/export-pool.ts';
import { type Exports, createExports } from '../delivery/export/exports.ts';
import type { PictureFiles } from '../delivery/pictures/picture-files.ts';
import { createShareDownloads } from '../delivery/shares/share-downloads.ts';
import type { ShareFiles } from '../delivery/shares/share-files.ts';
import { StartupError } from '../errors/startup-error.ts';
import { buildApp } from '../http/app.ts';
import { startChanges } from '../jobs/change-media.ts';
import type { SpeechService } from '../jobs/speech-service.ts';
import { createEventFeed } from '../messaging/events/event-feed.ts';
import type { Readiness } from '../platform/health/readiness.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { plainGauge } from '../platform/metrics/plain-gauge.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import type { Settings } from '../settings.ts';
import type { KeptFiles } from './keep-sources.ts';
import type { Storage } from './open-storage.ts';
import type { SearchServices } from './start-search.ts';

/** What answers requests is made of. */
type ApiParts = SearchServices & {
  settings: Settings;
  storage: KeptFiles;
  speech: SpeechService;
  exportPool: ExportPool;
  pictureFiles: PictureFiles;
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
  const {
    publicUrl,
    maxUploadBytes,
    sourceRoots,
    dataDirectory,
    requestsPerMinute,
    trustedProxies,
    allowedAddresses,
    logLevel,
  } = settings;
  const { db, secrets, assets, partialFiles, scratch, lostAndFound, removal, pubsub } = storage;
  const file = catalogFile(settings.dataDirectory);
  const sharedState = openSharedState(storage, { file, exportPool, log }, stack);
  const recognised = extractionSources.filter((source) => settings[source] !== 'off');
  const noteHistory = () => storage.history.note();
  const changes = startChanges({ db, recognised, onStored: parts.onStored, noteHistory, log });
  stack.defer(() => changes.stop());
  const eventFeed = createEventFeed({ db, pubsub, log });
  metrics.addGauge(createStreamGauge(eventFeed));
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
    pubsub,
    eventFeed,
    shareDownloads: createShareDownloads(pubsub),
    visionModel: settings.visionModel && createVisionModel(settings.visionModel),
    publicUrl,
    mapTiles: settings.mapTiles,
    recognised,
    changes,
    removeFiles: removal.remove,
    removeUnlisted: removal.removeUnlisted,
    noteHistory,
    maxUploadBytes,
    sourceRoots,
    dataDirectory,
    sourceBuckets: storage.sourceBuckets,
    requestsPerMinute,
    trustedProxies,
    outbound: { allowedAddresses },
    logLevel,
    version: packageJson.version,
    dashboardDirectory: path.join(import.meta.dirname, '..', '..', 'dist'),
  });
}

const createStreamGauge = (feed: ReturnType<typeof createEventFeed>) =>
  plainGauge('media_search_event_streams', 'Streams of events that are open at this process.', () => feed.count());

/** What all processes that serve requests have in common. */
type SharedState = BufferedCounters & { counters: Counters; requestClaims: RequestClaims; exports: Exports };

/**
 * Opens the shared state: a single process counts requests in memory, and writes by a connection of its own.
 * @param file path of the catalog, where it is one
 * @param stack stores what is not stored yet
 */
function openSharedState(
  storage: Storage,
  { file, exportPool, log }: { file: string; exportPool: ExportPool; log: FastifyBaseLogger },
  stack: AsyncDisposableStack,
): SharedState {
  const { db, isShared } = storage;
  const counts = isShared ? db : openCountsCatalog(file);
  if (!isShared) stack.defer(() => counts.destroy());
  const buffered = createBufferedCounters(counts, isShared, log);
  for (const each of Object.values(buffered)) stack.defer(() => each.stop());
  const exports = createExports({ ...storage, pool: exportPool, log });
  stack.defer(() => exports.stop());
  const requestClaims = createRequestClaims(db);
  stack.defer(() => requestClaims.stop());
  return { ...buffered, exports, requestClaims, counters: createCounters(isShared ? db : null) };
}

/** Begins to accept connections. Throws `StartupError` when the address cannot be used. @returns the URL, such as `http://127.0.0.1:8080` */
export async function listen(app: FastifyInstance, settings: Pick<Settings, 'host' | 'port'>): Promise<string> {
  const { host, port } = settings;
  return app.listen({ host, port }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is in use by another program; stop that or set PORT to a free one.`,
      EACCES: `Port ${port} on ${host} needs rights that this user does not have; set PORT to one above 1023.`,
      EADDRNOTAVAIL: `This machine has no address ${host}; set HOST to one that it has, such as 127.0.0.1.`,
      ENOTFOUND: `The name ${host} is unknown; set HOST to an address of this machine, such as 127.0.0.1.`,
    };
    const reason = reasons[String(code)];
    throw reason ? new StartupError(reason) : error;
  });
}
