import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { MediaLimits } from '@media-search/media/media-limits';
import { sentenceModel } from '@media-search/models/builtin/sentence-model';
import type { EmbedderReference } from '@media-search/models/embedder';
import type { SpeechModel } from '@media-search/models/speech/speech-models';
import type { FastifyBaseLogger } from 'fastify';
import type { AssetStore } from '../assets/asset-store.ts';
import { enqueueMissingExtractions } from '../catalog/queue/extraction-jobs.ts';
import { type HeldJob, holdsUpOthers, releaseJobsOf, type ReleaseReason } from '../catalog/queue/job-queue.ts';
import { requestMissingPassages } from '../catalog/queue/passage-jobs.ts';
import { requestMissingFingerprints } from '../catalog/reuse/fingerprints.ts';
import type { Catalog } from '../catalog/schema.ts';
import { extractionSources } from '../catalog/texts/text-extractions.ts';
import type { PubSub } from '../messaging/pubsub/pubsub.ts';
import type { EndedJob } from '../platform/metrics/metrics.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';
import { removeWorkerScratch } from '../platform/storage/scratch.ts';
import { watchForRelief } from './relief.ts';
import type { ToWorker, WorkerOptions } from './worker-messages.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

export type IndexingService = {
  /** Tells idle workers that a job was added. */
  wake(): void;
  /** Replaces all workers by ones that embed new items with another embedder. */
  setTargetEmbedder(target: EmbedderReference): void;
  /** Replaces all workers by ones that recognise speech with another model. */
  setSpeechModel(model: SpeechModel): void;
  /** Releases running jobs and ends all workers, after three seconds by SIGKILL. */
  stop(): Promise<void>;
};

type Parts = {
  db: Catalog;
  /** Of the catalog, which the workers open too. */
  location: CatalogLocation;
  /** Tells of jobs that other processes add. */
  pubsub: PubSub;
  dataDirectory: string;
  scratchDirectory: string;
  assets: AssetStore;
  /** Number of worker processes. */
  count: number;
  /** What everything is to be embedded with. */
  target: EmbedderReference;
  /** How much of one video is read. */
  limits: MediaLimits;
  /** What recognises text on screen: the setting `OCR`. */
  ocr: string;
  /** What recognises speech; null: nothing does. */
  speech: SpeechModel | null;
  logLevel: string;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  /** Called when a worker has ended a job, whatever its outcome. */
  onEnded: (workspaceId: string, attempt: EndedJob) => void;
};

/** What a running service may change. */
type Models = Pick<Parts, 'target' | 'speech'>;

const stopTimeoutMs = 3000;
/** A worker that dies right after its start must not be restarted in a tight loop. */
const restartDelayMs = 500;

/** Keeps `count` worker processes running and replaces those that crash or hang. */
export async function startIndexing(parts: Parts): Promise<IndexingService> {
  const { db, log } = parts;
  await enqueueMissingExtractions(
    db,
    extractionSources.filter((source) => parts[source] !== (source === 'ocr' ? 'off' : null)),
  );
  await requestMissingPassages(db, sentenceModel.id);
  await requestMissingFingerprints(db);
  // Process numbers are reused, and are the same on several machines.
  const owner = randomUUID();
  const workers = createWorkerSet(parts, owner);
  const wake = () => workers.broadcast('wake');
  const leave = [parts.pubsub.subscribe('jobs', wake), parts.pubsub.onGap(wake)];
  return {
    wake,

    setTargetEmbedder(target) {
      workers.use({ target });
      workers.broadcast('stop');
    },

    setSpeechModel(model) {
      workers.use({ speech: model });
      workers.broadcast('stop');
    },

    async stop() {
      for (const end of leave) end();
      await workers.stop();
      try {
        await releaseJobsOf(db, owner, 'stopped');
      } catch (error) {
        // Such as on a full disk. The next start releases them.
        log.warn({ err: error }, 'jobs were not put back');
      }
    },
  };
}

