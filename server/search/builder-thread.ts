import { workerData } from 'node:worker_threads';
import { serveBuilder } from '@media-search/search-engine/builder/serve-builder';
import { openCatalogReader } from '../catalog/open-catalog.ts';
import { createIndexSource } from './index-source.ts';

/** The thread that keeps the search indexes of all workspaces up to date. */

const { catalogFile, directory } = workerData as { catalogFile: string; directory: string };
const db = openCatalogReader(catalogFile);
serveBuilder(createIndexSource(db), directory, () => db.destroy());
