import packageJson from '../package.json' with { type: 'json' };
import type { Catalog } from './catalog/schema.ts';
import { listWorkspaces } from './catalog/workspaces.ts';
import type { Secrets } from './crypto/secrets.ts';
import { createExportPool } from './export/export-pool.ts';
import { startIndexing } from './indexing/indexing-service.ts';
import { createLog } from './log.ts';
import type { Settings } from './settings.ts';
import { createShareFiles } from './shares/share-files.ts';
import { startSpeechService } from './speech/speech-service.ts';
import { createApi } from './startup/create-api.ts';
import { listen } from './startup/listen.ts';
import { openStorage } from './startup/open-storage.ts';
import { startPeriodicWork } from './startup/start-periodic-work.ts';
import { startSearch } from './startup/start-search.ts';
import { toStartupError } from './startup/startup-error.ts';
import { createWorkspaceUpdates } from './startup/workspace-updates.ts';
import { setPrivateUmask } from './storage/data-directory.ts';

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
  const { dataDirectory } = settings;
  const log = createLog(settings.logLevel);
  const storage = await openStorage(dataDirectory, log, stack);
  const { db, assets, secrets } = storage;
  const workspaces = await listWorkspaces(db);
  const searchServices = await startSearch(settings, { db, log }, stack);
  const { embedding, stopping, queryPool } = searchServices;
  const speech = await startSpeechService({ dataDirectory, setting: settings.speech, hub: settings.modelHub, log });
  stack.defer(() => speech.stop());
  const exportPool = createExportPool(dataDirectory);
  const shareFiles = createShareFiles({ assets, queryPool, exportPool });
  const app = await createApi(
    { ...searchServices, settings, storage, speech, exportPool, shareFiles, log, onStored: () => indexing.wake() },
    stack,
  );
  const workspaceUpdates = createWorkspaceUpdates(searchServices, log);
  const indexing = await startIndexing({
    limits: { maxSeconds: settings.maxVideoSeconds, maxFrames: settings.maxVideoFrames },
    db,
    dataDirectory,
    count: settings.workers,
    target: embedding.target(),
    ocr: settings.ocr,
    speech: speech.model(),
    logLevel: settings.logLevel,
    log,
    onEnded: (workspaceId) => void workspaceUpdates.update(workspaceId),
  });
  stack.defer(() => indexing.stop());
  startPeriodicWork({ storage, shareFiles, log }, stack);
  stack.defer(() => app.close());
  stack.defer(() => stopping.abort());
  const url = await listen(app, settings);
  for (const { id } of workspaces) void workspaceUpdates.update(id);
  embedding.downloadMissing((target) => {
    indexing.setTargetEmbedder(target);
    // Workspaces without any items have nothing to wait for.
    for (const { id } of workspaces) void workspaceUpdates.switchEmbedder(id);
  });
  speech.downloadMissing((model) => indexing.setSpeechModel(model));
  return { url, version: packageJson.version, db, secrets };
}
