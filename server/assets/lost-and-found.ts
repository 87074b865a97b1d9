import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdtemp, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { createFolderSynced, replaceFile, syncToDisk, writeSynced } from '../storage/durable-files.ts';
import { metadataFile, type AssetOwner, assetsFolder, hasErrorCode } from './asset-store.ts';

/** An item's folder that the catalog does not list. */
export type LostItem = {
  workspace_id: string;
  /** The identifier that the item had. */
  id: string;
  /** RFC 3339, UTC. */
  found_at: string;
  /** Why the folder was moved here: a sentence. */
  reason: string;
  /** What the uploaded file was called; null when that was not noted. */
  filename: string | null;
  /** Of the original, bytes. */
  size: number;
  /** How long the service has run since, seconds. A clock can jump by years; this cannot. */
  running_seconds: number;
};

/** Lost items are kept this long before they are removed for good, by the clock, and for so long the service has to have run. */
const retentionDays = 30;
const minRunningSeconds = 86_400;

/** When a lost item is removed for good. RFC 3339, UTC. */
export const expiresAt = ({ found_at }: LostItem): string =>
  new Date(Date.parse(found_at) + retentionDays * 86_400_000).toISOString();

export type LostAndFound = ReturnType<typeof createLostAndFound>;

/**
 * Folders of items that the catalog does not list: an older catalog was put in place, or its log was cut. They are kept, with a manifest
 * that says when and why each came, because the catalog may be what is wrong.
 *
 *     lost+found/<workspace>/<item>/…      the item's folder as it was
 *     lost+found/<workspace>/<item>.json   its manifest
 */
