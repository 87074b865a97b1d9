import { createTaskPool } from '../../jobs/task-pool.ts';
import type { ExportResult, ExportTask, ExportWorkerOptions } from './export-tasks.ts';

export type ExportPool = ReturnType<typeof createExportPool>;

/** Tasks that may take minutes. */
const longTasks = new Set<ExportTask['kind']>(['clip', 'animation']);

const concurrency = 2;

/** Worker processes that cut and encode. */
export const createExportPool = (dataDirectory: string) =>
  createTaskPool<ExportTask, ExportResult>({
    filename: new URL('./export-worker.ts', import.meta.url),
    options: { dataDirectory } satisfies ExportWorkerOptions,
    concurrency,
    longTasks,
  });
