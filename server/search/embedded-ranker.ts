import { Worker } from 'node:worker_threads';
import { createIndexBuilder } from '@media-search/search-engine/builder/index-builder';
import type { IndexSnapshot } from '@media-search/search-engine/index/index-memory';
import { createSearchThreads } from '@media-search/search-engine/ranking/search-threads';
import { listChunkNumbers } from '../catalog/media/chunks.ts';
import { toIndexFilter } from '../catalog/media/media-filter.ts';
import { readMediaUsage } from '../catalog/media/media-totals.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import { pickTraits, type Ranker } from './ranker.ts';
import { createWorkspaceIndexes } from './workspace-indexes.ts';

/** Fewer chunks than this are read from the catalog within some tenths of a second. */
const minWarmChunks = 2000;

type Parts = {
  db: Catalog;
  catalogFile: string;
  /** Where indexes are saved for the next start. */
  indexDirectory: string;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Called when an index could not be improved or saved; searches go on. */
  onProblem: (error: Error) => void;
};

/** Ranks in threads of this process, over indexes in shared memory that follow a catalog in SQLite. */
export function createEmbeddedRanker({ db, catalogFile, indexDirectory, getEmbedder, onProblem }: Parts): Ranker {
  const threads = createSearchThreads(
    (thread) =>
      new Worker(new URL('./search-thread.ts', import.meta.url), {
        name: `search ${thread}`,
        workerData: { thread, catalogFile },
      }),
  );
  const workerData = { catalogFile, directory: indexDirectory };
  const builder = createIndexBuilder(
    () => new Worker(new URL('./builder-thread.ts', import.meta.url), { workerData }),
    {
      onSnapshot: (...sent) => indexes.accept(...sent),
      onProblem,
    },
  );
  const indexes = createWorkspaceIndexes({
    db,
    builder,
    onProblem,
    getEmbedder,
    forget: (indexId) => threads.forget(indexId),
  });

  /** The index of an embedder; null when another one is active. */
  async function openFor(workspaceId: string, { id }: QueryEmbedder): Promise<IndexSnapshot | null> {
    const { embedder, snapshot } = await indexes.open(workspaceId);
    return embedder.id === id ? snapshot : null;
  }

  return {
    async search(workspaceId, embedder, { filter, mediaId, signal: _ignored, ...query }) {
      const snapshot = await openFor(workspaceId, embedder);
      if (!snapshot) return null;
      return threads.run(workspaceId, snapshot, {
        ...query,
        kind: 'search',
        workspaceId,
        // -1 for a value that no item has.
        filter: toIndexFilter(filter, (label) => snapshot.labelValues.indexOf(label)),
        only: mediaId === undefined ? null : await listChunkNumbers(db, workspaceId, mediaId),
        traits: pickTraits(embedder),
      });
    },

    async background(workspaceId, embedder, vector) {
      const snapshot = await openFor(workspaceId, embedder);
      if (!snapshot) return null;
      return threads.run(workspaceId, snapshot, { kind: 'background', vector, traits: pickTraits(embedder) });
    },

    async distinct(workspaceId, embedder, numbers, options) {
      const snapshot = await openFor(workspaceId, embedder);
      if (!snapshot) return null;
      return threads.run(workspaceId, snapshot, { kind: 'distinct', numbers, options, traits: pickTraits(embedder) });
    },

    async warm(workspaceId) {
      // A small index is built by its first search.
      const { chunks } = await readMediaUsage(db, workspaceId);
      if (chunks >= minWarmChunks || indexes.isOpen(workspaceId)) await indexes.open(workspaceId);
    },

    async stop() {
      await threads.stop();
      await builder.stop();
    },
  };
}
