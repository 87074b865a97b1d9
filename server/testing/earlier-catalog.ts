import { readFile } from 'node:fs/promises';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { openCatalogAt, serviceOptions } from '../catalog/catalog-location.ts';
import type { Backend, FreshCatalog } from './fresh-catalog.ts';
import { runScript, temporaryDatabase } from './temporary-database.ts';

/**
 * Opens a catalog that a service of commit bfc9914 wrote: its last change of the schema is 0037. It has a photograph, a film with subtitles, a
 * creator, a collection, a tag, a public link, a saved search and a webhook. The link was given a later end.
 * @param more statements that are run before it is opened
 */
export async function openEarlierCatalog(backend: Backend, more = ''): Promise<FreshCatalog> {
  const dialect = backend === 'sqlite' ? 'sqlite' : 'postgres';
  const script = await readFile(path.join(import.meta.dirname, `fixtures/earlier-catalog.${dialect}.sql`), 'utf8');
  if (backend === 'pglite') {
    const { openPGlite } = await import('./pglite-catalog.ts');
    return openPGlite(script + more);
  }
  if (backend === 'postgres') {
    const database = await temporaryDatabase();
    await runScript(database.url, script + more);
    return open({ url: database.url }, database);
  }
  const folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const sqlite = new SQLite(file);
  sqlite.pragma('foreign_keys = off');
  sqlite.exec(script + more);
  sqlite.close();
  return open({ file }, folder);
}

async function open(location: FreshCatalog['location'], place: AsyncDisposable): Promise<FreshCatalog> {
  const db = await openCatalogAt(location, serviceOptions).catch(async (error: unknown) => {
    await place[Symbol.asyncDispose]();
    throw error;
  });
  return {
    db,
    location,
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await place[Symbol.asyncDispose]();
    },
  };
}
