import type { Catalog } from '../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { DuplicateThresholds } from './deduplicate.ts';
import { createThresholdReader } from './duplicate-thresholds.ts';
import type { ManagedVectorIndex, OpenVectorIndex } from './vector-index.ts';

/** The active embedder of a workspace and the index of its vectors. */
export type WorkspaceIndex = {
  workspaceId: string;
  embedder: QueryEmbedder;
  vectors: ManagedVectorIndex;
  readThresholds: () => Promise<DuplicateThresholds>;
};

/** The indexes of the workspaces that were searched since the start. */
export function createWorkspaceIndexes({
  db,
  openVectorIndex,
  getEmbedder,
}: {
  db: Catalog;
  openVectorIndex: OpenVectorIndex;
  /** The active embedder of a workspace. When it changes, the index is rebuilt. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
}) {
  const indexes = new Map<string, WorkspaceIndex>();

  /** The index as of the last search; it may be empty. */
  async function get(workspaceId: string): Promise<WorkspaceIndex> {
    const embedder = await getEmbedder(workspaceId);
    const existing = indexes.get(workspaceId);
    if (existing?.embedder.id === embedder.id) return existing;
    const vectors = openVectorIndex(workspaceId, embedder);
    const readThresholds = createThresholdReader(db, workspaceId, vectors, embedder);
    const index = { workspaceId, embedder, vectors, readThresholds };
    indexes.set(workspaceId, index);
    await existing?.vectors.discard();
    return index;
  }

  return {
    get,

    /** The index, updated with all stored vectors. */
    async open(workspaceId: string): Promise<WorkspaceIndex> {
      const index = await get(workspaceId);
      await index.vectors.refresh();
      return index;
    },

    /** Drops deleted chunks. */
    remove: (workspaceId: string, numbers: number[]): void => indexes.get(workspaceId)?.vectors.remove(numbers),

    async save(): Promise<void> {
      for (const { vectors } of indexes.values()) await vectors.save();
    },
  };
}
