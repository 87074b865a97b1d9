import { existsSync } from 'node:fs';
import { access, chmod, constants, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { StartupError, toStartupError } from '../../errors/startup-error.ts';
import { createFolderSynced } from './durable-files.ts';

/** Where a catalog is: an SQLite file, or a PostgreSQL database by its URL, which may hold a password. */
export type CatalogLocation = { file: string } | { url: string };

/** Where downloaded models are, and models that were copied there. */
export const modelDirectory = (dataDirectory: string): string => path.join(dataDirectory, 'models');

export const catalogFile = (dataDirectory: string): string => path.join(dataDirectory, 'catalog.db');

/** Where the catalog of a service is. */
export const locateCatalog = ({
  dataDirectory,
  databaseUrl,
}: {
  dataDirectory: string;
  databaseUrl: string | null;
}): CatalogLocation => (databaseUrl === null ? { file: catalogFile(dataDirectory) } : { url: databaseUrl });

/** Makes all files that this process and its children create private to their user. Call it before anything is written. */
export const setPrivateUmask = (): void => void process.umask(0o077);

/**
 * Creates the data folder, readable by its owner only, and checks that it can be written. Throws `StartupError`.
 */
export async function prepareDataDirectory(dataDirectory: string): Promise<void> {
  const probe = path.join(dataDirectory, `.write-test-${process.pid}`);
  try {
    await createFolderSynced(dataDirectory);
    await restrictPermissions(dataDirectory);
    await writeFile(probe, '.');
    await rm(probe);
  } catch (error) {
    await rm(probe, { force: true }).catch(() => undefined);
    throw toStartupError(error, dataDirectory) ?? error;
  }
}

/** Whether a folder is there and can be written. @returns null, or what is wrong */
export async function checkFolder(folder: string): Promise<string | null> {
  return access(folder, constants.R_OK | constants.W_OK).then(
    () => null,
    (error: Error) => error.message,
  );
}

/** Takes the permissions of other users away from a folder and all it holds. A folder that is private already is not searched again. */
async function restrictPermissions(folder: string): Promise<void> {
  if (((await stat(folder)).mode & 0o077) === 0) return;
  try {
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      if (entry.isSymbolicLink()) continue;
      await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
    }
    // Last, so that an interrupted run is repeated.
    await chmod(folder, 0o700);
  } catch (error) {
    // The folder belongs to another user, who decides on its permissions.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'ENOENT') throw error;
  }
}

/**
 * Locks the data folder for this process. The operating system releases the lock however the process ends.
 * Single process: this lock is what makes a second service on the same data folder impossible.
 * Throws `StartupError` when another service holds it, or the folder does not exist.
 */
export function lockDataDirectory(dataDirectory: string): Disposable {
  if (!existsSync(dataDirectory)) throw new StartupError(`There is no folder ${dataDirectory}; set DATA_DIR.`);
  const file = path.join(dataDirectory, 'service.lock');
  const lock = new SQLite(file);
  try {
    lock.pragma('busy_timeout = 0');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    const code = error instanceof SQLite.SqliteError ? error.code : '';
    if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
      throw new StartupError(`The lock file ${file} is damaged. It holds no data: delete it and start again.`);
    }
    if (!code.startsWith('SQLITE_BUSY')) throw error;
    throw new StartupError(
      `Another Media Search is running on the data folder ${dataDirectory}; stop it or set DATA_DIR.`,
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}
