import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger as Logger } from 'fastify';
import packageJson from '../package.json' with { type: 'json' };
import { listWorkspaces } from './catalog/accounts/workspaces.ts';
import { withStartLock } from './catalog/postgres/start-lock.ts';
import type { Catalog } from './catalog/schema.ts';
import { createExportPool } from './delivery/export/export-pool.ts';
import { createPictureFiles } from './delivery/pictures/picture-files.ts';
import { createShareFiles } from './delivery/shares/share-files.ts';
import { toStartupError } from './errors/startup-error.ts';
import { buildProbeApp } from './http/app.ts';
import { createJobGauges } from './jobs/job-gauges.ts';
import { startSpeechService } from './jobs/speech-service.ts';
import { watchLog } from './messaging/events/watch-log.ts';
import type { Leader } from './messaging/leader/leader.ts';
import { startWebhookDeliveries } from './messaging/webhooks/start-deliveries.ts';
import { createWebhookGauges } from './messaging/webhooks/webhook-gauges.ts';
import type { Secrets } from './platform/crypto/secrets.ts';
import { createReadiness, type Readiness } from './platform/health/readiness.ts';
import { createLog, logBase } from './platform/log.ts';
import { createMetrics } from './platform/metrics/create-metrics.ts';
import type { Metrics } from './platform/metrics/metrics.ts';
import { setPrivateUmask } from './platform/storage/data-directory.ts';
import type { EmbedderService } from './search/embedding/embedder-service.ts';
import { createOwnTarget, createSharedTarget, type TargetChoice } from './search/embedding/target-choice.ts';
import type { Settings } from './settings.ts';
import { createSourceGauges } from './sources/source-gauges.ts';
import { createBacklogGauges } from './startup/backlog-gauges.ts';
import { createApi, listen } from './startup/create-api.ts';
import { createWorkspaceUpdates, followDownloads, followProcesses } from './startup/follow-changes.ts';
import { keepSources, type KeptFiles, openSourceFiles } from './startup/keep-sources.ts';
import { openStorage, type Storage } from './startup/open-storage.ts';
import { createLeaderGauge, openLeader, startPeriodicWork } from './startup/start-leader.ts';
import { findCopiesOfNewItems, matchNewItems, startSearch } from './startup/start-search.ts';
import { startWorkers } from './startup/start-workers.ts';
import { createPartGauge, createWaitGauges } from './startup/state-gauges.ts';
import { createVectorIndexGauge } from './startup/vector-index-gauge.ts';

