import type { IndexBuilder } from '@media-search/search-engine/builder/index-builder';
import type { IndexSnapshot } from '@media-search/search-engine/index/index-memory';
import type { QueryEmbedder } from './embedding/text-embedders.ts';

/** The active embedder of a workspace, and what a search reads of its index. */
export type WorkspaceIndex = { workspaceId: string; embedder: QueryEmbedder; snapshot: IndexSnapshot };

/** Indexes in memory. Each reserves as much address space as it may ever need, of which a process has 128 TiB. */
const maxOpen = 1000;

type Parts = {
  builder: Pick<IndexBuilder, 'refresh' | 'close'>;
  /** Called when the index of a workspace could not be saved. */
  onProblem: (error: Error) => void;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Frees the memory of an index that is no longer searched. */
  forget: (indexId: string) => void;
};

/** The indexes of the workspaces that were searched since the start. */
export function createWorkspaceIndexes({ builder, onProblem, getEmbedder, forget }: Parts) {
  /** By workspace; the one that was searched last is the last. */
  const current = new Map<string, { embedderId: string; snapshot: IndexSnapshot }>();
  /** Of each workspace the embedder whose index the builder was asked for last. */
  const asked = new Map<string, string>();
  /** Of each workspace the refresh in progress. */
  const refreshes = new Map<string, Promise<void>>();

  function refresh(workspaceId: string, { id, dimensions }: QueryEmbedder): Promise<void> {
    asked.set(workspaceId, id);
    const started = builder
      .refresh({ workspaceId, embedder: { id, dimensions } })
      .finally(() => refreshes.delete(workspaceId));
    refreshes.set(workspaceId, started);
    return started;
  }

  /** Closes the indexes that were not searched for longest when there are too many. */
  function closeUnused(): void {
    for (const [workspaceId, { snapshot }] of current) {
      if (current.size <= maxOpen) return;
      // A search waits for it.
      if (refreshes.has(workspaceId)) continue;
      current.delete(workspaceId);
      asked.delete(workspaceId);
      forget(snapshot.indexId);
      builder.close(workspaceId).catch(onProblem);
    }
  }

  return {
    /** Takes over what the builder sent. What it still sends of an embedder that is no longer active is dropped. */
    accept(workspaceId: string, embedderId: string, snapshot: IndexSnapshot): void {
      if (asked.get(workspaceId) !== embedderId) return;
      const before = current.get(workspaceId);
      if (before && before.snapshot.indexId !== snapshot.indexId) forget(before.snapshot.indexId);
      current.set(workspaceId, { embedderId, snapshot });
      closeUnused();
    },

    /** Whether a workspace was searched lately. */
    isOpen: (workspaceId: string): boolean => current.has(workspaceId),

    /** The index of an embedder as it is; null: there is none yet. */
    find(workspaceId: string, embedderId: string): IndexSnapshot | null {
      const known = current.get(workspaceId);
      if (known?.embedderId !== embedderId) return null;
      current.delete(workspaceId);
      current.set(workspaceId, known);
      return known.snapshot;
    },

    /** The index with all changes up to one. Throws when the builder fails. */
    async open(workspaceId: string, lastChange: number): Promise<WorkspaceIndex> {
      for (;;) {
        const embedder = await getEmbedder(workspaceId);
        const known = current.get(workspaceId);
        if (known?.embedderId === embedder.id && known.snapshot.change >= lastChange) {
          current.delete(workspaceId);
          current.set(workspaceId, known);
          return { workspaceId, embedder, snapshot: known.snapshot };
        }
        // A refresh in progress may have begun before the last change, so another one may have to follow. Searches that arrive meanwhile share it.
        await (refreshes.get(workspaceId) ?? refresh(workspaceId, embedder));
      }
    },
  };
}
