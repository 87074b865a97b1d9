import { childEnvironment } from '../../catalog/child-catalog.ts';
import { createTaskPool } from '../../jobs/task-pool.ts';
import type { CatalogLocation } from '../../platform/storage/data-directory.ts';
import type { QueryResult, QueryTask, QueryWorkerOptions } from './query-tasks.ts';

/** Tasks that may take many seconds. */
const longTasks = new Set<QueryTask['kind']>([
  'outliers',
  'map',
  'concepts',
  'rankings',
  'frame',
  'scaled photo',
  'copies',
  'footage',
]);

/** For how long tasks that read one file run, milliseconds; the first of a worker loads a model. */
const timeLimits = { frame: 10_000, image: 30_000, moment: 30_000, footage: 150_000, 'scaled photo': 30_000 };

export type QueryPool = ReturnType<typeof createQueryPool>;

/**
 * Worker processes for the heavy parts of requests.
 * @param concurrency number of workers
 */
export const createQueryPool = (dataDirectory: string, location: CatalogLocation, concurrency: number) =>
  createTaskPool<QueryTask, QueryResult>({
    filename: new URL('./query-worker.ts', import.meta.url),
    options: { dataDirectory } satisfies QueryWorkerOptions,
    environment: childEnvironment(location),
    concurrency,
    longTasks,
    sparesShort: true,
    timeLimits,
  });