export type Service = {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  url: string;
  version: string;
  db: Catalog;
  secrets: Secrets;
  /** Holds the scratch folders of this process and its workers: its data folder, or a folder of its own in one that is shared. */
  scratchDirectory: string;
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

/** Watches what this process needs to answer requests. */
function watchReadiness(
  { ping, assets, isShared }: Storage,
  embedding: EmbedderService,
  { storage }: Pick<Settings, 'storage'>,
  log: Logger,
): Readiness {
  return createReadiness(
    {
      database: { check: () => ping().then(() => null), isShared },
      storage: { check: () => assets.findProblem(), isShared: storage !== null },
      // Alone it uses another model then.
      ...(isShared ? { models: { check: () => Promise.resolve(embedding.problem()), isShared: false } } : {}),
    },
    log,
  );
}

/** Opens what is kept: of this process alone, or shared with others. */
async function openKept(
  settings: Settings,
  { metrics, log }: { metrics: Metrics; log: Logger },
  stack: AsyncDisposableStack,
): Promise<KeptFiles> {
  const { databaseUrl } = settings;
  return openSourceFiles(await openOwnOrShared(), settings, metrics.observeStorage);

  async function openOwnOrShared(): Promise<Storage> {
    if (databaseUrl === null) return openStorage(settings, log, stack, metrics.observeStorage);
    const { openSharedStorage } = await import('./startup/open-shared-storage.ts');
    return openSharedStorage(databaseUrl, settings, log, stack, metrics.observeStorage);
  }
}

function chooseTarget(settings: Settings, { db }: Storage, log: Logger): TargetChoice {
  const { databaseUrl, dataDirectory, embedder } = settings;
  const parts = { db, dataDirectory, setting: embedder, log };
  if (databaseUrl === null) return createOwnTarget(parts);
  return createSharedTarget(parts, (work) => withStartLock(databaseUrl, work));
}

/** Sends events to webhooks. A worker has no secrets to sign them with. */
function startDeliveries(
  { allowedAddresses }: Settings,
  { db, secrets, pubsub }: Storage,
  { metrics, log }: { metrics: Metrics; log: Logger },
  stack: AsyncDisposableStack,
): void {
  const deliveries = startWebhookDeliveries({ db, secrets, pubsub, allowedAddresses, metrics, log });
  stack.defer(() => deliveries.stop());
}

function addGauges(
  metrics: Metrics,
  { db, isShared }: Storage,
  { leader, readiness }: { leader: Leader; readiness: Readiness },
): void {
  for (const gauge of [
    ...createJobGauges(db),
    ...createSourceGauges(db),
    ...createWebhookGauges(db),
    ...createBacklogGauges(db),
    createLeaderGauge(leader),
    ...createWaitGauges(),
    createPartGauge(readiness),
    ...(isShared ? [createVectorIndexGauge(db)] : []),
  ])
    metrics.addGauge(gauge);
}

/** Starts one part after the other. What has to be stopped goes on the stack, which stops it in reverse order. */
async function startParts(settings: Settings, stack: AsyncDisposableStack): Promise<Started> {
  const { dataDirectory, databaseUrl, role } = settings;
  const log = createLog(settings.logLevel, logBase(role));
  const metrics = createMetrics();
  const storage = await openKept(settings, { metrics, log }, stack);
  const { db, assets, scratch, secrets, pubsub } = storage;
  const workspaces = await listWorkspaces(db);
  const target = chooseTarget(settings, storage, log);
  const searchServices = await startSearch(settings, { db, target, metrics, log }, stack);
  const { embedding, stopping, queryPool } = searchServices;
  const readiness = watchReadiness(storage, embedding, settings, log);
  const speech = await startSpeechService({ dataDirectory, setting: settings.speech, hub: settings.modelHub, log });
  stack.defer(() => speech.stop());
  const exportPool = createExportPool(dataDirectory);
  const pictureFiles = createPictureFiles({ assets, scratch, queryPool });
  const shareFiles = createShareFiles({ db, assets, scratch, queryPool, exportPool });
  const parts = { ...searchServices, settings, storage, speech, metrics, readiness, log };
  // A database that is shared tells of its jobs itself.
  const onStored = () => void (storage.isShared || pubsub.publish(db, 'jobs', ''));
  const app =
    role === 'worker'
      ? buildProbeApp({ ...settings, metrics, readiness })
      : await createApi({ ...parts, exportPool, pictureFiles, shareFiles, onStored }, stack);
  if (!storage.isShared) {
    const watch = await watchLog(db, pubsub, log);
    stack.defer(() => watch.stop());
  }
  if (role !== 'worker') {
    matchNewItems(parts, stack);
    findCopiesOfNewItems(parts, stack);
  }
  const updates = createWorkspaceUpdates(searchServices, storage, log);
  const indexing = role === 'api' ? null : await startWorkers({ ...parts, updates }, stack);
  const leader = await openLeader(databaseUrl, log, stack);
  if (role !== 'worker') {
    startDeliveries(settings, storage, parts, stack);
    await keepSources(leader, settings, { storage, onStored, log });
  }
  startPeriodicWork(leader, { storage, shareFiles, pictureFiles, onStored, log });
  addGauges(metrics, storage, { leader, readiness });
  // Alone, most services are never asked.
  if (role !== 'all') void metrics.read();
  stack.defer(() => app.close());
  stack.defer(() => stopping.abort());
  const url = await listen(app, settings);
  const followed = { ...parts, updates, indexing, leader };
  if (storage.isShared) followProcesses(followed);
  else
    followDownloads(
      followed,
      workspaces.map(({ id }) => id),
    );
  return { url, version: packageJson.version, db, secrets, scratchDirectory: storage.scratchDirectory, readiness };
}
