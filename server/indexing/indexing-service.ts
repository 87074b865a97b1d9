import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { releaseAllJobs, releaseJobsOf } from '../catalog/job-queue.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { EmbedderReference } from '../models/embedder.ts';
import type { MediaLimits } from './indexed-media.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './worker-messages.ts';

export type IndexingService = {
  /** There is a new job. */
  wake(): void;
  /** Replaces all workers by such as embed everything with another embedder. */
  setTargetEmbedder(target: EmbedderReference): void;
  /** Puts jobs in hand back and ends all workers, by force after three seconds. */
  stop(): Promise<void>;
};

/** A busy worker that has not advanced for this long hangs in a decoder: it is ended, and the attempt counts. */
const hangTimeoutMs = 5 * 60_000;
const stopTimeoutMs = 3000;
/** A worker that dies right after its start must not be started over and over at full speed. */
const restartDelayMs = 500;

/** Keeps `count` worker processes running and replaces those that crash or hang. */
export async function startIndexing(parts: {
  db: Catalog;
  dataDirectory: string;
  count: number;
  /** What everything is to be embedded with. */
  target: EmbedderReference;
  /** How much of one video is read. */
  limits: MediaLimits;
  logLevel: string;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  /** Told when a worker has ended a job, whatever its outcome. */
  onEnded: (workspaceId: string) => void;
}): Promise<IndexingService> {
  const { db, log } = parts;
  const workers = new Set<ChildProcess>();
  let stopping = false;
  let started = 0;
  let onLastEnded: () => void = () => undefined;
  let { target } = parts;
  const threads = Math.max(1, Math.floor(availableParallelism() / parts.count));

  // No worker of ours runs yet, so whoever holds a job is gone. The attempt counts: the file may have taken all down.
  await releaseAllJobs(db, 'broke off');

  function scheduleRestart(): void {
    setTimeout(() => {
      if (!stopping) start();
    }, restartDelayMs);
  }

  function start(): void {
    started += 1;
    const options: WorkerOptions = {
      // Process numbers come again, and a worker of an earlier service may still be there.
      id: `${process.pid}-${started}-${randomUUID()}`,
      dataDirectory: parts.dataDirectory,
      logLevel: parts.logLevel,
      target,
      limits: parts.limits,
      threads,
    };
    let worker: ChildProcess;
    try {
      worker = fork(new URL('./worker.ts', import.meta.url), [JSON.stringify(options)], {
        execArgv: [],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
    } catch (error) {
      log.error({ err: error }, 'a worker could not be started');
      scheduleRestart();
      return;
    }
    workers.add(worker);
    let watchdog: NodeJS.Timeout | undefined;
    worker.on('message', (message: FromWorker) => {
      clearTimeout(watchdog);
      if (message.kind === 'ended') {
        parts.onEnded(message.workspaceId);
      } else {
        watchdog = setTimeout(() => {
          log.error({ worker: options.id }, 'a worker hangs and is ended');
          worker.kill('SIGKILL');
        }, hangTimeoutMs);
      }
    });
    worker.on('error', (error) => {
      log.warn({ worker: options.id, err: error }, 'a worker could not be started or reached');
      // One that was never started does not exit either.
      if (worker.pid === undefined) ended(null, null);
    });
    worker.on('exit', ended);

    function ended(code: number | null, signal: NodeJS.Signals | null): void {
      clearTimeout(watchdog);
      workers.delete(worker);
      if (workers.size === 0) onLastEnded();
      if (stopping) return;
      if (code !== 0) log.warn({ worker: options.id, code, signal }, 'a worker ended and is replaced');
      releaseJobsOf(db, options.id, 'broke off').catch((error: unknown) =>
        log.error({ err: error }, 'jobs were not released'),
      );
      scheduleRestart();
    }
  }

  for (let i = 0; i < parts.count; i++) start();
  const broadcast = (message: ToWorker) => {
    // A worker that died meanwhile cannot be reached: its end is seen by `exit`.
    for (const worker of workers) if (worker.connected) worker.send(message, () => undefined);
  };

  return {
    wake: () => broadcast('wake'),
    setTargetEmbedder(next) {
      target = next;
      broadcast('stop');
    },
    async stop() {
      stopping = true;
      const ended = new Promise<void>((resolve) => {
        onLastEnded = resolve;
        if (workers.size === 0) resolve();
      });
      broadcast('stop');
      const force = setTimeout(() => {
        for (const worker of workers) worker.kill('SIGKILL');
      }, stopTimeoutMs);
      await ended;
      clearTimeout(force);
      try {
        await releaseAllJobs(db, 'stopped');
      } catch (error) {
        // Such as on a full disk. The next start puts them back.
        log.warn({ err: error }, 'jobs were not put back');
      }
    },
  };
}
