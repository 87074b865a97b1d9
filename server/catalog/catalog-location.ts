import { openCatalog } from './open-catalog.ts';
import type { OpenOptions } from './postgres/open-postgres.ts';
import type { Catalog } from './schema.ts';

/** Where a catalog is: an SQLite file, or a PostgreSQL database by its URL, which may hold a password. */
export type CatalogLocation = { file: string } | { url: string };

/** Of a process that serves requests. */
export const serviceOptions: OpenOptions = { migrate: true, connections: 10 };
/** Of a process that a service or a command has started. */
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
