import { workerData } from 'node:worker_threads';
import { serveSearches } from '@media-search/search-engine/ranking/serve-searches';
import { openSearchReader } from '../catalog/searches/search-reader.ts';

/** A thread that searches. */

const { thread, catalogFile } = workerData as { thread: number; catalogFile: string };
serveSearches(thread, openSearchReader(catalogFile));
