import path from 'node:path';
import type { Catalog } from '../catalog/schema.ts';
import { createFtsTextIndex } from './fts-text-index.ts';
import type { TextIndex } from './text-index.ts';
import { createUsearchIndex } from './usearch-index.ts';
import type { OpenVectorIndex } from './vector-index.ts';

/**
 * The indexes of a service on one machine: texts in the catalog, vectors in memory and in files.
 * @param directory where vector indexes are saved for the next start, in a folder for each workspace
 */
export function createLocalIndexes(
  db: Catalog,
  directory: string,
): { texts: TextIndex; openVectorIndex: OpenVectorIndex } {
  return {
    texts: createFtsTextIndex(db),
    openVectorIndex(workspaceId, embedder) {
      const name = `${embedder.id.replaceAll(/[^\w.-]+/g, '-')}.usearch`;
      return createUsearchIndex(db, workspaceId, embedder, path.join(directory, workspaceId, name));
    },
  };
}