/** The worker processes of this service; one that exits is replaced until `stop`. @param owner what their identifiers begin with */
function createWorkerSet(parts: Parts, owner: string) {
  const { log } = parts;
  const running = new Set<WorkerProcess>();
  /** The one of them that is there in addition. */
  let relief: WorkerProcess | undefined;
  let models: Models = { target: parts.target, speech: parts.speech };
  let stopping = false;
  let startCount = 0;
  let onLastExit: () => void = () => undefined;

  function scheduleRestart(): void {
    setTimeout(() => {
      if (!stopping) start();
    }, restartDelayMs);
  }

  function start(relieves: HeldJob | null = null): void {
    startCount += 1;
    const options = createWorkerOptions({ ...parts, ...models, relieves }, `${owner}-${startCount}-`);
    try {
      const worker = startWorkerProcess(options, parts, log, {
        onEnded: parts.onEnded,
        onExit(code, signal, reason) {
          running.delete(worker);
          if (worker === relief) relief = undefined;
          else if (!stopping) scheduleRestart();
          if (running.size === 0) onLastExit();
          if (!stopping) cleanUp(parts, { id: options.id, code, signal, reason });
        },
      });
      running.add(worker);
      if (relieves) relief = worker;
    } catch (error) {
      log.error({ err: error }, 'a worker could not be started');
      if (!relieves) scheduleRestart();
    }
  }

  const broadcast = (message: ToWorker) => {
    for (const worker of running) worker.send(message);
  };

  for (let i = 0; i < parts.count; i++) start();
  const reliefWatch = watchForRelief(
    // One that is being replaced will take what waits.
    () => (stopping || relief || running.size < parts.count ? [] : [...running]),
    (job) => holdsUpOthers(parts.db, job),
    start,
  );
  return {
    broadcast,

    /** Workers that are started from now on use these models. */
    use: (changed: Partial<Models>) => void (models = { ...models, ...changed }),

    /** Ends all workers. */
    async stop(): Promise<void> {
      stopping = true;
      await reliefWatch.stop();
      const ended = new Promise<void>((resolve) => {
        onLastExit = resolve;
        if (running.size === 0) resolve();
      });
      broadcast('stop');
      await endInTime(running, ended);
    },
  };
}

/** Waits until workers have ended, and kills them when that takes long. */
async function endInTime(running: Iterable<WorkerProcess>, ended: Promise<void>): Promise<void> {
  const force = setTimeout(() => {
    for (const worker of running) worker.kill();
  }, stopTimeoutMs);
  await ended;
  clearTimeout(force);
}

/** How a worker ended, and why its jobs are put back. */
type Exit = { id: string; code: number | null; signal: NodeJS.Signals | null; reason: ReleaseReason };

/** Removes what a worker that has exited left half done, and releases its jobs. */
function cleanUp({ db, scratchDirectory, log }: Parts, { id, code, signal, reason }: Exit): void {
  if (code !== 0) log.warn({ worker: id, code, signal }, 'a worker ended and is replaced');
  const cleaned = [removeWorkerScratch(scratchDirectory, id), releaseJobsOf(db, id, reason)];
  for (const each of cleaned)
    each.catch((error: unknown) => log.error({ err: error }, 'a worker was not cleaned up after'));
}

/** What a worker is started with. @param id no other worker's begins with it */
function createWorkerOptions(parts: Parts & Pick<WorkerOptions, 'relieves'>, id: string): WorkerOptions {
  const { dataDirectory, scratchDirectory, target, logLevel, limits, ocr, speech, relieves } = parts;
  const threads = Math.max(1, Math.floor(availableParallelism() / parts.count));
  const borrowsAssets = !parts.assets.isLocal;
  return {
    id,
    dataDirectory,
    borrowsAssets,
    scratchDirectory,
    logLevel,
    target,
    limits,
    ocr,
    speech,
    threads,
    relieves,
  };
}
