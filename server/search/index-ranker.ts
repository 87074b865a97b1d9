import { Worker } from 'node:worker_threads';
import { createIndexBuilder } from '@media-search/search-engine/builder/index-builder';
import type { IndexSnapshot } from '@media-search/search-engine/index/index-memory';
import { createSearchThreads } from '@media-search/search-engine/ranking/search-threads';
import { listChunkNumbers } from '../catalog/media/chunks.ts';
import { toIndexFilter } from '../catalog/media/media-filter.ts';
import { readMediaUsage } from '../catalog/media/media-totals.ts';
import { readWorkspaceState, type WorkspaceState } from '../catalog/media/workspace-state.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import { pickTraits, type Ranker, type SeenState } from './ranker.ts';
import { createWorkspaceIndexes } from './workspace-indexes.ts';

/** Fewer chunks than this are read from the catalog within some tenths of a second. */
const minWarmChunks = 2000;
/** How long a workspace is asked for its last change before each ranking, after one that lacked a change, milliseconds. */
const checkedFirstMs = 5000;

type Parts = {
  db: Catalog;
  location: CatalogLocation;
  /** Where indexes are saved for the next start. */
  indexDirectory: string;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Called when an index could not be improved or saved; searches go on. */
  onProblem: (error: Error) => void;
};

type Found = { snapshot: IndexSnapshot; labels: number; seen: SeenState };

/**
 * Ranks in threads of this process, over indexes in shared memory that follow the catalog.
 *
 * A search ranks over the index as it is. The state of the workspace is read with the hits, and a ranking that lacked a change is done once more, after the
 * builder has followed it: so a search costs one round trip to the database, and finds all that was stored when it began. A workspace that changes all the
 * time would be ranked twice for each search; for some seconds after a ranking that lacked something, its state is therefore read first.
 */
export function createIndexRanker({ db, location, indexDirectory, getEmbedder, onProblem }: Parts): Ranker {
  const threads = createSearchThreads(
    (thread) => new Worker(new URL('./search-thread.ts', import.meta.url), { workerData: { thread, location } }),
  );
  const workerData = { location, directory: indexDirectory };
  const builder = createIndexBuilder(
    () => new Worker(new URL('./builder-thread.ts', import.meta.url), { workerData }),
    {
      onSnapshot: (...sent) => indexes.accept(...sent),
      onProblem,
    },
  );
  const indexes = createWorkspaceIndexes({
    builder,
    onProblem,
    getEmbedder,
    forget: (indexId) => threads.forget(indexId),
  });
  /** Of each workspace the last version of its labels that was seen, and until when its state is read before it is ranked. */
  const known = new Map<string, { labels: number; checkUntil: number }>();

  function note(workspaceId: string, { labels }: WorkspaceState, isMissed: boolean): void {
    const before = known.get(workspaceId);
    const checkUntil = isMissed ? performance.now() + checkedFirstMs : (before?.checkUntil ?? 0);
    known.set(workspaceId, { labels: Math.max(labels, before?.labels ?? 0), checkUntil });
  }

  /** The index of an embedder, with what is asked for; null when another one is active. */
  async function openFor(
    workspaceId: string,
    embedder: QueryEmbedder,
    atLeast: WorkspaceState | 'now' | undefined,
  ): Promise<Found | null> {
    if (atLeast === undefined) {
      const snapshot = indexes.find(workspaceId, embedder.id);
      const state = known.get(workspaceId);
      if (snapshot && state && state.checkUntil < performance.now()) {
        return { snapshot, labels: state.labels, seen: { change: snapshot.change, labels: state.labels } };
      }
    }
    const isMissed = typeof atLeast === 'object';
    const state = isMissed ? atLeast : await readWorkspaceState(db, workspaceId);
    note(workspaceId, state, isMissed);
    if (state.embedderId !== null && state.embedderId !== embedder.id) return null;
    const { embedder: active, snapshot } = await indexes.open(workspaceId, state.change);
    return active.id === embedder.id ? { snapshot, labels: state.labels, seen: null } : null;
  }

  return {
    async search(workspaceId, embedder, { filter, mediaId, atLeast, signal: _ignored, ...query }) {
      const found = await openFor(workspaceId, embedder, atLeast);
      if (!found) return null;
      const { snapshot, labels, seen } = found;
      const result = await threads.run(workspaceId, snapshot, {
        ...query,
        kind: 'search',
        workspaceId,
        labelVersion: labels,
        // -1 for a value that no item has.
        filter: toIndexFilter(filter, (label) => snapshot.labelValues.indexOf(label)),
        only: mediaId === undefined ? null : await listChunkNumbers(db, workspaceId, mediaId),
        traits: pickTraits(embedder),
      });
      return { ...result, seen };
    },

    async background(workspaceId, embedder, vector) {
      const found = await openFor(workspaceId, embedder, 'now');
      if (!found) return null;
      return threads.run(workspaceId, found.snapshot, { kind: 'background', vector, traits: pickTraits(embedder) });
    },

    async distinct(workspaceId, embedder, numbers, options) {
      const found = await openFor(workspaceId, embedder, 'now');
      if (!found) return null;
      const traits = pickTraits(embedder);
      return threads.run(workspaceId, found.snapshot, { kind: 'distinct', numbers, options, traits });
    },

    async warm(workspaceId) {
      // A small index is built by its first search.
      const { chunks } = await readMediaUsage(db, workspaceId);
      if (chunks < minWarmChunks && !indexes.isOpen(workspaceId)) return;
      const state = await readWorkspaceState(db, workspaceId);
      note(workspaceId, state, false);
      await indexes.open(workspaceId, state.change);
    },

    async stop() {
      await threads.stop();
      await builder.stop();
    },
  };
}
