import { type ChildProcess, fork } from 'node:child_process';
import type { FastifyBaseLogger } from 'fastify';
import { type AssetCall, lendAssets } from '../assets/asset-rpc.ts';
import type { AssetStore } from '../assets/asset-store.ts';
import { childEnvironment } from '../catalog/child-catalog.ts';
import type { HeldJob, ReleaseReason } from '../catalog/queue/job-queue.ts';
import type { EndedJob } from '../platform/metrics/metrics.ts';
import { watchForHang } from '../platform/processes/hang-watch.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './worker-messages.ts';

export type WorkerProcess = {
  /** Sends a message. One that has died meanwhile cannot be reached: `onExit` follows. */
  send(message: ToWorker): void;
  /** Ends the process at once. */
  kill(): void;
  /** The job that it is at, and since when (`performance.now`); null: none. */
  underWay(): { job: HeldJob; since: number } | null;
};

/**
 * Starts a worker process and ends it when it hangs. Throws when the system cannot start a process.
 * @param events `onEnded`: it has ended a job of a workspace, whatever the outcome; `onExit`: the process is gone, or could not be started;
 * `reason`: why its jobs are put back
 */
export function startWorkerProcess(
  options: WorkerOptions,
  { assets, location }: { assets: AssetStore; location: CatalogLocation },
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>,
  events: {
    onEnded: (workspaceId: string, attempt: EndedJob) => void;
    onExit: (code: number | null, signal: NodeJS.Signals | null, reason: ReleaseReason) => void;
  },
): WorkerProcess {
  const child: ChildProcess = fork(new URL('./worker.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: [],
    env: childEnvironment(location),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // Also where files are in the data folder: originals may be in buckets, to which it has no keys.
  lendAssets(child, assets);
  let reason: ReleaseReason = 'broke off';
  let underWay: ReturnType<WorkerProcess['underWay']> = null;
  const watchdog = watchForHang(child, () => {
    reason = 'hung';
    log.error({ worker: options.id }, 'a worker hangs and is ended');
    child.kill('SIGKILL');
  });
  child.on('message', (message: FromWorker | AssetCall) => {
    if (message.kind === 'assets') return;
    if (message.kind === 'begun') underWay = { job: message.job, since: performance.now() };
    if (message.kind === 'ended') {
      underWay = null;
      watchdog.rest();
      events.onEnded(message.workspaceId, message.attempt);
    } else {
      watchdog.advance();
    }
  });
  const handleExit = (code: number | null, signal: NodeJS.Signals | null) => {
    watchdog.rest();
    events.onExit(code, signal, reason);
  };
  child.on('error', (error) => {
    log.warn({ worker: options.id, err: error }, 'a worker could not be started or reached');
    // A process that was never started emits no `exit`.
    if (child.pid === undefined) handleExit(null, null);
  });
  child.on('exit', handleExit);
  return {
    send(message) {
      if (child.connected) child.send(message, () => undefined);
    },
    kill: () => void child.kill('SIGKILL'),
    underWay: () => underWay,
  };
}
