import { createWorkerPool } from '../processes/worker-pool.ts';
import { createFairQueue } from '../query-workers/fair-queue.ts';
import { toTaskError } from '../query-workers/task-errors.ts';
import type { ExportResult, ExportTask, ExportWorkerOptions } from './export-tasks.ts';

export type ExportPool = ReturnType<typeof createExportPool>;

/** Tasks that may take minutes. Those of one workspace never take the last worker. */
const longTasks = new Set<ExportTask['kind']>(['clip', 'animation']);

const concurrency = 2;

/** Worker processes that cut and encode. They start with the first task and end when there is none; one that crashes is replaced. */
export function createExportPool(dataDirectory: string) {
  const options: ExportWorkerOptions = { dataDirectory };
  const pool = createWorkerPool({
    filename: new URL('./export-worker.ts', import.meta.url),
    argv: [JSON.stringify(options)],
    maxProcesses: concurrency,
    minProcesses: 0,
  });
  const queue = createFairQueue(concurrency);
  return {
    /**
     * Runs a task. Throws what the task throws (an `UnreadableMediaError` keeps its name, not its class), `BusyError`, `CrashError`,
     * and the signal's reason when aborted; the worker that runs the task is then ended.
     */
    async run<Kind extends ExportTask['kind']>(
      workspaceId: string,
      task: Extract<ExportTask, { kind: Kind }>,
      signal: AbortSignal,
    ): Promise<ExportResult[Kind]> {
      const endTurn = await queue.waitForTurn(workspaceId, longTasks.has(task.kind), signal);
      try {
        return (await pool.run(task, signal)) as ExportResult[Kind];
      } catch (error) {
        signal.throwIfAborted();
        throw toTaskError(error);
      } finally {
        endTurn();
      }
    },
    stop: (): Promise<void> => pool.stop(),
  };
}
