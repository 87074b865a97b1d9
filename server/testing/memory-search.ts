import { createIndexRanker, type IndexRanker, type IndexRankerParts } from '../search/index-ranker.ts';
import { createSearchEngine, type SearchEngine } from '../search/search-engine.ts';

type Parts = Pick<IndexRankerParts, 'db' | 'location' | 'indexDirectory' | 'getEmbedder' | 'onProblem'>;

/** Ranks over the indexes of this process alone, of any size. */
export const startMemoryRanker = (parts: Parts): IndexRanker =>
  createIndexRanker({ ...parts, storage: null, maxBytes: Infinity, other: null });

/** A search engine over them. */
export const startMemorySearch = (parts: Parts): SearchEngine =>
  createSearchEngine({ ...parts, ranker: startMemoryRanker(parts) });

/** The same over a catalog in SQLite. */
export const startEmbeddedSearch = ({
  catalogFile,
  ...parts
}: Omit<Parts, 'location'> & { catalogFile: string }): SearchEngine =>
  startMemorySearch({ ...parts, location: { file: catalogFile } });
