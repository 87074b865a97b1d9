import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createFolderSynced, syncToDisk, writeSynced } from '../storage/durable-files.ts';

/**
 * Originals and renditions on disk. Each item has a folder of its own, so that deleting it is one removal:
 *
 *     assets/<workspace>/<item>/original
 *     assets/<workspace>/<item>/about.json      what it was called, for the day when the catalog is lost
 *     assets/<workspace>/<item>/renditions/<attempt>/…
 *     uploads/…                                 bytes that are still arriving
 *     removed/…                                 folders of deleted items on their way out
 */
export type AssetStore = ReturnType<typeof createAssetStore>;

export type AssetOwner = { workspace_id: string; id: string };

/** An item, and which attempt's renditions count; null: those of before attempts had folders, directly in `renditions`. */
export type RenditionOwner = AssetOwner & { renditions_token: number | null };

/** Where the folders of the items are. */
export const assetsFolder = (dataDirectory: string): string => path.join(dataDirectory, 'assets');

/** The file beside an original that says what the catalog says as well. */
export const metadataFile = 'about.json';

export function createAssetStore(dataDirectory: string) {
  const root = assetsFolder(dataDirectory);
  const scratchRoot = path.join(dataDirectory, 'uploads');
  const removedRoot = path.join(dataDirectory, 'removed');
  const itemFolder = (owner: AssetOwner) => path.join(root, owner.workspace_id, owner.id);
  const originalPath = (owner: AssetOwner) => path.join(itemFolder(owner), 'original');
  const renditionFolder = (owner: RenditionOwner) =>
    path.join(itemFolder(owner), 'renditions', owner.renditions_token === null ? '' : String(owner.renditions_token));

  /** Removes a folder. It is moved away first: a worker that is still writing finds it gone, instead of adding files meanwhile. */
  async function discard(folder: string): Promise<void> {
    const removed = path.join(removedRoot, randomUUID());
    await mkdir(removedRoot, { recursive: true });
    try {
      await rename(folder, removed);
      await syncToDisk(path.dirname(folder));
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) return;
      throw error;
    }
    await rm(removed, { recursive: true, force: true });
  }

  /**
   * Removes renditions that no row names: those of attempts up to this one, and those of before attempts had folders.
   * @param maxToken token of the last attempt to remove
   */
  async function removeRenditions(owner: AssetOwner, maxToken: number): Promise<void> {
    const folder = path.join(itemFolder(owner), 'renditions');
    const names = await readdir(folder).catch((error: unknown) => {
      if (hasErrorCode(error, 'ENOENT')) return [];
      throw error;
    });
    for (const name of names) {
      if (/^\d+$/.test(name) && Number(name) > maxToken) continue;
      await discard(path.join(folder, name));
    }
  }

  return {
    originalOf: originalPath,
    renditionsOf: renditionFolder,

    /** What a browser plays or shows of an item: its rendition where there is one, or else the original. It seeks well. */
    playbackPath: (owner: RenditionOwner & { rendition_file: string | null }): string =>
      owner.rendition_file === null ? originalPath(owner) : path.join(renditionFolder(owner), owner.rendition_file),

    /** Makes the folders and clears what a crash left of unfinished uploads and removals. */
    async prepare(): Promise<void> {
      for (const folder of [scratchRoot, removedRoot]) {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder, { recursive: true });
      }
      await mkdir(root, { recursive: true });
    },

    /** A new empty folder for one arriving file. */
    createScratchFolder: (): Promise<string> => mkdtemp(path.join(scratchRoot, 'upload-')),

    /**
     * Moves a file that is complete and synced to its place as an item's original. It is durable when this returns; when it fails, what
     * it made is removed.
     */
    async putOriginal(file: string, owner: AssetOwner & { filename: string; sha256: string }): Promise<void> {
      const folder = itemFolder(owner);
      await createFolderSynced(path.dirname(folder));
      const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
      try {
        const about = path.join(folder, metadataFile);
        await rm(about, { force: true });
        const { filename, sha256 } = owner;
        await writeSynced(about, `${JSON.stringify({ filename, sha256 })}\n`);
        await rename(file, originalPath(owner));
        await syncToDisk(folder);
        await syncToDisk(path.dirname(folder));
      } catch (error) {
        if (isNew) await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },

    /**
     * An empty folder for what one attempt at indexing renders. What earlier attempts left is removed; a worker that is still at
     * one of them then fails. Throws ENOENT when the item was deleted: its folder is not made again.
     * @param token of the attempt
     */
    async createRenditionFolder(owner: AssetOwner, token: number): Promise<string> {
      await mkdir(path.join(itemFolder(owner), 'renditions')).catch((error: unknown) => {
        if (!hasErrorCode(error, 'EEXIST')) throw error;
      });
      await removeRenditions(owner, token);
      const folder = renditionFolder({ ...owner, renditions_token: token });
      await mkdir(folder);
      return folder;
    },

    /** Syncs the renditions of an attempt to disk, to be called before a row names them. */
    async syncRenditions(owner: RenditionOwner): Promise<void> {
      const folder = renditionFolder(owner);
      for (const name of await readdir(folder)) await syncToDisk(path.join(folder, name));
      for (const parent of [folder, path.dirname(folder), path.dirname(path.dirname(folder))]) await syncToDisk(parent);
    },

    removeRenditions,

    /**
     * Removes the folder of an item whose row is gone, or was never stored. It does not come back: not while a worker is writing
     * into it, and not after a power cut.
     */
    remove: (owner: AssetOwner): Promise<void> => discard(itemFolder(owner)),
  };
}

export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Whether a data folder holds any file that was uploaded. */
export async function hasOriginals(dataDirectory: string): Promise<boolean> {
  const root = assetsFolder(dataDirectory);
  for (const workspace of await readdir(root).catch(() => [])) {
    for (const item of await readdir(path.join(root, workspace)).catch(() => [])) {
      if (existsSync(path.join(root, workspace, item, 'original'))) return true;
    }
  }
  return false;
}
