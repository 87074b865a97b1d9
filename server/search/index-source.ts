import type { IndexSource } from '@media-search/search-engine/builder/index-source';
import { dialectOf } from '../catalog/dialect/dialect.ts';
import { readChunkVectors } from '../catalog/media/chunk-vectors.ts';
import { listChangesAfter, readItemsForIndex, readLastChange } from '../catalog/media/item-changes.ts';
import { readMediaUsage } from '../catalog/media/media-totals.ts';
import { beginTimeline, isInHistory, readTimeline } from '../catalog/media/timelines.ts';
import type { Catalog } from '../catalog/schema.ts';
import { readPassageVectors } from '../catalog/texts/passages.ts';

/** The catalog as what search indexes follow. */
export function createIndexSource(db: Catalog): IndexSource {
  let known = '';
  return {
    async readIdentity() {
      // Null for a file, which is put back only while no process has it open.
      const identity = (await dialectOf(db).identity(db)) ?? '';
      // After a failover no process has started, so none has begun a timeline: saved indexes would count without one.
      if (identity !== known) await beginTimeline(db);
      known = identity;
      return identity;
    },
    countChunks: async (workspaceId) => (await readMediaUsage(db, workspaceId)).chunks,
    readLastChange: (workspaceId) => readLastChange(db, workspaceId),
    listChangesAfter: (workspaceId, sequence, limit) => listChangesAfter(db, workspaceId, sequence, limit),
    readItems: (workspaceId, ids) => readItemsForIndex(db, workspaceId, ids),
    readVectors: (workspaceId, embedderId, numbers) => readChunkVectors(db, workspaceId, embedderId, numbers),
    readPassageVectors: (workspaceId, numbers) => readPassageVectors(db, workspaceId, numbers),
    readTimeline: () => readTimeline(db),
    isInHistory: (position) => isInHistory(db, position),
  };
}
