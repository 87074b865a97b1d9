import { createIndexRanker, type IndexRankerParts } from '../search/index-ranker.ts';
import { createSearchEngine, type SearchEngine } from '../search/search-engine.ts';

type Parts = Pick<IndexRankerParts, 'db' | 'location' | 'indexDirectory' | 'getEmbedder' | 'onProblem'>;

/** A search engine over the indexes of this process alone, of any size. */
export const startMemorySearch = (parts: Parts): SearchEngine =>
  createSearchEngine({
    ...parts,
    ranker: createIndexRanker({ ...parts, storage: null, maxBytes: Infinity, other: null }),
  });

/** The same over a catalog in SQLite. */
export const startEmbeddedSearch = ({
  catalogFile,
  ...parts
}: Omit<Parts, 'location'> & { catalogFile: string }): SearchEngine =>
  startMemorySearch({ ...parts, location: { file: catalogFile } });
