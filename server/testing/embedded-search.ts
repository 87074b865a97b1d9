import { createEmbeddedRanker } from '../search/embedded-ranker.ts';
import { createSearchEngine, type SearchEngine } from '../search/search-engine.ts';

/** A search engine over the indexes of this process, as the service has it where the catalog is in SQLite. */
export const startEmbeddedSearch = (parts: Parameters<typeof createEmbeddedRanker>[0]): SearchEngine =>
  createSearchEngine({ ...parts, ranker: createEmbeddedRanker(parts) });
