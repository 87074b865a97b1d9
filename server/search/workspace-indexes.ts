import type { IndexBuilder } from '@media-search/search-engine/builder/index-builder';
import type { IndexSnapshot } from '@media-search/search-engine/index/index-memory';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import { createIndexBudget } from './index-budget.ts';

type Parts = {
  builder: Pick<IndexBuilder, 'refresh' | 'close'>;
  /** Bytes of all indexes together. */
  maxBytes: number;
  /** Whether workspaces can be ranked without an index in memory: then not even one takes more than there is. */
  isOptional: boolean;
  /** Called when the index of a workspace could not be saved. */
  onProblem: (error: Error) => void;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Frees the memory of an index that is no longer searched. */
  forget: (indexId: string) => void;
};

/**
 * The indexes of the workspaces that were searched since the start, within a budget of memory. Those that were not searched for longest are closed for others: saved
 * where that is due, and loaded again by the next search.
 */
export function createWorkspaceIndexes(parts: Parts) {
  const { builder, maxBytes, isOptional, onProblem, getEmbedder, forget } = parts;
  const budget = createIndexBudget(maxBytes);
  /** Of each workspace the embedder whose index the builder was asked for last. */
  const asked = new Map<string, string>();
  /** Of each workspace the refresh in progress. */
  const refreshes = new Map<string, Promise<boolean>>();

  function refresh(workspaceId: string, { id, dimensions }: QueryEmbedder): Promise<boolean> {
    asked.set(workspaceId, id);
    const started = builder.refresh({ workspaceId, embedder: { id, dimensions } }).finally(() => {
      refreshes.delete(workspaceId);
      // Whoever waits for it takes it first.
      setImmediate(closeExcess);
    });
    refreshes.set(workspaceId, started);
    return started;
  }

  function closeExcess(): void {
    // What a search waits for stays.
    for (const workspaceId of budget.listExcess((id) => !refreshes.has(id), isOptional ? 0 : 1)) {
      const closed = budget.remove(workspaceId);
      asked.delete(workspaceId);
      if (closed !== undefined) forget(closed);
      builder.close(workspaceId).catch(onProblem);
    }
  }

  return {
    ...budget,

    /** Takes over what the builder sent. What it still sends of an embedder that is no longer active is dropped. */
    accept(workspaceId: string, embedderId: string, snapshot: IndexSnapshot): void {
      if (asked.get(workspaceId) !== embedderId) return;
      const replaced = budget.put(workspaceId, embedderId, snapshot);
      if (replaced !== undefined) forget(replaced);
      setImmediate(closeExcess);
    },

    /** Whether there is room for an index of so many chunks, which is kept for it until it is released: those that were not searched lately are closed for it. */
    reserve(workspaceId: string, dimensions: number, chunks: number): boolean {
      const hasRoom = budget.reserve(workspaceId, dimensions, chunks);
      if (hasRoom) closeExcess();
      return hasRoom;
    },

    /**
     * The index of an embedder with all changes up to one, or all that there are where that one is gone. `inactive`: another embedder is active; `building`: another process builds it, and has not saved it. Throws when the
     * builder fails.
     * @param outdated is not taken, however many changes it has
     */
    async open(
      workspaceId: string,
      embedderId: string,
      lastChange: number,
      outdated?: IndexSnapshot,
    ): Promise<IndexSnapshot | 'inactive' | 'building'> {
      for (let refreshed = 0; ; refreshed++) {
        const active = await getEmbedder(workspaceId);
        if (active.id !== embedderId) return 'inactive';
        const snapshot = budget.find(workspaceId, embedderId);
        // A refresh in progress may have begun before the last change, so another one may have to follow. Searches that arrive meanwhile share it.
        if (snapshot && snapshot !== outdated && (snapshot.change >= lastChange || refreshed > 1)) return snapshot;
        if (!(await (refreshes.get(workspaceId) ?? refresh(workspaceId, active)))) return 'building';
      }
    },
  };
}
