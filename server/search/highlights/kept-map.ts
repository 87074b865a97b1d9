import type { ConceptTraits } from '@media-search/search-engine/highlights/match-concepts';
import type { GroupName } from '@media-search/search-engine/highlights/name-groups';
import type { MediaFilter } from '../../../contract/filters.ts';
import type { MapLayout } from '../../../contract/highlights.ts';
import type { VectorVersion } from '../../catalog/media/chunk-vectors.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readCacheFile } from './cache-file.ts';

/** Files of other versions are made again. */
export const mapVersion = 1;

/** Where the chunks of a workspace lie. */
export type ChunkMap = {
  /** The layout that was used. */
  layout: MapLayout;
  /** Where each chunk lies, both in 0..1. */
  points: { number: number; x: number; y: number }[];
  labels: GroupName[];
  /** How far each point is from the mean of all: a first idea of how unusual it is. Only in a first layout. */
  distances: number[] | null;
};

/** A map of all chunks of a workspace, as its file holds it. */
export type KeptMap = ChunkMap & { version: VectorVersion; format: number };

/** What is laid out, and what is at hand for it. */
export type MapTask = {
  workspaceId: string;
  embedderId: string;
  filter: MediaFilter;
  layout: MapLayout;
  /** `first`: principal components, which take a moment, without names. */
  stage: 'first' | 'whole';
  /** Where the map of all chunks is kept, and the graph of neighbours of the rankings. */
  files: { map: string; graph: string };
  /** The file of the vectors of concepts; null: groups have no names. */
  concepts: string | null;
  traits: ConceptTraits;
};

/** The map in a file, where it is one of this layout. */
export async function readKeptMap(db: Catalog, file: string, layout: MapLayout): Promise<KeptMap | null> {
  const kept = await readCacheFile<KeptMap>(db, file);
  // A few chunks have no groups, so their map says `pca` where the other was asked for.
  return kept?.format === mapVersion && (kept.layout === layout || layout === 'umap') ? kept : null;
}
