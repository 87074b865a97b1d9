import type { IndexSource } from '@media-search/search-engine/builder/index-source';
import { readChunkVectors } from '../catalog/media/chunk-vectors.ts';
import { listChangesAfter, readItemsForIndex, readLastChange } from '../catalog/media/item-changes.ts';
import { readMediaUsage } from '../catalog/media/media-totals.ts';
import { isInHistory, readTimeline } from '../catalog/media/timelines.ts';
import type { Catalog } from '../catalog/schema.ts';

/** The catalog as what search indexes follow. */
export const createIndexSource = (db: Catalog): IndexSource => ({
  countChunks: async (workspaceId) => (await readMediaUsage(db, workspaceId)).chunks,
  readLastChange: (workspaceId) => readLastChange(db, workspaceId),
  listChangesAfter: (workspaceId, sequence, limit) => listChangesAfter(db, workspaceId, sequence, limit),
  readItems: (workspaceId, ids) => readItemsForIndex(db, workspaceId, ids),
  readVectors: (workspaceId, embedderId, numbers) => readChunkVectors(db, workspaceId, embedderId, numbers),
  readTimeline: () => readTimeline(db),
  isInHistory: (position) => isInHistory(db, position),
});
