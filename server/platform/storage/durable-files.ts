import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** Syncs a file's bytes, or a folder's entries, to disk, so that they survive a power cut. */
export async function syncToDisk(target: string): Promise<void> {
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a new file and syncs it. Its name survives a power cut only after its folder has been synced as well.
 * @param mode permissions, such as `0o600`
 */
export async function writeSynced(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder and its parents, and syncs the folder that holds each new one. */
export async function createFolderSynced(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = path.resolve(folder); made.length >= first.length; made = path.dirname(made)) {
    await syncToDisk(path.dirname(made));
  }
}

const temporarySuffix = '.new';

/**
 * Replaces a derived file atomically. It is not synced: its readers verify its checksum.
 * @param write writes the new file under the given name
 * @returns what `write` returns
 */
export async function replaceFile<Result>(
  file: string,
  write: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = `${file}.${randomUUID()}${temporarySuffix}`;
  try {
    const result = await write(temporary);
    await rename(temporary, file);
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Removes temporary files that `replaceFile` left in a folder and its subfolders when its process was killed.
 * @param olderThanMs those that were written later may be of another process, which still writes; 0 where nothing writes there
 */
export async function removeTemporaryFiles(folder: string, olderThanMs: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(temporarySuffix)) continue;
    const file = path.join(folder, name);
    const status = await stat(file).catch(() => null);
    if (status && Date.now() - status.mtimeMs >= olderThanMs) await rm(file, { force: true });
  }
}
