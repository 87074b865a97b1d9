import path from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { createFileAssetStore } from './assets/file-asset-store.ts';
import { createLostAndFound } from './assets/lost-and-found.ts';
import type { Catalog } from './catalog/schema.ts';
import { createSearchCounter } from './catalog/search-counter.ts';
import { beginTimeline } from './catalog/timelines.ts';
import { createWorkspace, listWorkspaces } from './catalog/workspaces.ts';
import type { Secrets } from './crypto/secrets.ts';
import { startEmbedderService } from './embedding/embedder-service.ts';
import { createHighlights } from './highlights/highlights.ts';
import { buildApp } from './http/app.ts';
import { startIndexing } from './indexing/indexing-service.ts';
import { collectOrphans, scheduleLostItemExpiry } from './integrity/collect-orphans.ts';
import { startScrub } from './integrity/original-scrub.ts';
import { createLog } from './log.ts';
import { createMediaRemoval } from './media-removal.ts';
import { createVisionModel } from './models/vision-model.ts';
import { createQueryPool } from './query-workers/query-pool.ts';
import { createLocalIndexes } from './search/local-indexes.ts';
import { createSearchEngine } from './search/search-engine.ts';
import { type Settings, StartupError } from './settings.ts';
import { openDataCatalog, openSecrets } from './startup/open-data-directory.ts';
import { toStartupError } from './startup/startup-error.ts';
import { setPrivateUmask, lockDataDirectory, prepareDataDirectory } from './storage/data-directory.ts';
import { removeTemporaryFiles } from './storage/durable-files.ts';

export type Service = {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  url: string;
  version: string;
  db: Catalog;
  secrets: Secrets;
  stop(): Promise<void>;
};

/** Heavy parts of requests that are worked on at once. */
const maxConcurrentQueryTasks = 2;

