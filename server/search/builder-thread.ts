import { workerData } from 'node:worker_threads';
import { serveBuilder } from '@media-search/search-engine/builder/serve-builder';
import { openReaderAt } from '../catalog/catalog-location.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';
import { createIndexSource } from './index-source.ts';

/** The thread that keeps the search indexes of all workspaces up to date. */

const { location, directory } = workerData as { location: CatalogLocation; directory: string };
const db = await openReaderAt(location);
serveBuilder(createIndexSource(db), directory, () => db.destroy());
