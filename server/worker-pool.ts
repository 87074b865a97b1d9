import { ChildProcess } from 'node:child_process';
import { Tinypool } from 'tinypool';

/**
 * A pool of child processes. One that dies fails its task and is replaced with the next one; it never takes the service along.
 * @param options.filename module whose default export does a task; it calls `followService`
 * @param options.atOnce how many processes there are at most
 * @param options.kept how many are kept when there is nothing to do
 */
export function createWorkerPool(options: { filename: URL; argv?: string[]; atOnce: number; kept: number }) {
  const pool = new Tinypool({
    runtime: 'child_process',
    filename: options.filename.href,
    argv: options.argv ?? [],
    execArgv: [],
    minThreads: options.kept,
    maxThreads: options.atOnce,
    idleTimeout: 60_000,
  });
  // Of a worker that died without a task: nobody waits for it, and the next task starts another.
  pool.on('error', () => undefined);
  const adopted = new WeakSet<ChildProcess>();

  /** Takes charge of processes that the pool has started. */
  function adopt(): void {
    for (const worker of pool.threads) {
      const { process: child } = worker as unknown as { process: unknown };
      if (!(child instanceof ChildProcess) || adopted.has(child)) continue;
      adopted.add(child);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
      // The pool ends a process by SIGTERM, which workers leave to the service, and only a second later by SIGKILL.
      child.kill = (signal) => ChildProcess.prototype.kill.call(child, signal ?? 'SIGKILL');
    }
  }
  adopt();

  return {
    /** Runs a task. Throws what the task throws, as a plain object, or an error when its process died. */
    run(task: unknown, signal?: AbortSignal): Promise<unknown> {
      const result: Promise<unknown> = pool.run(task, signal ? { signal } : {});
      adopt();
      return result;
    },
    /** Replaces the processes, each after its task. */
    async recycle(): Promise<void> {
      await pool.recycleWorkers();
      adopt();
    },
    async stop(): Promise<void> {
      adopt();
      await pool.destroy();
    },
  };
}
