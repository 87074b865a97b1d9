import { stat } from 'node:fs/promises';
import { type AssetStore, hasOriginals } from '../assets/asset-store.ts';
import { assetsFolder } from '../assets/disk-layout.ts';
import { findSealedKey } from '../catalog/accounts/api-keys.ts';
import { listWorkspaces } from '../catalog/accounts/workspaces.ts';
import { openCatalogAt, serviceOptions } from '../catalog/catalog-location.ts';
import { quickCheckCatalog, hasWorkspaces } from '../catalog/quick-check.ts';
import type { Catalog } from '../catalog/schema.ts';
import { StartupError, toStartupError } from '../errors/startup-error.ts';
import { loadSecrets, readSecrets, secretAdvice, type Secrets } from '../platform/crypto/secrets.ts';
import { type CatalogLocation } from '../platform/storage/data-directory.ts';
import { locateCatalog } from '../platform/storage/data-directory.ts';
import { syncToDisk } from '../platform/storage/durable-files.ts';
import type { Settings } from '../settings.ts';
import { refuseUnfinishedMove } from './transfer/move-state.ts';
import { refuseUnfinishedRestore } from './transfer/unfinished-restore.ts';

type OpenDataOptions = {
  /** At a start of the service the whole file is read to find damage, the schema is brought up to date, and the first start creates it. */
  atStart: boolean;
  /** Only to move it elsewhere; otherwise an interrupted move from here begins again. */
  leaving?: boolean;
};

/**
 * Opens the catalog of a service. A missing catalog is not replaced by an empty one where there are originals: they would be lost.
 * Throws `StartupError`.
 */
export async function openDataCatalog(
  settings: Pick<Settings, 'dataDirectory' | 'databaseUrl'>,
  assets: AssetStore,
  options: OpenDataOptions,
): Promise<Catalog> {
  const location = locateCatalog(settings);
  return 'url' in location
    ? openDatabase(location, assets, options)
    : openFile(location.file, settings.dataDirectory, assets, options);
}

/** The catalog in a PostgreSQL database. A command waits for a start that is under way: half of what a first one makes is of no use. */
async function openDatabase(
  location: DatabaseLocation,
  assets: AssetStore,
  { atStart, leaving = false }: OpenDataOptions,
): Promise<Catalog> {
  const open = () => openCatalogAt(location, { ...serviceOptions, migrate: atStart });
  // A start has the lock already.
  const db = atStart ? await open() : await afterStart(location, open);
  try {
    if (!leaving) await refuseUnfinishedMove(db);
    if ((await listWorkspaces(db)).length > 0) return db;
    if (await hasOriginals(assets)) {
      throw new StartupError(
        'The database of DATABASE_URL is empty, but there are files that were uploaded. Restore the database, name the one that belongs to them, or name another place for files.',
      );
    }
    if (!atStart) {
      throw new StartupError('There is no Media Search in the database of DATABASE_URL yet; run npm start first.');
    }
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

type DatabaseLocation = Extract<CatalogLocation, { url: string }>;

async function afterStart<Result>({ url }: DatabaseLocation, work: () => Promise<Result>): Promise<Result> {
  const { withStartLock } = await import('../catalog/postgres/start-lock.ts');
  return withStartLock(url, work);
}

/** The catalog in a file of the data folder. */
async function openFile(
  file: string,
  dataDirectory: string,
  assets: AssetStore,
  { atStart, leaving = false }: OpenDataOptions,
): Promise<Catalog> {
  refuseUnfinishedRestore(dataDirectory);
  try {
    const exists = (await readFileSize(file)) > 0;
    if (!exists && ((await readFileSize(`${file}-wal`)) > 0 || (await hasOriginals(assets))))
      throw catalogLost(file, assets);
    if (!exists && !atStart) {
      throw new StartupError(`There is no Media Search in ${dataDirectory} yet; run npm start first, or set DATA_DIR.`);
    }
    const damage = exists && atStart ? quickCheckCatalog(file) : null;
    if (damage !== null) throw Object.assign(new Error(damage), { code: 'SQLITE_CORRUPT' });
    // Before it is opened for writing, which changes the log beside it: an operator may still restore the catalog that this log belongs to.
    if (exists && !hasWorkspaces(file) && (await hasOriginals(assets))) throw catalogLost(file, assets);
    const db = await openCatalogAt({ file }, serviceOptions);
    await syncToDisk(dataDirectory);
    if (!leaving) await refuseUnfinishedMove(db);
    return db;
  } catch (error) {
    throw toStartupError(error, dataDirectory) ?? error;
  }
}

function catalogLost(file: string, { location, isLocal }: AssetStore): StartupError {
  const elsewhere = isLocal ? `move the folder ${assetsFolder} elsewhere` : 'let STORAGE_URL name another folder';
  return new StartupError(
    `The catalog ${file} is missing or empty, but ${location} holds files that were uploaded. Put a backup in its place (npm run --silent admin -- restore FOLDER --force), or ${elsewhere} to begin with an empty workspace.`,
  );
}

/**
 * Reads the secret key of a catalog; creates it before the catalog has its first workspace. Throws `StartupError` when it is missing, damaged
 * or belongs to another catalog.
 */
export async function openSecrets(
  { dataDirectory, secretKeyFile: file }: Pick<Settings, 'dataDirectory' | 'secretKeyFile'>,
  db: Catalog,
): Promise<Secrets> {
  try {
    if ((await listWorkspaces(db)).length === 0) return await loadSecrets(file);
    const secrets = await readSecrets(file);
    if (!secrets) throw new StartupError(`The secret key ${file} is missing. ${secretAdvice}`);
    const sealed = await findSealedKey(db);
    if (sealed && !canUnseal(secrets, sealed)) {
      throw new StartupError(`The secret key ${file} is not the one that belongs to this catalog. ${secretAdvice}`);
    }
    return secrets;
  } catch (error) {
    throw toStartupError(error, dataDirectory) ?? error;
  }
}

function canUnseal(secrets: Secrets, sealed: Uint8Array): boolean {
  try {
    secrets.unseal(sealed);
    return true;
  } catch {
    return false;
  }
}

/** Bytes of a file; 0 when there is none. */
async function readFileSize(file: string): Promise<number> {
  return stat(file).then(
    (status) => {
      if (!status.isFile()) throw Object.assign(new Error('it is not a file'), { code: 'SQLITE_CANTOPEN' });
      return status.size;
    },
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 0;
      throw error;
    },
  );
}
