import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { StartupError } from '../settings.ts';
import { toStartupError } from '../startup/startup-error.ts';
import { createFolderSynced } from './durable-files.ts';

/** Where models are that the service fetched, or that were copied there. */
export const modelDirectory = (dataDirectory: string): string => path.join(dataDirectory, 'models');

export const catalogFile = (dataDirectory: string): string => path.join(dataDirectory, 'catalog.db');

/** What this process and its children make can be read by nobody else. Call it before anything is written. */
export const setPrivateUmask = (): void => void process.umask(0o077);

/**
 * Makes the data folder, readable by its owner only, and checks that it can be written. Throws `StartupError`.
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

/** Takes everybody else's rights to a folder of ours away, with all it holds. Once that was done it is not looked through again. */
async function restrictPermissions(folder: string): Promise<void> {
  if (((await stat(folder)).mode & 0o077) === 0) return;
  try {
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      if (entry.isSymbolicLink()) continue;
      await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
    }
    // Last, so that one that was broken off is done again.
    await chmod(folder, 0o700);
  } catch (error) {
    // Somebody else's folder, that we may write to: then who reads it is for them to say.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'ENOENT') throw error;
  }
}

/**
 * Takes the data folder for this process until it ends, however it ends: the lock is one of the operating system.
 * Throws `StartupError` when another service holds it.
 */
export function lockDataDirectory(dataDirectory: string): Disposable {
  const file = path.join(dataDirectory, 'service.lock');
  const lock = new SQLite(file);
  try {
    lock.pragma('busy_timeout = 0');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    const code = error instanceof SQLite.SqliteError ? error.code : '';
    if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
      throw new StartupError(`The lock file ${file} is damaged; it holds nothing, so delete it and start again.`);
    }
    if (!code.startsWith('SQLITE_BUSY')) throw error;
    throw new StartupError(
      `Another Media Search is running on the data folder ${dataDirectory}; stop it or set DATA_DIR.`,
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}
