import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFolderSynced, syncToDisk, writeSynced } from '../storage/durable-files.ts';
import { listSubfolders } from '../storage/list-subfolders.ts';
import { hasErrorCode } from '../storage/system-errors.ts';
import type { AssetOwner, AssetStatus, AssetStore, Leftover, StoredItem } from './asset-store.ts';
import { type DiskLayout, diskLayout, metadataIn, originalIn } from './disk-layout.ts';

/** The asset store in a data folder. Each item has a folder of its own, so that deleting an item is one removal. */
export function createFileAssetStore(dataDirectory: string): AssetStore {
  const layout = diskLayout(dataDirectory);
  return {
    async prepare() {
      await removeUnfinished(layout);
      await mkdir(layout.assetsRoot, { recursive: true });
    },
    withScratchFolder: (work) => withScratchFolder(layout, work),
    putOriginal: (file, owner) => putOriginal(layout, file, owner),
    createRenditionFolder: (owner, token, options) => createRenditionFolder(layout, owner, token, options),
    putRenditions: (owner, token) => putRenditions(layout, owner, token),
    removeRenditions: (owner, maxToken) => removeRenditions(layout, owner, maxToken),
    removeAttempt: (owner, token) => discard(layout, layout.renditionFolder({ ...owner, renditions_token: token })),
    putShared: (file, owner, name) => putShared(layout, file, owner, name),
    removeShared: (owner, name) => rm(path.join(layout.sharedFolder(owner), name), { force: true }),
    remove: (owner) => discard(layout, layout.itemFolder(owner)),
    stat: (asset) => statFile(layout.file(asset)),
    read: (asset, range) => createReadStream(layout.file(asset), range),
    withLocalCopy: (asset, work) => work(layout.file(asset)),
    list: () => listItems(layout),
    hasOriginals: () => hasOriginals(layout),
    listRenditions: (owner) => listFiles(layout.renditionFolder(owner)),
    findItem: (owner) => findItem(layout, owner),
    listLeftovers: () => listLeftovers(layout),
  };
}

/**
 * Empties the folders for arriving files and for removals.
 * Single process: whatever is in them is of a process that has ended. A second process would need scratch folders that name their owner,
 * and a way to see whether it still runs.
 */
async function removeUnfinished({ scratchRoot, removedRoot }: DiskLayout): Promise<void> {
  for (const folder of [scratchRoot, removedRoot]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
}

async function withScratchFolder<Result>(
  { scratchRoot }: DiskLayout,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(scratchRoot, 'upload-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function putOriginal(
  layout: DiskLayout,
  file: string,
  owner: AssetOwner & { filename: string; sha256: string },
): Promise<void> {
  const folder = layout.itemFolder(owner);
  await createFolderSynced(path.dirname(folder));
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
  try {
    const metadata = metadataIn(folder);
    await rm(metadata, { force: true });
    const { filename, sha256 } = owner;
    await writeSynced(metadata, `${JSON.stringify({ filename, sha256 })}\n`);
    await rename(file, originalIn(folder));
    await syncToDisk(folder);
    await syncToDisk(path.dirname(folder));
  } catch (error) {
    if (isNew) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function createRenditionFolder(
  layout: DiskLayout,
  owner: AssetOwner,
  token: number,
  { keepEarlier }: { keepEarlier: boolean } = { keepEarlier: false },
): Promise<string> {
  // Not with its parents: the folder of a deleted item is not created again.
  await mkdir(layout.renditionsFolder(owner)).catch((error: unknown) => {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  });
  if (!keepEarlier) await removeRenditions(layout, owner, token);
  const folder = layout.renditionFolder({ ...owner, renditions_token: token });
  await mkdir(folder);
  return folder;
}

async function putRenditions(layout: DiskLayout, owner: AssetOwner, token: number): Promise<void> {
  const folder = layout.renditionFolder({ ...owner, renditions_token: token });
  for (const name of await readdir(folder)) await syncToDisk(path.join(folder, name));
  for (const parent of [folder, layout.renditionsFolder(owner), layout.itemFolder(owner)]) await syncToDisk(parent);
}

/** Not synced: it can be made again. */
async function putShared(layout: DiskLayout, file: string, owner: AssetOwner, name: string): Promise<void> {
  const folder = layout.sharedFolder(owner);
  // Not with its parents: the folder of a deleted item is not created again.
  await mkdir(folder).catch((error: unknown) => {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  });
  await rename(file, path.join(folder, name));
}

async function removeRenditions(layout: DiskLayout, owner: AssetOwner, maxToken: number): Promise<void> {
  const folder = layout.renditionsFolder(owner);
  for (const name of await readdir(folder).catch(noneIfAbsent)) {
    if (/^\d+$/.test(name) && Number(name) > maxToken) continue;
    await discard(layout, path.join(folder, name));
  }
}

/** Removes a file or folder. It is moved away first: a worker that still writes there then fails, instead of adding files meanwhile. */
async function discard({ removedRoot }: DiskLayout, target: string): Promise<void> {
  const removed = path.join(removedRoot, randomUUID());
  await mkdir(removedRoot, { recursive: true });
  try {
    await rename(target, removed);
    await syncToDisk(path.dirname(target));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return;
    throw error;
  }
  await rm(removed, { recursive: true, force: true });
}

async function statFile(file: string): Promise<AssetStatus | null> {
  const status = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!status) return null;
  if (!status.isFile()) throw Object.assign(new Error(`EISDIR: ${file} is no file`), { code: 'EISDIR' });
  return { bytes: status.size, modifiedAt: status.mtime };
}

async function listItems(layout: DiskLayout): Promise<AssetOwner[]> {
  const owners: AssetOwner[] = [];
  for (const workspace_id of await listSubfolders(layout.assetsRoot)) {
    for (const id of await listSubfolders(layout.workspaceFolder(workspace_id))) owners.push({ workspace_id, id });
  }
  return owners;
}

async function hasOriginals({ assetsRoot }: DiskLayout): Promise<boolean> {
  for (const workspace of await readdir(assetsRoot).catch(() => [])) {
    for (const item of await readdir(path.join(assetsRoot, workspace)).catch(() => [])) {
      if (existsSync(originalIn(path.join(assetsRoot, workspace, item)))) return true;
    }
  }
  return false;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(noneIfAbsent);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function findItem(layout: DiskLayout, owner: AssetOwner): Promise<StoredItem | null> {
  const folder = layout.itemFolder(owner);
  const status = await stat(folder).catch(() => null);
  return status && { location: path.relative(layout.dataDirectory, folder), changedAt: status.ctime };
}

async function listLeftovers({ dataDirectory, scratchRoot, removedRoot }: DiskLayout): Promise<Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const folder of [scratchRoot, removedRoot]) {
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const target = path.join(folder, name);
      leftovers.push({
        location: path.relative(dataDirectory, target),
        remove: () => rm(target, { recursive: true, force: true }),
      });
    }
  }
  return leftovers;
}

function noneIfAbsent(error: unknown): [] {
  if (hasErrorCode(error, 'ENOENT')) return [];
  throw error;
}
