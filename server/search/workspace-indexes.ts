import { readLastChange } from '../catalog/item-changes.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { IndexBuilder } from './builder/index-builder.ts';
import type { IndexSnapshot } from './index/index-memory.ts';

/** The active embedder of a workspace, and what a search reads of its index. */
export type WorkspaceIndex = { workspaceId: string; embedder: QueryEmbedder; snapshot: IndexSnapshot };

type Parts = {
  db: Catalog;
  builder: Pick<IndexBuilder, 'refresh'>;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Frees the memory of an index that is no longer searched. */
  forget: (indexId: string) => void;
};

/** The indexes of the workspaces that were searched since the start. */
export function createWorkspaceIndexes({ db, builder, getEmbedder, forget }: Parts) {
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

  return {
    /** Takes over what the builder sent. What it still sends of an embedder that is no longer active is dropped. */
    accept(workspaceId: string, embedderId: string, snapshot: IndexSnapshot): void {
      if (asked.get(workspaceId) !== embedderId) return;
      const before = current.get(workspaceId);
      if (before && before.snapshot.indexId !== snapshot.indexId) forget(before.snapshot.indexId);
      current.set(workspaceId, { embedderId, snapshot });
    },

    /** The index with all that was stored when it was asked for. Throws when the builder fails. */
    async open(workspaceId: string): Promise<WorkspaceIndex> {
      const lastChange = await readLastChange(db, workspaceId);
      for (;;) {
        const embedder = await getEmbedder(workspaceId);
        const known = current.get(workspaceId);
        if (known?.embedderId === embedder.id && known.snapshot.change >= lastChange) {
          return { workspaceId, embedder, snapshot: known.snapshot };
        }
        // A refresh in progress may have begun before the last change, so another one may have to follow. Searches that arrive meanwhile share it.
        await (refreshes.get(workspaceId) ?? refresh(workspaceId, embedder));
      }
    },
  };
}
