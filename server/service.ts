import path from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import packageJson from '../package.json' with { type: 'json' };
import { createKeyUses } from './catalog/key-uses.ts';
import type { Catalog } from './catalog/schema.ts';
import { createSearchCounter } from './catalog/search-counter.ts';
import { createShareViews } from './catalog/share-views.ts';
import { extractionSources } from './catalog/text-extractions.ts';
import { listWorkspaces } from './catalog/workspaces.ts';
import type { Secrets } from './crypto/secrets.ts';
import { createExportPool, type ExportPool } from './export/export-pool.ts';
import { createExports } from './export/exports.ts';
import { buildApp } from './http/app.ts';
import { startIndexing } from './indexing/indexing-service.ts';
import { startScrub } from './integrity/original-scrub.ts';
import { createLog } from './log.ts';
import { createVisionModel } from './models/vision-model.ts';
import { runHourly } from './periodic.ts';
import type { Settings } from './settings.ts';
import { createShareDownloads } from './shares/share-downloads.ts';
import { removeExpiredShares } from './shares/share-expiry.ts';
import { createShareFiles, type ShareFiles } from './shares/share-files.ts';
import { type SpeechService, startSpeechService } from './speech/speech-service.ts';
import { openStorage, type Storage } from './startup/open-storage.ts';
import { type SearchServices, startSearch } from './startup/start-search.ts';
import { StartupError, toStartupError } from './startup/startup-error.ts';
import { catalogFile, setPrivateUmask } from './storage/data-directory.ts';
import { removeExpired } from './trash-removal.ts';

export type Service = {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  url: string;
  version: string;
  db: Catalog;
  secrets: Secrets;
  stop(): Promise<void>;
};

