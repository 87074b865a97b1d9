import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '../errors/system-errors.ts';
import { checkFolder } from '../platform/storage/data-directory.ts';
import { createFolderSynced, syncToDisk, writeSynced } from '../platform/storage/durable-files.ts';
import { listSubfolders } from '../platform/storage/list-subfolders.ts';
import type { AssetOwner, AssetStatus, AssetStore, DerivedAsset, Leftover, StoredItem } from './asset-store.ts';
import { type DiskLayout, diskLayout, metadataIn, originalIn } from './disk-layout.ts';

/** The asset store in a data folder. Each item has a folder of its own, so that deleting an item is one removal. */
export function createFileAssetStore(dataDirectory: string): AssetStore {
  const layout = diskLayout(dataDirectory);
  return {
    location: layout.assetsRoot,
    isLocal: true,
    findProblem: () => checkFolder(dataDirectory),
    async prepare() {
      await removeUnfinished(layout);
      await mkdir(layout.assetsRoot, { recursive: true });
    },
    putOriginal: (file, owner) => putOriginal(layout, file, owner),
    addItem: async (owner) => void (await mkdir(layout.itemFolder(owner), { recursive: true })),
    putRenditions: (owner, token, folder) => putRenditions(layout, owner, token, folder),
    removeRenditions: (owner, which) => removeRenditions(layout, owner, which),
    putDerived: (file, asset) => putDerived(layout, file, asset),
    removeDerived: (asset) => removeDerived(layout.file(asset), asset),
    remove: (owner) => discard(layout, layout.itemFolder(owner)),
    stat: (asset) => statFile(layout.file(asset)),
    read: (asset, range) => createReadStream(layout.file(asset), range),
    withLocalCopy: (asset, work) => work(layout.file(asset)),
    link: () => Promise.resolve(null),
    list: () => listItems(layout),
    listRenditions: (owner) => listFiles(layout.renditionFolder(owner)),
    findItem: (owner) => findItem(layout, owner),
    listLeftovers: () => listLeftovers(layout),
  };
}

/** The folder of an export goes with its last file: each has one of its own. */
async function removeDerived(file: string, { kind }: DerivedAsset): Promise<void> {
  await rm(file, { force: true });
  if (kind !== 'exported') return;
  await rmdir(path.dirname(file)).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT') && !hasErrorCode(error, 'ENOTEMPTY')) throw error;
  });
}

/** Empties the folder for removals. It does no harm to a removal that is under way: both remove the same. */
async function removeUnfinished({ removedRoot }: DiskLayout): Promise<void> {
  await rm(removedRoot, { recursive: true, force: true });
  await mkdir(removedRoot, { recursive: true });
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

/** The folder is moved when its files are synced, so that it is there whole or not at all. */
async function putRenditions(layout: DiskLayout, owner: AssetOwner, token: number, folder: string): Promise<void> {
  for (const name of await readdir(folder)) await syncToDisk(path.join(folder, name));
  await syncToDisk(folder);
  await createInItem(layout.renditionsFolder(owner));
  const target = layout.renditionFolder({ ...owner, renditions_token: token });
  await rename(folder, target);
  for (const parent of [layout.renditionsFolder(owner), layout.itemFolder(owner)]) await syncToDisk(parent);
}

/** Not synced: it can be made again. */
async function putDerived(layout: DiskLayout, file: string, asset: DerivedAsset): Promise<void> {
  const target = layout.file(asset);
  if (asset.kind === 'shared') await createInItem(path.dirname(target));
  else if (asset.kind === 'exported') await mkdir(path.dirname(target), { recursive: true });
  await rename(file, target);
}

/** Creates a folder of an item. Not with its parents: the folder of a deleted item is not created again. */
async function createInItem(folder: string): Promise<void> {
  await mkdir(folder).catch((error: unknown) => {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  });
}

async function removeRenditions(
  layout: DiskLayout,
  owner: AssetOwner,
  which: { upTo: number } | { only: number },
): Promise<void> {
  if ('only' in which) return discard(layout, layout.renditionFolder({ ...owner, renditions_token: which.only }));
  const folder = layout.renditionsFolder(owner);
  for (const name of await readdir(folder).catch(noneIfAbsent)) {
    if (/^\d+$/.test(name) && Number(name) > which.upTo) continue;
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

async function* listItems(layout: DiskLayout): AsyncGenerator<AssetOwner> {
  for (const workspace_id of await listSubfolders(layout.assetsRoot)) {
    for (const id of await listSubfolders(layout.workspaceFolder(workspace_id))) yield { workspace_id, id };
  }
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

async function listLeftovers({ dataDirectory, removedRoot }: DiskLayout): Promise<Leftover[]> {
  const names = await readdir(removedRoot).catch((): string[] => []);
  return names.map((name) => ({
    location: path.relative(dataDirectory, path.join(removedRoot, name)),
    remove: () => rm(path.join(removedRoot, name), { recursive: true, force: true }),
  }));
}

function noneIfAbsent(error: unknown): [] {
  if (hasErrorCode(error, 'ENOENT')) return [];
  throw error;
}
