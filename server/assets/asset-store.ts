import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, syncToDisk, writeSynced } from '../durable-files.ts';

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
export const aboutFile = 'about.json';

export function createAssetStore(dataDirectory: string) {
  const root = assetsFolder(dataDirectory);
  const uploads = path.join(dataDirectory, 'uploads');
  const removals = path.join(dataDirectory, 'removed');
  const folderOf = (owner: AssetOwner) => path.join(root, owner.workspace_id, owner.id);
  const originalOf = (owner: AssetOwner) => path.join(folderOf(owner), 'original');
  const renditionsOf = (owner: RenditionOwner) =>
    path.join(folderOf(owner), 'renditions', owner.renditions_token === null ? '' : String(owner.renditions_token));

  /** Removes a folder. It is moved away first: a worker that is still writing finds it gone, instead of adding files meanwhile. */
  async function discard(folder: string): Promise<void> {
    const removed = path.join(removals, randomUUID());
    await mkdir(removals, { recursive: true });
    try {
      await rename(folder, removed);
      await syncToDisk(path.dirname(folder));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return;
      throw error;
    }
    await rm(removed, { recursive: true, force: true });
  }

  /**
   * Removes renditions that no row names: those of attempts up to this one, and those of before attempts had folders.
   * @param through token of the last attempt to remove
   */
  async function removeRenditions(owner: AssetOwner, through: number): Promise<void> {
    const folder = path.join(folderOf(owner), 'renditions');
    const names = await readdir(folder).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    });
    for (const name of names) {
      if (/^\d+$/.test(name) && Number(name) > through) continue;
      await discard(path.join(folder, name));
    }
  }

  return {
    originalOf,
    renditionsOf,

    /** What a browser plays or shows of an item: its rendition where there is one, or else the original. It seeks well. */
    playedOf: (owner: RenditionOwner & { rendition_file: string | null }): string =>
      owner.rendition_file === null ? originalOf(owner) : path.join(renditionsOf(owner), owner.rendition_file),

    /** Makes the folders and clears what a crash left of unfinished uploads and removals. */
    async prepare(): Promise<void> {
      for (const folder of [uploads, removals]) {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder, { recursive: true });
      }
      await mkdir(root, { recursive: true });
    },

    /** A new empty folder for one arriving file. */
    newUploadFolder: (): Promise<string> => mkdtemp(path.join(uploads, 'upload-')),

    /**
     * Moves a file that is complete and synced to its place as an item's original. It is durable when this returns; when it fails, what
     * it made is removed.
     */
    async adoptOriginal(file: string, owner: AssetOwner & { filename: string; sha256: string }): Promise<void> {
      const folder = folderOf(owner);
      await makeFolder(path.dirname(folder));
      const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
      try {
        const about = path.join(folder, aboutFile);
        await rm(about, { force: true });
        const { filename, sha256 } = owner;
        await writeSynced(about, `${JSON.stringify({ filename, sha256 })}\n`);
        await rename(file, originalOf(owner));
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
    async newRenditions(owner: AssetOwner, token: number): Promise<string> {
      await mkdir(path.join(folderOf(owner), 'renditions')).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      });
      await removeRenditions(owner, token);
      const folder = renditionsOf({ ...owner, renditions_token: token });
      await mkdir(folder);
      return folder;
    },

    /** Syncs the renditions of an attempt to disk, to be called before a row names them. */
    async syncRenditions(owner: RenditionOwner): Promise<void> {
      const folder = renditionsOf(owner);
      for (const name of await readdir(folder)) await syncToDisk(path.join(folder, name));
      for (const parent of [folder, path.dirname(folder), path.dirname(path.dirname(folder))]) await syncToDisk(parent);
    },

    removeRenditions,

    /**
     * Removes the folder of an item whose row is gone, or was never stored. It does not come back: not while a worker is writing
     * into it, and not after a power cut.
     */
    remove: (owner: AssetOwner): Promise<void> => discard(folderOf(owner)),
  };
}

export const hasCode = (error: unknown, code: string): boolean =>
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
