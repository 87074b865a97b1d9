import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk } from '../durable-files.ts';

/**
 * Originals and renditions on disk. Each item has a folder of its own, so that deleting it is one removal:
 *
 *     assets/<workspace>/<item>/original
 *     assets/<workspace>/<item>/renditions/…
 *     uploads/…                                 bytes that are still arriving
 *     removed/…                                 folders of deleted items on their way out
 */
export type AssetStore = ReturnType<typeof createAssetStore>;

export type AssetOwner = { workspace_id: string; id: string };

export function createAssetStore(dataDirectory: string) {
  const root = path.join(dataDirectory, 'assets');
  const uploads = path.join(dataDirectory, 'uploads');
  const removals = path.join(dataDirectory, 'removed');
  const folderOf = (owner: AssetOwner) => path.join(root, owner.workspace_id, owner.id);
  const originalOf = (owner: AssetOwner) => path.join(folderOf(owner), 'original');
  const renditionsOf = (owner: AssetOwner) => path.join(folderOf(owner), 'renditions');

  return {
    originalOf,
    renditionsOf,

    /** What a browser plays or shows of an item: its rendition where there is one, or else the original. It seeks well. */
    playedOf: (owner: AssetOwner, rendition: string | null): string =>
      rendition === null ? originalOf(owner) : path.join(renditionsOf(owner), rendition),

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

    /** Moves a file that is complete and synced to its place as an item's original. It is durable when this returns. */
    async adoptOriginal(file: string, owner: AssetOwner): Promise<void> {
      await mkdir(folderOf(owner), { recursive: true });
      await rename(file, originalOf(owner));
      for (const folder of [folderOf(owner), path.dirname(folderOf(owner)), root]) await syncToDisk(folder);
    },

    /** An empty folder for an item's renditions; what an earlier attempt left there is removed. */
    async emptyRenditions(owner: AssetOwner): Promise<string> {
      const folder = renditionsOf(owner);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      return folder;
    },

    /** Syncs an item's renditions to disk, to be called before a row names them. */
    async syncRenditions(owner: AssetOwner): Promise<void> {
      const folder = renditionsOf(owner);
      for (const name of await readdir(folder)) await syncToDisk(path.join(folder, name));
      await syncToDisk(folder);
    },

    /**
     * Removes the folder of an item whose row is gone, or was never stored. It is moved away first: a worker that is still
     * writing finds it gone, instead of adding files while they are being removed. Durable when this returns.
     */
    async remove(owner: AssetOwner): Promise<void> {
      const folder = folderOf(owner);
      const removed = path.join(removals, `${owner.workspace_id}.${owner.id}`);
      await rm(removed, { recursive: true, force: true });
      try {
        await rename(folder, removed);
        await syncToDisk(path.dirname(folder));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      await rm(removed, { recursive: true, force: true });
    },

    /** Removes the folders of a workspace that no item owns: a crash between moving a file and storing its row leaves one. */
    async removeOrphans(workspaceId: string, mediaIds: Set<string>): Promise<void> {
      const folders = await readdir(path.join(root, workspaceId)).catch(() => []);
      for (const id of folders) {
        if (!mediaIds.has(id)) await rm(path.join(root, workspaceId, id), { recursive: true, force: true });
      }
    },
  };
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Whether a data folder holds any file that was uploaded. */
export async function hasOriginals(dataDirectory: string): Promise<boolean> {
  const root = path.join(dataDirectory, 'assets');
  for (const workspace of await readdir(root).catch(() => [])) {
    for (const item of await readdir(path.join(root, workspace)).catch(() => [])) {
      if (existsSync(path.join(root, workspace, item, 'original'))) return true;
    }
  }
  return false;
}