/** Starts the whole service: database, workers, HTTP. Throws `StartupError` when it cannot run as asked. */
export async function startService(settings: Settings): Promise<Service> {
  setPrivateUmask();
  await prepareDataDirectory(settings.dataDirectory);
  const stack = new AsyncDisposableStack();
  try {
    const service = await assemble(settings, stack);
    const owned = stack.move();
    return { ...service, stop: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw toStartupError(error, settings.dataDirectory) ?? error;
  }
}

/** Puts the parts together; what has to be ended goes on the stack, to be taken down in reverse order. */
async function assemble(settings: Settings, stack: AsyncDisposableStack): Promise<Omit<Service, 'stop'>> {
  const { dataDirectory, logLevel, publicUrl, maxUploadBytes, requestsPerMinute, allowedAddresses, trustedProxies } =
    settings;
  stack.use(lockDataDirectory(dataDirectory));
  const assets = createFileAssetStore(dataDirectory);
  const db = await openDataCatalog(dataDirectory, assets, { atStart: true });
  stack.defer(() => db.destroy());
  const secrets = await openSecrets(dataDirectory, db);
  // After all that can refuse the start: a refused one changes nothing.
  await beginTimeline(db);
  await assets.prepare();
  if ((await listWorkspaces(db)).length === 0) {
    await createWorkspace(db, secrets, { workspace: 'My workspace', owner: 'Owner' });
  }
  const log = createLog(logLevel);
  const removal = createMediaRemoval({ db, assets, log });
  stack.defer(() => removal.stop());
  // Before anything looks for folders without a row: these were deleted on purpose.
  await removal.removePending();
  await removal.removeFailedRenditions();
  const workspaces = await listWorkspaces(db);
  const lostAndFound = createLostAndFound(dataDirectory);
  await collectOrphans({ db, assets, lostAndFound, log });
  stack.use(scheduleLostItemExpiry({ lostAndFound, log }));

  const embedding = await startEmbedderService({
    db,
    dataDirectory,
    setting: settings.embedder,
    hub: settings.modelHub,
    log,
  });
  stack.defer(() => embedding.stop());
  const indexDirectory = path.join(dataDirectory, 'indexes');
  await removeTemporaryFiles(indexDirectory);
  const search = createSearchEngine({
    db,
    ...createLocalIndexes(db, indexDirectory),
    getEmbedder: (workspaceId) => embedding.getActiveEmbedder(workspaceId),
  });
  stack.defer(() =>
    // They are built again from the catalog.
    search.save().catch((error: unknown) => log.warn({ err: error }, 'vector indexes were not saved')),
  );
  const queryPool = createQueryPool(dataDirectory, maxConcurrentQueryTasks);
  stack.defer(() => queryPool.stop());
  const backgroundPool = createQueryPool(dataDirectory, 1);
  stack.defer(() => backgroundPool.stop());
  const stopping = new AbortController();
  const highlights = createHighlights({
    db,
    search,
    directory: indexDirectory,
    updateRankings: async (workspaceId, embedderId, file) => {
      await backgroundPool.run(workspaceId, { kind: 'rankings', workspaceId, embedderId, file }, stopping.signal);
    },
    computeOutliers: (workspaceId, embedderId, filter, method, signal) =>
      queryPool.run(workspaceId, { kind: 'outliers', workspaceId, embedderId, filter, method }, signal),
    computeMap: (workspaceId, embedderId, filter, layout, signal) =>
      queryPool.run(workspaceId, { kind: 'map', workspaceId, embedderId, filter, layout }, signal),
  });
  const searchCounter = createSearchCounter(db, log);
  stack.defer(() => searchCounter.stop());
  const app = await buildApp({
    db,
    searchCounter,
    assets,
    lostAndFound,
    search,
    highlights,
    queryPool,
    visionModel: settings.visionModel && createVisionModel(settings.visionModel),
    embedding,
    secrets,
    publicUrl,
    removeFiles: (workspaceId, mediaId) => removal.remove(workspaceId, mediaId),
    maxUploadBytes,
    requestsPerMinute,
    trustedProxies,
    imageFetching: { allowedAddresses },
    logLevel,
    version: packageJson.version,
    dashboardDirectory: path.join(import.meta.dirname, '..', 'dist'),
    onStored: () => indexing.wake(),
  });
  const warm = async (workspaceId: string) => {
    await search.warm(workspaceId).catch((error: unknown) => app.log.error({ err: error }, 'vector index not built'));
    await highlights.refreshRankings(workspaceId).catch((error: unknown) => {
      if (!stopping.signal.aborted) app.log.error({ err: error }, 'highlights not kept up');
    });
  };
  const switchWhenEmbedded = (workspaceId: string) =>
    embedding
      .switchWhenEmbedded(workspaceId)
      .catch((error: unknown) => app.log.error({ err: error }, 'the embedder was not changed'));
  const indexing = await startIndexing({
    limits: { maxSeconds: settings.maxVideoSeconds, maxFrames: settings.maxVideoFrames },
    db,
    dataDirectory,
    count: settings.workers,
    target: embedding.target(),
    logLevel,
    log: app.log,
    onEnded: (workspaceId) => void switchWhenEmbedded(workspaceId).then(() => warm(workspaceId)),
  });
  stack.defer(() => indexing.stop());
  const scrub = startScrub({ db, assets, log: app.log });
  stack.defer(() => scrub.stop());
  stack.defer(() => app.close());
  stack.defer(() => stopping.abort());
  const url = await app.listen({ host: settings.host, port: settings.port }).catch((error: unknown) => {
    throw toListenError(error, settings);
  });
  for (const { id } of workspaces) void switchWhenEmbedded(id).then(() => warm(id));
  embedding.downloadMissing((target) => {
    indexing.setTargetEmbedder(target);
    // Those without any media have nothing to wait for.
    for (const { id } of workspaces) void switchWhenEmbedded(id);
  });
  return { url, version: packageJson.version, db, secrets };
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
