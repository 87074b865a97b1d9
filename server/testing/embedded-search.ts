import { createIndexRanker } from '../search/index-ranker.ts';
import { createSearchEngine, type SearchEngine } from '../search/search-engine.ts';

type Parts = Omit<Parameters<typeof createIndexRanker>[0], 'location'> & { catalogFile: string };

/** A search engine over the indexes of this process, as the service has it where the catalog is in SQLite. */
export const startEmbeddedSearch = ({ catalogFile, ...parts }: Parts): SearchEngine =>
  createSearchEngine({ ...parts, ranker: createIndexRanker({ ...parts, location: { file: catalogFile } }) });
