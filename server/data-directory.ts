import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { StartupError } from './settings.ts';

/** Where models are that the service fetched, or that were copied there. */
export const modelDirectory = (dataDirectory: string): string => path.join(dataDirectory, 'models');

export const catalogFile = (dataDirectory: string): string => path.join(dataDirectory, 'catalog.db');

/** Makes the data folder and checks that it can be written. Throws `StartupError`. */
export async function prepareDataDirectory(dataDirectory: string): Promise<void> {
  const probe = path.join(dataDirectory, `.write-test-${process.pid}`);
  try {
    await mkdir(dataDirectory, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `The data folder ${dataDirectory} cannot be written (${reason}); set DATA_DIR to one that can.`,
    );
  }
}

/**
 * Takes the data folder for this process until it ends, however it ends: the lock is one of the operating system.
 * Throws `StartupError` when another service holds it.
 */
export function lockDataDirectory(dataDirectory: string): Disposable {
  const lock = new SQLite(path.join(dataDirectory, 'service.lock'));
  try {
    lock.pragma('busy_timeout = 0');
    lock.exec('begin exclusive');
  } catch {
    lock.close();
    throw new StartupError(
      `Another Media Search is running on the data folder ${dataDirectory}; stop it or set DATA_DIR.`,
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}