export function createLostAndFound(dataDirectory: string) {
  const assets = assetsFolder(dataDirectory);
  const root = path.join(dataDirectory, 'lost+found');
  const itemFolder = (owner: AssetOwner) => path.join(root, owner.workspace_id, owner.id);
  const manifestPath = (owner: AssetOwner) => `${itemFolder(owner)}.json`;
  const originalPath = (owner: AssetOwner) => path.join(itemFolder(owner), 'original');

  async function list(): Promise<LostItem[]> {
    const items: LostItem[] = [];
    for (const workspace_id of await listSubfolders(root)) {
      // Another folder of that name is none of ours: each file system has one where it is mounted.
      for (const id of await listSubfolders(path.join(root, workspace_id)).catch(() => [])) {
        const item = await readLostItem({ workspace_id, id });
        if (item) items.push(item);
      }
    }
    return items.toSorted((a, b) => a.found_at.localeCompare(b.found_at) || a.id.localeCompare(b.id));
  }

  /** What a manifest says; where it is damaged, what the folder itself says. Null for a folder that is none of ours. */
  async function readLostItem(owner: AssetOwner): Promise<LostItem | null> {
    const text = await readFile(manifestPath(owner), 'utf8').catch(() => null);
    if (text === null) return null;
    const known = readManifest(text);
    if (known) return { ...known, ...owner };
    try {
      const { size } = await stat(originalPath(owner));
      const { mtime } = await stat(manifestPath(owner));
      const filename = await readFilename(itemFolder(owner));
      const reason = 'The catalog lists no item for these files, and what was noted about them is damaged.';
      return { ...owner, found_at: mtime.toISOString(), reason, filename, size, running_seconds: 0 };
    } catch {
      return null;
    }
  }

  async function remove(owner: AssetOwner): Promise<void> {
    await rm(itemFolder(owner), { recursive: true, force: true });
    await rm(manifestPath(owner), { force: true });
    await rmdir(path.join(root, owner.workspace_id)).catch(() => undefined);
  }

  return {
    originalOf: originalPath,

    /** All lost items, those found first in front. */
    list,

    /** The folders of items on disk, by workspace. */
    async listAssetFolders(): Promise<AssetOwner[]> {
      const owners: AssetOwner[] = [];
      for (const workspace_id of await listSubfolders(assets)) {
        for (const id of await listSubfolders(path.join(assets, workspace_id))) owners.push({ workspace_id, id });
      }
      return owners;
    },

    /**
     * Moves the folder of an item here; durable when this returns. One without an original is removed: it holds at most what was made
     * of one that is gone.
     * @returns what was moved, or null when there was no original
     */
    async quarantine(owner: AssetOwner, reason: string): Promise<LostItem | null> {
      const folder = path.join(assets, owner.workspace_id, owner.id);
      const original = await stat(path.join(folder, 'original')).catch((error: unknown) => {
        if (hasErrorCode(error, 'ENOENT')) return null;
        throw error;
      });
      if (original) {
        const filename = await readFilename(folder);
        const manifest = {
          found_at: new Date().toISOString(),
          reason,
          filename,
          size: original.size,
          running_seconds: 0,
        };
        await createFolderSynced(path.join(root, owner.workspace_id));
        // One that a crash left without its folder is replaced.
        if (!(await exists(itemFolder(owner)))) await rm(manifestPath(owner), { force: true });
        await writeSynced(manifestPath(owner), `${JSON.stringify(manifest, null, 2)}\n`);
        await moveDurably(folder, itemFolder(owner));
        return { ...owner, ...manifest };
      }
      const left = await readdir(folder);
      if (left.every((name) => name === 'renditions' || name === metadataFile)) await rm(folder, { recursive: true });
      return null;
    },

    /** Moves an item's folder, or what it lacks, back to its place. False when there is an original already. */
    async restoreInPlace(owner: AssetOwner): Promise<boolean> {
      const folder = path.join(assets, owner.workspace_id, owner.id);
      if (await exists(path.join(folder, 'original'))) return false;
      if (await exists(folder)) {
        // A worker made it for renditions, and found no original.
        await moveDurably(originalPath(owner), path.join(folder, 'original'));
      } else {
        await createFolderSynced(path.dirname(folder));
        await moveDurably(itemFolder(owner), folder);
      }
      await remove(owner);
      return true;
    },

    /** Removes the folders of workspaces that hold no items any more. */
    async removeWorkspaceFolder(workspaceId: string): Promise<void> {
      await rmdir(path.join(assets, workspaceId)).catch(() => undefined);
    },

    /**
     * Hands a copy of an item's original over, to be stored as if it had been uploaded; the item stays until it is removed.
     * @param use gets the copy, which it may move away, and what it holds
     */
    async withCopy<Result>(
      item: LostItem,
      callback: (file: { path: string; filename: string; size: number; sha256: string }) => Promise<Result>,
    ): Promise<Result> {
      const staging = await mkdtemp(path.join(root, '.restore-'));
      try {
        const file = path.join(staging, 'file');
        // A second name for the same bytes takes no room; where the file system knows none they are copied.
        await link(originalPath(item), file).catch(() => copyFile(originalPath(item), file));
        await syncToDisk(file);
        const hash = createHash('sha256');
        await pipeline(createReadStream(file), hash);
        const { size } = await stat(file);
        const filename = item.filename ?? `recovered-${item.id}`;
        return await callback({ path: file, filename, size, sha256: hash.digest('hex') });
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    },

    /** Removes a lost item for good. */
    remove,

    /**
     * Removes for good what has been here for long enough.
     * @param ranSeconds how long the service has run since it was last asked to
     * @returns what was removed
     */
    async removeExpired(ranSeconds: number): Promise<LostItem[]> {
      const now = new Date().toISOString();
      const expired: LostItem[] = [];
      for (const { workspace_id, id, ...known } of await list()) {
        const item = { ...known, workspace_id, id, running_seconds: known.running_seconds + ranSeconds };
        if (expiresAt(item) < now && item.running_seconds >= minRunningSeconds) {
          await remove(item);
          expired.push(item);
        } else if (ranSeconds > 0) {
          const content = JSON.stringify({ ...known, running_seconds: item.running_seconds }, null, 2);
          await replaceFile(manifestPath(item), (temporary) => writeSynced(temporary, `${content}\n`));
        }
      }
      return expired;
    },

    /** Clears what a crash left: copies that were lent, and manifests whose folder never came or was put back. */
    async removeLeftovers(): Promise<void> {
      for (const name of await listSubfolders(root, '.restore-'))
        await rm(path.join(root, name), { recursive: true, force: true });
      for (const workspace of await listSubfolders(root)) {
        const folder = path.join(root, workspace);
        for (const name of await readdir(folder).catch(() => [])) {
          const item = path.join(folder, path.basename(name, '.json'));
          if (/\.json\.[\da-f-]+\.new$/.test(name)) await rm(path.join(folder, name), { force: true });
          if (!name.endsWith('.json') || (await exists(item))) continue;
          // Any other such file was recovered by the file system's own check.
          const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
          if (readManifest(text)) await rm(path.join(folder, name), { force: true });
        }
      }
    },
  };
}

const manifestSchema = z.object({
  found_at: z.iso.datetime(),
  reason: z.string(),
  filename: z.string().nullable(),
  size: z.int().min(0),
  running_seconds: z.number().min(0).default(0),
});

/** A manifest; null when it is damaged or none. */
function readManifest(text: string): z.output<typeof manifestSchema> | null {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Moves a folder; durable when this returns. */
async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncToDisk(path.dirname(to));
  await syncToDisk(path.dirname(from));
}

/** The names of the folders within a folder; none where it is not there. Hidden ones only when asked for by their beginning. */
async function listSubfolders(folder: string, beginning = ''): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  });
  return entries
    .filter(
      (entry) =>
        entry.isDirectory() && (beginning === '' ? !entry.name.startsWith('.') : entry.name.startsWith(beginning)),
    )
    .map(({ name }) => name);
}

const exists = (target: string): Promise<boolean> =>
  stat(target).then(
    () => true,
    () => false,
  );

/** What an item's file was called when it was uploaded; null for what was stored before that was noted. */
async function readFilename(folder: string): Promise<string | null> {
  try {
    const { filename } = JSON.parse(await readFile(path.join(folder, metadataFile), 'utf8')) as { filename: string };
    return filename;
  } catch {
    return null;
  }
}
