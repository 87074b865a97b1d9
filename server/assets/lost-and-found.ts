import { link, mkdtemp, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { nullIfAbsent } from '../errors/system-errors.ts';
import { copyFile } from '../platform/storage/copy-file.ts';
import { createFolderSynced, replaceFile, syncToDisk, writeSynced } from '../platform/storage/durable-files.ts';
import { hashFile } from '../platform/storage/hash-file.ts';
import { listSubfolders } from '../platform/storage/list-subfolders.ts';
import type { AssetOwner, RemovableItem } from './asset-store.ts';
import { type DiskLayout, diskLayout, holdsOnlyDerived, metadataIn, originalIn } from './disk-layout.ts';

/** An item whose files are in lost+found. */
export type LostItem = {
  workspace_id: string;
  /** Identifier of the item. */
  id: string;
  /** RFC 3339, UTC. */
  found_at: string;
  /** Why the files were moved here, as a sentence. */
  reason: string;
  /** Name of the uploaded file; null when it is not known. */
  filename: string | null;
  /** Bytes of the original. */
  size: number;
  /** Seconds that the service has run since. Unlike the clock it cannot jump by years. */
  running_seconds: number;
};

/** Lost items are removed for good after both: this many days by the clock, and this many seconds of a running service. */
const retentionDays = 30;
const minRunningSeconds = 86_400;

/** Folders of copies that `withCopy` gives out. */
const copyPrefix = '.restore-';

/** When a lost item is removed for good. RFC 3339, UTC. */
export const expiresAt = ({ found_at }: LostItem): string =>
  new Date(Date.parse(found_at) + retentionDays * 86_400_000).toISOString();

/** Whether a lost item has been kept for long enough. */
export const isExpired = (item: LostItem): boolean =>
  expiresAt(item) < new Date().toISOString() && item.running_seconds >= minRunningSeconds;

/**
 * Items whose files are stored while the catalog does not list them: an older catalog was restored, or its log was truncated. They are kept,
 * with a manifest that says when and why each was moved, because the catalog may be what is wrong.
 */
export type LostAndFound = {
  /** Lists all lost items, the oldest finds first. */
  list(): Promise<LostItem[]>;

  /**
   * Moves the files of an item here; durable when this returns. The folder of an item without an original is removed: all it can hold
   * was made from an original that is gone.
   * @returns what was moved, or null when there was no original
   */
  quarantine(owner: AssetOwner, reason: string): Promise<LostItem | null>;

  /** Moves the files of an item, or those that it lacks, back to the assets. False when the original is there already. */
  restoreInPlace(owner: AssetOwner): Promise<boolean>;

  /** Removes the assets folder of a workspace if it holds no items any more. */
  removeWorkspaceFolder(workspaceId: string): Promise<void>;

  /**
   * Gives `work` a copy of an item's original, to be stored as if it had been uploaded. The item stays until it is removed.
   * @param work may move the file away
   */
  withCopy<Result>(
    item: LostItem,
    work: (file: { path: string; filename: string; size: number; sha256: string }) => Promise<Result>,
  ): Promise<Result>;

  /**
   * Removes a lost item.
   * @param removable null: the catalog lists the item, so the original that it has among the assets stays
   */
  remove(item: LostItem, removable: RemovableItem | null): Promise<void>;

  /**
   * Lists items whose time here is over. The caller asks the catalog before it removes them.
   * @param ranSeconds how long the service has run since the last call, which is noted for the others
   */
  listExpired(ranSeconds: number): Promise<LostItem[]>;

  /**
   * Removes what a crash left: copies of originals, and manifests without a folder.
   * Single process: to be called only at a start, because it cannot tell a copy in use from one that was left. A second process would
   * need names that tell the owner of a copy.
   */
  removeLeftovers(): Promise<void>;
};

/** Lost and found in the folder `lost+found` of a data folder. */
export function createLostAndFound(dataDirectory: string): LostAndFound {
  const layout = diskLayout(dataDirectory);
  return {
    list: () => list(layout),
    quarantine: (owner, reason) => quarantine(layout, owner, reason),
    restoreInPlace: (owner) => restoreInPlace(layout, owner),
    async removeWorkspaceFolder(workspaceId) {
      await rmdir(layout.workspaceFolder(workspaceId)).catch(() => undefined);
    },
    withCopy: (item, work) => withCopy(layout, item, work),
    remove: (item) => remove(layout, item),
    listExpired: (ranSeconds) => listExpired(layout, ranSeconds),
    removeLeftovers: () => removeLeftovers(layout),
  };
}

async function list(layout: DiskLayout): Promise<LostItem[]> {
  const items: LostItem[] = [];
  for (const workspace_id of await listSubfolders(layout.lostRoot)) {
    // Other folders here are not ours: each file system has a lost+found where it is mounted.
    for (const id of await listSubfolders(path.join(layout.lostRoot, workspace_id)).catch(() => [])) {
      const item = await readLostItem(layout, { workspace_id, id });
      if (item) items.push(item);
    }
  }
  return items.toSorted((a, b) => a.found_at.localeCompare(b.found_at) || a.id.localeCompare(b.id));
}

/** What a manifest says; where it is damaged, what the folder itself says. Null for a folder that is not ours. */
async function readLostItem(layout: DiskLayout, owner: AssetOwner): Promise<LostItem | null> {
  const manifestFile = layout.lostManifest(owner);
  const text = await readFile(manifestFile, 'utf8').catch(() => null);
  if (text === null) return null;
  const known = readManifest(text);
  if (known) return { ...known, ...owner };
  const folder = layout.lostFolder(owner);
  try {
    const { size } = await stat(originalIn(folder));
    const { mtime } = await stat(manifestFile);
    const filename = await readFilename(folder);
    const reason = 'The catalog lists no item for these files, and the manifest that describes them is damaged.';
    return { ...owner, found_at: mtime.toISOString(), reason, filename, size, running_seconds: 0 };
  } catch {
    return null;
  }
}

async function remove(layout: DiskLayout, owner: AssetOwner): Promise<void> {
  const folder = layout.lostFolder(owner);
  await rm(folder, { recursive: true, force: true });
  await rm(layout.lostManifest(owner), { force: true });
  await rmdir(path.dirname(folder)).catch(() => undefined);
}

async function quarantine(layout: DiskLayout, owner: AssetOwner, reason: string): Promise<LostItem | null> {
  const folder = layout.itemFolder(owner);
  const original = await stat(originalIn(folder)).catch(nullIfAbsent);
  if (!original) {
    const names = await readdir(folder).catch(nullIfAbsent);
    if (names && holdsOnlyDerived(names)) await rm(folder, { recursive: true });
    return null;
  }
  const filename = await readFilename(folder);
  const manifest = { found_at: new Date().toISOString(), reason, filename, size: original.size, running_seconds: 0 };
  const lostFolder = layout.lostFolder(owner);
  const manifestFile = layout.lostManifest(owner);
  await createFolderSynced(path.dirname(lostFolder));
  // A manifest that a crash left without its folder is replaced.
  if (!(await exists(lostFolder))) await rm(manifestFile, { force: true });
  await writeSynced(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  await moveDurably(folder, lostFolder);
  return { ...owner, ...manifest };
}

async function restoreInPlace(layout: DiskLayout, owner: AssetOwner): Promise<boolean> {
  const folder = layout.itemFolder(owner);
  const lostFolder = layout.lostFolder(owner);
  if (await exists(originalIn(folder))) return false;
  if (await exists(folder)) {
    // A worker created it for renditions, and found no original.
    await moveDurably(originalIn(lostFolder), originalIn(folder));
  } else {
    await createFolderSynced(path.dirname(folder));
    await moveDurably(lostFolder, folder);
  }
  await remove(layout, owner);
  return true;
}

async function withCopy<Result>(
  layout: DiskLayout,
  item: LostItem,
  work: (file: { path: string; filename: string; size: number; sha256: string }) => Promise<Result>,
): Promise<Result> {
  const original = originalIn(layout.lostFolder(item));
  const staging = await mkdtemp(path.join(layout.lostRoot, copyPrefix));
  try {
    const file = path.join(staging, 'file');
    // A second name for the same bytes takes no room; a file system without links gets a copy.
    const outcome = await link(original, file).catch(() => copyFile(original, file));
    if (typeof outcome === 'string') throw new Error(`The original of ${item.id} in lost+found is ${outcome}.`);
    await syncToDisk(file);
    const sha256 = await hashFile(file);
    const { size } = await stat(file);
    return await work({ path: file, filename: item.filename ?? `recovered-${item.id}`, size, sha256 });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function listExpired(layout: DiskLayout, ranSeconds: number): Promise<LostItem[]> {
  const expired: LostItem[] = [];
  for (const { workspace_id, id, ...known } of await list(layout)) {
    const item = { ...known, workspace_id, id, running_seconds: known.running_seconds + ranSeconds };
    if (isExpired(item)) {
      expired.push(item);
    } else if (ranSeconds > 0) {
      const content = JSON.stringify({ ...known, running_seconds: item.running_seconds }, null, 2);
      await replaceFile(layout.lostManifest(item), (temporary) => writeSynced(temporary, `${content}\n`));
    }
  }
  return expired;
}

async function removeLeftovers({ lostRoot }: DiskLayout): Promise<void> {
  for (const name of await listSubfolders(lostRoot, copyPrefix)) {
    await rm(path.join(lostRoot, name), { recursive: true, force: true });
  }
  for (const workspace of await listSubfolders(lostRoot)) {
    const folder = path.join(lostRoot, workspace);
    for (const name of await readdir(folder).catch(() => [])) {
      const item = path.join(folder, path.basename(name, '.json'));
      if (/\.json\.[\da-f-]+\.new$/.test(name)) await rm(path.join(folder, name), { force: true });
      if (!name.endsWith('.json') || (await exists(item))) continue;
      // Any other such file was recovered by the file system's own check.
      const text = await readFile(path.join(folder, name), 'utf8').catch(() => '');
      if (readManifest(text)) await rm(path.join(folder, name), { force: true });
    }
  }
}

const manifestSchema = z.object({
  found_at: z.iso.datetime(),
  reason: z.string(),
  filename: z.string().nullable(),
  size: z.int().min(0),
  running_seconds: z.number().min(0).default(0),
});

/** Parses a manifest; null when it is damaged or something else. */
export function readManifest(text: string): z.output<typeof manifestSchema> | null {
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

const exists = (target: string): Promise<boolean> =>
  stat(target).then(
    () => true,
    () => false,
  );

/** Name of the uploaded file; null for items of releases that did not store it. */
async function readFilename(folder: string): Promise<string | null> {
  try {
    const { filename } = JSON.parse(await readFile(metadataIn(folder), 'utf8')) as { filename: string };
    return filename;
  } catch {
    return null;
  }
}
