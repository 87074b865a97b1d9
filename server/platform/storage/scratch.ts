import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Temporary folders on the disk of this machine: for arriving files, for what is rendered and exported. Of one process, and gone with it. */
export type Scratch = {
  /** Gives `work` a new empty folder, and removes it afterwards. */
  withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
};

const scratchRoot = (dataDirectory: string): string => path.join(dataDirectory, 'uploads');

/**
 * Scratch folders in a data folder.
 * @param prefix of their names
 */
export const createScratch = (dataDirectory: string, prefix = 'upload-'): Scratch => ({
  async withFolder(work) {
    // A restored data folder has none.
    await mkdir(scratchRoot(dataDirectory), { recursive: true });
    const folder = await mkdtemp(path.join(scratchRoot(dataDirectory), prefix));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** The scratch folders of a worker process. */
export const workerPrefix = (workerId: string): string => `worker-${workerId}-`;

/** Removes the scratch folders of a worker process that has ended, however it did. */
export async function removeWorkerScratch(dataDirectory: string, workerId: string): Promise<void> {
  for (const folder of await listScratch(dataDirectory)) {
    if (path.basename(folder).startsWith(workerPrefix(workerId))) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Removes all scratch folders of a data folder.
 * Single process: whatever is in them is of a process that has ended.
 */
export async function emptyScratch(dataDirectory: string): Promise<void> {
  const root = scratchRoot(dataDirectory);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
}

/** The scratch folders of a data folder, as paths. */
export async function listScratch(dataDirectory: string): Promise<string[]> {
  const root = scratchRoot(dataDirectory);
  return (await readdir(root).catch((): string[] => [])).map((name) => path.join(root, name));
}
