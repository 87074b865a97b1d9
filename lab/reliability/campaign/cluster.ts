import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, StartFailure, startServiceProcess } from './service-process.ts';

/** One process of a cluster, which is started again under the same address after it was killed. */
export type Member = {
  /** Such as `api1`. */
  name: string;
  role: 'api' | 'worker';
  /** Where it answers, as soon as it was started once. */
  url: () => string;
  isRunning: () => boolean;
  /** The log of the process that runs, or of the last one. */
  log: () => string;
  /** Starts it, and waits until it wants requests. */
  start: () => Promise<void>;
  /** Ends it and all that it started by `kill -9`. */
  kill: () => Promise<void>;
  /** Stops it by SIGTERM. @returns its exit status */
  stop: () => Promise<string>;
};

export type Cluster = AsyncDisposable & { members: Member[]; apis: Member[]; workers: Member[] };

/** A process that does not become ready in this time has failed, milliseconds. */
const readyTimeoutMs = 60_000;

/**
 * Processes of one service: API processes and workers with a data folder each, on one database and one store.
 * @param folder for their data folders and their secret key
 * @param settings that all have: `DATABASE_URL`, `STORAGE_URL` and so on; without a bucket also `DATA_DIR`
 * Nothing is started yet.
 */
export function createCluster(
  folder: string,
  { apis, workers }: { apis: number; workers: number },
  settings: Record<string, string>,
): Cluster {
  const create = (role: Member['role'], count: number) =>
    Array.from({ length: count }, (_, i) =>
      createMember(`${role}${i + 1}`, role, {
        DATA_DIR: path.join(folder, `${role}${i + 1}`),
        SECRET_KEY_FILE: path.join(folder, 'secret.key'),
        ...settings,
        ROLE: role,
      }),
    );
  const members = [...create('api', apis), ...create('worker', workers)];
  return {
    members,
    apis: members.filter(({ role }) => role === 'api'),
    workers: members.filter(({ role }) => role === 'worker'),
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member.kill()));
    },
  };
}

function createMember(
  name: string,
  role: Member['role'],
  settings: Record<string, string> & { DATA_DIR: string },
): Member {
  let port = '0';
  let running: ServiceProcess | undefined;
  let url = '';
  let log = () => '';
  return {
    name,
    role,
    url: () => url,
    isRunning: () => running?.exitStatus() === null,
    log: () => log(),

    async start() {
      const started = await startServiceProcess({ ...settings, PORT: port });
      running = started;
      ({ url, log } = started);
      port = String(started.port);
      await waitUntilReady(started);
    },

    async kill() {
      if (running?.exitStatus() !== null) return;
      running.signalAll('SIGKILL');
      await running.waitForExit();
      await running.waitUntilGone();
    },

    stop: async () => (running ? running.stop() : '0'),
  };
}

async function waitUntilReady({ url, log, exitStatus }: ServiceProcess): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < readyTimeoutMs; await sleep(100)) {
    const status = exitStatus();
    if (status !== null) throw new StartFailure(status, log());
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error(`${url} did not become ready: ${log()}`);
}
