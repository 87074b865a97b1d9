import type { CatalogLocation } from '../platform/storage/data-directory.ts';
import { openCatalog, openCatalogReader } from './open-catalog.ts';
import type { OpenOptions } from './postgres/open-postgres.ts';
import type { Catalog } from './schema.ts';

/** The options of a process that serves requests. */
export const serviceOptions: OpenOptions = { migrate: true, connections: 10 };
/** The options of a process that a service or a command has started. */
export const childOptions: OpenOptions = { migrate: false, connections: 2 };

/**
 * Opens a catalog. What only PostgreSQL needs is not loaded for a file, whose schema is always brought up to date.
 * Throws `StartupError` when the database cannot be used, and `SqliteError` or an error of the driver when it cannot be opened.
 */
export async function openCatalogAt(location: CatalogLocation, options: OpenOptions): Promise<Catalog> {
  if ('file' in location) return openCatalog(location.file);
  const { openPostgresCatalog } = await import('./postgres/open-postgres.ts');
  return openPostgresCatalog(location.url, options);
}

/** Opens a catalog that is open in this process already, only to read it. Throws as `openCatalogAt` does. */
export async function openReaderAt(location: CatalogLocation): Promise<Catalog> {
  return 'file' in location ? openCatalogReader(location.file) : openCatalogAt(location, childOptions);
}
