import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Files of the vector indexes of earlier versions, which nothing reads any more. */
const oldIndex = /\.usearch(?:\.json)?$/;

/** Removes the indexes of earlier versions from the folder of indexes and its subfolders. */
export async function removeOldIndexes(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (oldIndex.test(name)) await rm(path.join(folder, name), { force: true });
  }
}
