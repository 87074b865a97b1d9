import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { StartupError } from '../../errors/startup-error.ts';
import { lockDataDirectory } from './data-directory.ts';
import { createFolderSynced } from './durable-files.ts';

const processesFolder = 'processes';
/** A folder that is younger may be of a process that has not locked it yet, milliseconds. */
const minAgeMs = 60_000;

/**
 * Gives this process a folder of its own within a data folder that others may use at the same time, for what ends with it. Folders of processes
 * that have ended, however they did, are removed: their lock is free. The folder goes when it is disposed of.
 */
export async function claimProcessFolder(dataDirectory: string): Promise<AsyncDisposable & { path: string }> {
  const root = path.join(dataDirectory, processesFolder);
  const folder = path.join(root, randomUUID());
  await createFolderSynced(folder);
  const lock = lockDataDirectory(folder);
  for (const name of await readdir(root)) {
    if (path.join(root, name) !== folder) await removeIfEnded(path.join(root, name));
  }
  return {
    path: folder,
    async [Symbol.asyncDispose]() {
      lock[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function removeIfEnded(folder: string): Promise<void> {
  try {
    if (Date.now() - (await stat(folder)).mtimeMs < minAgeMs) return;
    using _lock = lockDataDirectory(folder);
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    // Its process runs, or has just removed it.
    if (!(error instanceof StartupError) && !isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'SQLITE_CANTOPEN'].includes(String(error.code));