/** Starts the whole service: database, workers, HTTP. Throws `StartupError` when it cannot run as asked. */
export async function startService(settings: Settings): Promise<Service> {
  setPrivateUmask();
  const stack = new AsyncDisposableStack();
  try {
    const service = await startParts(settings, stack);
    const owned = stack.move();
    return { ...service, stop: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw toStartupError(error, settings.dataDirectory) ?? error;
  }
}

/** Starts one part after the other. What has to be stopped goes on the stack, which stops it in reverse order. */
async function startParts(settings: Settings, stack: AsyncDisposableStack): Promise<Omit<Service, 'stop'>> {
  const { dataDirectory, logLevel } = settings;
  const log = createLog(logLevel);
  const storage = await openStorage(dataDirectory, log, stack);
  const { db, assets, secrets } = storage;
  const workspaces = await listWorkspaces(db);
  const searchServices = await startSearch(settings, { db, log }, stack);
  const { embedding, stopping, queryPool } = searchServices;
  const speech = await startSpeechService({ dataDirectory, setting: settings.speech, hub: settings.modelHub, log });
  stack.defer(() => speech.stop());
  const exportPool = createExportPool(dataDirectory);
  const shareFiles = createShareFiles({ assets, queryPool, exportPool });
  const app = await createHttp(
    settings,
    storage,
    { ...searchServices, speech, exportPool, shareFiles, log, onStored: () => indexing.wake() },
    stack,
  );
  const workspaceUpdates = createWorkspaceUpdates(searchServices, app.log);
  const indexing = await startIndexing({
    limits: { maxSeconds: settings.maxVideoSeconds, maxFrames: settings.maxVideoFrames },
    db,
    dataDirectory,
    count: settings.workers,
    target: embedding.target(),
    ocr: settings.ocr,
    speech: speech.model(),
    logLevel,
    log: app.log,
    onEnded: (workspaceId) => void workspaceUpdates.update(workspaceId),
  });
  stack.defer(() => indexing.stop());
  const scrub = startScrub({ db, assets, log: app.log });
  stack.defer(() => scrub.stop());
  const trash = { db, removeFiles: storage.removal.remove };
  const trashExpiry = runHourly(async (signal) => void (await removeExpired(trash, signal)), 'emptying trash', app.log);
  stack.defer(() => trashExpiry.stop());
  const shareExpiry = runHourly(() => removeExpiredShares(db, shareFiles), 'removing expired links', app.log);
  stack.defer(() => shareExpiry.stop());
  stack.defer(() => app.close());
  stack.defer(() => stopping.abort());
  const url = await app.listen({ host: settings.host, port: settings.port }).catch((error: unknown) => {
    throw toListenError(error, settings);
  });
  for (const { id } of workspaces) void workspaceUpdates.update(id);
  embedding.downloadMissing((target) => {
    indexing.setTargetEmbedder(target);
    // Workspaces without any items have nothing to wait for.
    for (const { id } of workspaces) void workspaceUpdates.switchEmbedder(id);
  });
  speech.downloadMissing((model) => indexing.setSpeechModel(model));
  return { url, version: packageJson.version, db, secrets };
}

/** Builds the HTTP side without listening. */
function createHttp(
  settings: Settings,
  { db, secrets, assets, lostAndFound, removal }: Storage,
  {
    log,
    exportPool,
    ...parts
  }: SearchServices & {
    speech: SpeechService;
    exportPool: ExportPool;
    shareFiles: ShareFiles;
    log: FastifyBaseLogger;
    onStored: () => void;
  },
  stack: AsyncDisposableStack,
): Promise<FastifyInstance> {
  const { publicUrl, maxUploadBytes, requestsPerMinute, trustedProxies, allowedAddresses, logLevel } = settings;
  const file = catalogFile(settings.dataDirectory);
  const searchCounter = createSearchCounter(file, log);
  stack.defer(() => searchCounter.stop());
  const keyUses = createKeyUses(file, log);
  stack.defer(() => keyUses.stop());
  const exports = createExports({ db, assets, pool: exportPool, log });
  stack.defer(() => exports.stop());
  const shareViews = createShareViews(file, log);
  stack.defer(() => shareViews.stop());
  return buildApp({
    ...parts,
    exports,
    db,
    secrets,
    assets,
    lostAndFound,
    searchCounter,
    keyUses,
    shareDownloads: createShareDownloads(),
    shareViews,
    visionModel: settings.visionModel && createVisionModel(settings.visionModel),
    publicUrl,
    recognised: extractionSources.filter((source) => settings[source] !== 'off'),
    removeFiles: removal.remove,
    maxUploadBytes,
    requestsPerMinute,
    trustedProxies,
    imageFetching: { allowedAddresses },
    logLevel,
    version: packageJson.version,
    dashboardDirectory: path.join(import.meta.dirname, '..', 'dist'),
  });
}

/** What a workspace needs after its items were indexed, and at a start. Failures are logged and never thrown. */
function createWorkspaceUpdates({ embedding, search, highlights, stopping }: SearchServices, log: FastifyBaseLogger) {
  const switchEmbedder = (workspaceId: string) =>
    embedding
      .switchWhenEmbedded(workspaceId)
      .catch((error: unknown) => log.error({ err: error }, 'the embedder was not changed'));
  return {
    switchEmbedder,

    /** Switches to the target embedder once everything is embedded with it; then brings the search index and the rankings up to date. */
    async update(workspaceId: string): Promise<void> {
      await switchEmbedder(workspaceId);
      await search.warm(workspaceId).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'search index not built');
      });
      await highlights.refreshRankings(workspaceId).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'rankings of highlights not refreshed');
      });
    },
  };
}

function toListenError(error: unknown, { host, port }: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program; stop that or set PORT to a free one.`,
    EACCES: `Port ${port} on ${host} needs rights that this user does not have; set PORT to one above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}; set HOST to one that it has, such as 127.0.0.1.`,
    ENOTFOUND: `The name ${host} is unknown; set HOST to an address of this machine, such as 127.0.0.1.`,
  };
  const reason = reasons[String(code)];
  return reason ? new StartupError(reason) : error;
}
