import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import packageJson from '../package.json' with { type: 'json' };
import { pingCatalog } from './catalog/ping.ts';
import type { Catalog } from './catalog/schema.ts';
import { listWorkspaces } from './catalog/workspaces.ts';
import type { Secrets } from './crypto/secrets.ts';
import { createExportPool } from './export/export-pool.ts';
import { createReadiness, type Readiness } from './health/readiness.ts';
import { createOnlyLeader } from './leader/only-leader.ts';
import { createLog, logBase } from './log.ts';
import { createJobGauges } from './metrics/job-gauges.ts';
import { createMetrics } from './metrics/metrics.ts';
import type { Settings } from './settings.ts';
import { createShareFiles } from './shares/share-files.ts';
import { startSpeechService } from './speech/speech-service.ts';
import { createApi } from './startup/create-api.ts';
import { listen } from './startup/listen.ts';
import { openStorage, type Storage } from './startup/open-storage.ts';
import { startPeriodicWork } from './startup/start-leader.ts';
import { startSearch } from './startup/start-search.ts';
import { startWorkers } from './startup/start-workers.ts';
import { toStartupError } from './startup/startup-error.ts';
import { createWorkspaceUpdates } from './startup/workspace-updates.ts';
import { checkFolder, setPrivateUmask } from './storage/data-directory.ts';

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
    return { ...service, stop: () => stop(service, settings, owned) };
  } catch (error) {
    await stack.disposeAsync();
    throw toStartupError(error, settings.dataDirectory) ?? error;
  }
}

type Started = Omit<Service, 'stop'> & { readiness: Readiness };

/** Tells balancers first that no more requests are wanted, and goes on answering until they know. */
async function stop({ readiness }: Started, { drainSeconds }: Settings, owned: AsyncDisposableStack): Promise<void> {
  readiness.beginStop();
  await delay(drainSeconds * 1000);
  await owned.disposeAsync();
}

/** What tells others how this process does. */
function observe({ role, dataDirectory }: Settings, { db }: Storage, log: FastifyBaseLogger) {
  const metrics = createMetrics();
  for (const gauge of createJobGauges(db)) metrics.addGauge(gauge);
  // Alone, most services are never asked.
  if (role !== 'all') void metrics.read();
  const checks = {
    database: () => pingCatalog(db).then(() => null),
    storage: () => checkFolder(dataDirectory),
  };
  return { metrics, readiness: createReadiness(checks, log) };
}

/** Starts one part after the other. What has to be stopped goes on the stack, which stops it in reverse order. */
async function startParts(settings: Settings, stack: AsyncDisposableStack): Promise<Started> {
  const { dataDirectory } = settings;
  const log = createLog(settings.logLevel, logBase(settings.role));
  const storage = await openStorage(settings, log, stack);
  const { db, assets, scratch, secrets, notices } = storage;
  const { metrics, readiness } = observe(settings, storage, log);
  const workspaces = await listWorkspaces(db);
  const searchServices = await startSearch(settings, { db, log }, stack);
  const { embedding, stopping, queryPool } = searchServices;
  const speech = await startSpeechService({ dataDirectory, setting: settings.speech, hub: settings.modelHub, log });
  stack.defer(() => speech.stop());
  const exportPool = createExportPool(dataDirectory);
  const shareFiles = createShareFiles({ db, assets, scratch, queryPool, exportPool });
  const parts = { ...searchServices, settings, storage, speech, metrics, readiness, log };
  const onStored = () => void notices.publish(db, 'jobs', '');
  const app = await createApi({ ...parts, exportPool, shareFiles, onStored }, stack);
  const updates = createWorkspaceUpdates(searchServices, log);
  const indexing = await startWorkers({ ...parts, updates }, stack);
  const leader = createOnlyLeader(log);
  stack.defer(() => leader.stop());
  startPeriodicWork(leader, { storage, shareFiles, log });
  stack.defer(() => app.close());
  stack.defer(() => stopping.abort());
  const url = await listen(app, settings);
  for (const { id } of workspaces) void updates.update(id);
  embedding.downloadMissing((target) => {
    indexing.setTargetEmbedder(target);
    // Workspaces without any items have nothing to wait for.
    for (const { id } of workspaces) void updates.switchEmbedder(id);
  });
  speech.downloadMissing((model) => indexing.setSpeechModel(model));
  return { url, version: packageJson.version, db, secrets, readiness };
}
