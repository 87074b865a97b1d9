import { ChildProcess } from 'node:child_process';
import { Tinypool } from 'tinypool';
import { inheritedEnvironment } from './drop-privileges.ts';

/**
 * A pool of child processes. When one dies its task fails, and the next task starts another. The service is never affected.
 * @param options.filename module whose default export runs a task; it calls `initializeChildProcess`
 * @param options.maxProcesses processes at the same time
 * @param options.minProcesses processes that stay when there is no task
 */
export function createWorkerPool(options: {
  filename: URL;
  argv?: string[];
  /** Variables of the processes; this process's by default. */
  environment?: NodeJS.ProcessEnv | undefined;
  maxProcesses: number;
  minProcesses: number;
}) {
  const pool = new Tinypool({
    runtime: 'child_process',
    filename: options.filename.href,
    argv: options.argv ?? [],
    execArgv: [],
    // Nothing is inherited otherwise. The service has removed what a child must not know.
    env: (options.environment ?? inheritedEnvironment()) as Record<string, string>,
    minThreads: options.minProcesses,
    maxThreads: options.maxProcesses,
    idleTimeout: 60_000,
  });
  // Emitted for a worker that died without a task. Nothing waits for it, and the next task starts another.
  pool.on('error', () => undefined);
  const initialized = new WeakSet<ChildProcess>();

  /** Sets up the processes that the pool has started since the last call. */
  function initializeProcesses(): void {
    for (const worker of pool.threads) {
      const { process: child } = worker as unknown as { process: unknown };
      if (!(child instanceof ChildProcess) || initialized.has(child)) continue;
      initialized.add(child);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
      // The pool ends a process by SIGTERM, which workers ignore, and only a second later by SIGKILL.
      child.kill = (signal) => ChildProcess.prototype.kill.call(child, signal ?? 'SIGKILL');
    }
  }
  initializeProcesses();

  return {
    /** Runs a task. Throws what the task throws, as a plain object, or an error when its process died. */
    run(task: unknown, signal?: AbortSignal): Promise<unknown> {
      const result: Promise<unknown> = pool.run(task, signal ? { signal } : {});
      initializeProcesses();
      return result;
    },
    /** Replaces the processes, each after its task. */
    async recycle(): Promise<void> {
      await pool.recycleWorkers();
      initializeProcesses();
    },
    async stop(): Promise<void> {
      initializeProcesses();
      await pool.destroy();
    },
  };
}
