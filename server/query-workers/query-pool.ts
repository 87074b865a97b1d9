import type { CatalogLocation } from '../catalog/catalog-location.ts';
import { childEnvironment } from '../processes/child-catalog.ts';
import type { QueryResult, QueryTask, QueryWorkerOptions } from './query-tasks.ts';
import { createTaskPool } from './task-pool.ts';

/** Tasks that may take many seconds. */
const longTasks = new Set<QueryTask['kind']>(['outliers', 'map', 'sample', 'rankings']);

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
  });
