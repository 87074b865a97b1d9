import { workerData } from 'node:worker_threads';
import { unshared } from '@media-search/search-engine/builder/index-sharing';
import { serveBuilder } from '@media-search/search-engine/builder/serve-builder';
import type { StorageSettings } from '../assets/storage-settings.ts';
import { openReaderAt } from '../catalog/catalog-location.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';
import { createIndexSource } from './index-source.ts';

/** The thread that keeps the search indexes of all workspaces up to date. */

export type BuilderData = {
  location: CatalogLocation;
  /** Where indexes are saved on this machine. */
  directory: string;
  /** The bucket that processes share; null: they share the data folder. */
  storage: StorageSettings | null;
};

const { location, directory, storage } = workerData as BuilderData;
const db = await openReaderAt(location);
const stack = new AsyncDisposableStack();
stack.defer(() => db.destroy());
const sharing =
  'url' in location ? stack.use((await import('./index-sharing.ts')).createIndexSharing(db, storage)) : unshared;
serveBuilder({ source: createIndexSource(db), sharing, directory, close: () => stack.disposeAsync() });
