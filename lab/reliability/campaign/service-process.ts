import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readGreeting, waitForExit, spawnProgram } from '../../../server/testing/programs.ts';

/** The real service (`server/main.ts`) as a process group of its own, on a free port of the loopback interface. */
export type ServiceProcess = {
  url: string;
  /** Key of the first workspace; '' where the greeting does not say it. */
  key: string;
  port: number;
  /** The main process; also the number of its group. */
  pid: number;
  /** Exit status, or the signal that ended it; null while it runs. */
  exitStatus: () => string | null;
  /** The log, its last 32 MiB. */
  log: () => string;
  /** Sends a signal to the main process and all that it started. */
  signalAll: (signal: NodeJS.Signals) => void;
  /** Sends a signal to the main process alone. */
  signalMain: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit status once the main process has ended. */
  waitForExit: () => Promise<string>;
  /** Stops it by SIGTERM; returns its exit status. It is killed after 15 s. */
  stop: () => Promise<string>;
  /** Resident memory of all its processes, bytes; shared pages count once per process. */
  memoryBytes: () => number;
  /** Descriptors that the main process has open. */
  descriptors: () => string[];
  /** Processes of the group. */
  processes: () => number[];
  /** How a process was started. */
  commandOf: (pid: number) => string;
  /** Waits until no process of the group is left; those that stay for 20 s are killed, and an error is thrown. */
  waitUntilGone: () => Promise<void>;
};

const running = new Set<number>();
// However the campaign ends, no service keeps running.
process.on('exit', () => {
  for (const pid of running) signalGroup(pid, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/**
 * Starts the service and waits until it listens.
 * @param settings as environment variables; `DATA_DIR` has to be among them
 * @param onStarted gets the process before it listens, to disturb its start
 * @throws Error with the log when it ends instead
 */
export async function startServiceProcess(
  settings: Record<string, string> & { DATA_DIR: string },
  onStarted: (pid: number) => void = () => undefined,
): Promise<ServiceProcess> {
  const child = spawnProgram('main', [], { PORT: '0', LOG_LEVEL: 'warn', ...settings }, { detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error('The service could not be started.');
  running.add(pid);
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-32 * 2 ** 20);
  });
  let ended: string | null = null;
  const end = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => {
    ended = String(code ?? signal);
    return ended;
  });
  const gone = async () => {
    for (let i = 0; processesOfGroup(pid).length > 0; i++) {
      if (i === 200) {
        signalGroup(pid, 'SIGKILL');
        throw new Error(`Processes of the service stay: ${processesOfGroup(pid).map(commandOf).join('; ')}`);
      }
      await sleep(100);
    }
    running.delete(pid);
  };
  onStarted(pid);
  const { url, key } = await readGreeting(child);
  if (url === '') {
    const status = await end;
    await gone();
    throw new StartFailure(status, log);
  }

  return {
    url,
    key,
    port: Number(new URL(url).port),
    pid,
    exitStatus: () => ended,
    log: () => log,
    signalAll: (signal) => signalGroup(pid, signal),
    signalMain: (signal) => void child.kill(signal),
    waitForExit: () => end,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), 15_000);
      const status = await end;
      clearTimeout(timer);
      await gone();
      return status;
    },
    memoryBytes: () => processesOfGroup(pid).reduce((sum, member) => sum + residentBytes(member), 0),
    descriptors: () => openDescriptors(pid),
    processes: () => processesOfGroup(pid),
    commandOf,
    waitUntilGone: gone,
  };
}

/** Settings of most campaigns: the descriptors, no recognition of text, one worker and no rate limit. */
export const campaignSettings = {
  EMBEDDER: 'descriptors',
  OCR: 'off',
  SPEECH: 'off',
  WORKERS: '1',
  REQUESTS_PER_MINUTE: '0',
};

/** The service ended before it listened. */
export class StartFailure extends Error {
  override name = 'StartFailure';
  /** Exit status, or the signal that ended it. */
  readonly status: string;

  constructor(status: string, log: string) {
    super(`The service ended with ${status} at its start: ${log}`);
    this.status = status;
  }
}

const commandOf = (pid: number): string => readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

/**
 * Runs a command of `admin` on a data folder.
 * @param killAfter milliseconds after which it is killed, unless it has ended
 */
export async function admin(
  dataDirectory: string,
  args: string[],
  { killAfter, settings = {} }: { killAfter?: number; settings?: Record<string, string> } = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawnProgram('admin', args, { ...settings, DATA_DIR: dataDirectory });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  const ended = await waitForExit(child);
  clearTimeout(timer);
  return ended;
}

/** The output of an `admin` command, trimmed. Throws when it fails. */
export async function adminOutput(dataDirectory: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await admin(dataDirectory, args);
  if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${err}`);
  return out.trim();
}

/** Returns an API key of a workspace. `My workspace` exists from the start; any other is created. */
export function createWorkspaceKey(dataDirectory: string, name = 'My workspace'): Promise<string> {
  return name === 'My workspace'
    ? adminOutput(dataDirectory, 'key')
    : adminOutput(dataDirectory, 'workspace', 'create', name);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of them have ended.
  }
}

/** Processes of a group, by Linux's /proc; elsewhere none. */
function processesOfGroup(group: number): number[] {
  return readEntries('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      // After the name in parentheses: state, parent, group.
      const fields = readText(`/proc/${pid}/stat`)
        .replace(/^.*\) /, '')
        .split(' ');
      return Number(fields[2]) === group && fields[0] !== 'Z';
    });
}

const residentBytes = (pid: number): number =>
  1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0);

function openDescriptors(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readEntries(folder).flatMap((name) => {
    try {
      return [readlinkSync(path.join(folder, name))];
    } catch {
      return [];
    }
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readEntries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
