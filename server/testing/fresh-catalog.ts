import { createHash, randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { openCatalogAt, serviceOptions } from '../catalog/catalog-location.ts';
import type { Catalog } from '../catalog/schema.ts';
import { type CatalogLocation } from '../platform/storage/data-directory.ts';
import { askServer, temporaryDatabase, testDatabaseUrl } from './temporary-database.ts';

export type Backend = 'sqlite' | 'postgres' | 'pglite';

/** What tests of the catalog run over: SQLite, and PostgreSQL where `TEST_DATABASE_URL` names a server. */
export const backends: readonly Backend[] = testDatabaseUrl === undefined ? ['sqlite'] : ['sqlite', 'postgres'];

/** PostgreSQL of some kind. `pglite` has one connection and takes 4 s to start: for one test file. */
export const postgresBackend: Backend = testDatabaseUrl === undefined ? 'pglite' : 'postgres';

export type FreshCatalog = AsyncDisposable & { db: Catalog; location: CatalogLocation };

/** A new, empty catalog: in memory, or in a database of its own. */
export async function openFresh(backend: Backend): Promise<FreshCatalog> {
  if (backend === 'sqlite') {
    const location = { file: ':memory:' };
    const db = await openCatalogAt(location, serviceOptions);
    return { db, location, [Symbol.asyncDispose]: () => db.destroy() };
  }
  if (backend === 'pglite') {
    const { openPGlite } = await import('./pglite-catalog.ts');
    return openPGlite();
  }
  const database = await openEmptyDatabase();
  const location = { url: database.url };
  const db = await openCatalogAt(location, serviceOptions);
  return {
    db,
    location,
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A database of the server with the schema and nothing else. */
export const openEmptyDatabase = async () => temporaryDatabase(await prepareTemplate());

let template: Promise<string> | undefined;

/** A database with the schema, which others are copied from. It stays on the server until the schema changes. */
const prepareTemplate = (): Promise<string> => (template ??= makeTemplate());

async function makeTemplate(): Promise<string> {
  const name = `test_template_${await hashSchema()}`;
  // Files are tested side by side.
  const present = () => askServer('select 1 from pg_database where datname = $1', [name]);
  if ((await present()).length > 0) return name;
  const making = await temporaryDatabase();
  const db = await openCatalogAt({ url: making.url }, serviceOptions);
  await db.destroy();
  await askServer(`alter database ${making.name} rename to ${name}`).catch(async (error: unknown) => {
    await making[Symbol.asyncDispose]();
    if ((await present()).length === 0) throw error;
  });
  return name;
}

let fileTemplate: Promise<string> | undefined;

/** Makes the catalog of a new data folder, with the schema and nothing else. A copy: all the steps to the schema take as long as the rest of a service's start. */
export async function copyEmptyCatalog(file: string): Promise<void> {
  await copyFile(await (fileTemplate ??= makeFileTemplate()), file);
}

/** The file that others are copied from. It stays beside the dependencies, under another name when the schema changes. */
async function makeFileTemplate(): Promise<string> {
  const cache = path.join(import.meta.dirname, '../../node_modules/.cache/catalogs');
  const template = path.join(cache, `${await hashSchema()}.db`);
  const exists = await stat(template).then(
    () => true,
    () => false,
  );
  if (exists) return template;
  await mkdir(cache, { recursive: true });
  const making = path.join(cache, randomUUID());
  await (await openCatalogAt({ file: making }, serviceOptions)).destroy();
  // As the service makes it; copies have the same permissions.
  await chmod(making, 0o600);
  // Files are tested side by side; what another has made meanwhile is the same.
  await rename(making, template);
  return template;
}

async function hashSchema(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['migrations', 'baseline']) {
    const directory = path.join(import.meta.dirname, '../catalog', folder);
    for (const file of (await readdir(directory)).toSorted()) hash.update(await readFile(path.join(directory, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
