import { workerData } from 'node:worker_threads';
import { serveSearches } from '@media-search/search-engine/ranking/serve-searches';
import { openSearchReader } from '../catalog/searches/search-reader.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';

/** A thread that searches. */

const { thread, location } = workerData as { thread: number; location: CatalogLocation };
serveSearches(thread, await openSearchReader(location));
