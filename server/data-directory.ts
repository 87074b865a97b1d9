import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { makeFolder } from './durable-files.ts';
import { StartupError } from './settings.ts';
import { toStartupError } from './startup-failure.ts';

/** Where models are that the service fetched, or that were copied there. */
export const modelDirectory = (dataDirectory: string): string => path.join(dataDirectory, 'models');

export const catalogFile = (dataDirectory: string): string => path.join(dataDirectory, 'catalog.db');

/** Makes the data folder and checks that it can be written. Throws `StartupError`. */
export async function prepareDataDirectory(dataDirectory: string): Promise<void> {
  const probe = path.join(dataDirectory, `.write-test-${process.pid}`);
  try {
    await makeFolder(dataDirectory);
    await writeFile(probe, '.');
    await rm(probe);
  } catch (error) {
    await rm(probe, { force: true }).catch(() => undefined);
    throw toStartupError(error, dataDirectory) ?? error;
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
