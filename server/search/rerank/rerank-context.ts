import { setTimeout as delay } from 'node:timers/promises';
import type { VisionModel } from '@media-search/models/vision-model';
import { type AssetStore, glance } from '../../assets/asset-store.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { BusyError } from '../../platform/fair-queue.ts';
import type { EngineHit } from '../hits.ts';
import type { QueryPool } from '../query-workers/query-pool.ts';
import type { MediaSpan, QueryResult, QueryTask } from '../query-workers/query-tasks.ts';
import type { SearchEngine } from '../search-engine.ts';

export type RerankDependencies = {
  db: Catalog;
  assets: AssetStore;
  search: SearchEngine;
  queryPool: QueryPool;
  /** Judges hits by their frames; null: their views are compared. */
  visionModel: VisionModel | null;
};

/** The hits that are judged, and until when. */
export type RerankContext = {
  workspaceId: string;
  hits: EngineHit[];
  deadline: AbortSignal;
  whileWaiting: <Result>(wait: () => Promise<Result>) => Promise<Result>;
};

/** How long reading one hit may take before its file counts as unreadable. */
const hitTimeoutMs = 10_000;
/** Pause before a task is offered again to a pool that is full. */
const busyRetryMs = 100;

/**
 * Runs a task as soon as the pool has room. After the deadline no task begins; one that runs is not aborted, because that would end its
 * process, and the model loaded there.
 */
export async function runWhenFree<Kind extends 'frames' | 'views'>(
  queryPool: QueryPool,
  workspaceId: string,
  task: Extract<QueryTask, { kind: Kind }>,
  deadline: AbortSignal,
): Promise<QueryResult[Kind]> {
  for (;;) {
    deadline.throwIfAborted();
    try {
      return await queryPool.run(workspaceId, task, AbortSignal.timeout(hitTimeoutMs));
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
    }
    await delay(busyRetryMs, undefined, { signal: deadline });
  }
}

/** Gives `work` the span of a hit in a local file, which is there until `work` returns. */
export function withMediaSpan<Result>(
  assets: AssetStore,
  workspaceId: string,
  { chunk }: EngineHit,
  work: (span: MediaSpan) => Promise<Result>,
): Promise<Result> {
  const { rendition_file, type, mime_type, start_time: start, end_time: end } = chunk;
  const file = glance({ ...chunk, workspace_id: workspaceId, id: chunk.media_id });
  const mimeType = rendition_file && type === 'image' ? 'image/webp' : mime_type;
  return assets.withLocalCopy(file, (path) => work({ path, type, mimeType, start, end }));
}
