import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Makes a folder's entries, or a file's bytes, survive a power cut. */
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

/** Makes a folder with its parents, each of them synced into the one that holds it. */
export async function createFolderSynced(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = path.resolve(folder); made.length >= first.length; made = path.dirname(made)) {
    await syncToDisk(path.dirname(made));
  }
}

const temporarySuffix = '.new';

/**
 * Replaces a file that can be derived again, whole or not at all. It is not synced: what reads it checks its sum.
 * @param write writes the new file under the name that it is given
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
 * Removes what `replaceFile` had not finished in a folder, and in those within it, when its process was killed. Call it when nothing is
 * writing there.
 */
export async function removeTemporaryFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder, { recursive: true })) {
    if (name.endsWith(temporarySuffix)) await rm(path.join(folder, name), { force: true });
  }
}
