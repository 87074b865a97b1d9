import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type AssetOwner, type AssetStore, uploaded } from '../../assets/asset-store.ts';
import { assetPath, assetsFolder, itemPath, renditionPath } from '../../assets/disk-layout.ts';
import { deleteAllExports } from '../../catalog/exports/export-jobs.ts';
import { deleteMedia, findStoredMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import { recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import { beginTimeline } from '../../catalog/media/timelines.ts';
import { deleteAllUploads } from '../../catalog/media/uploads.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { hasFile, receiveFile } from '../../platform/storage/copy-file.ts';
import { createFolderSynced, syncToDisk, writeSynced } from '../../platform/storage/durable-files.ts';
import { forEach } from '../../platform/storage/for-each.ts';
import { hashFile } from '../../platform/storage/hash-file.ts';
import { listSubfolders } from '../../platform/storage/list-subfolders.ts';
import type { Progress } from '../admin/progress.ts';
import {
  claimBackupFolder,
  type ListedFile,
  lockBackupFolder,
  type Manifest,
  readManifest,
  type RenditionList,
  renditionListName,
  replaceFileSynced,
  secretName,
  checksumOf,
  writeManifest,
} from './backup-folder.ts';
import { copyRenditions, transferOriginal, type TransferTarget } from './transfer-items.ts';
import { writeSnapshot } from './write-snapshot.ts';

export type BackupReport = Pick<Manifest, 'created_at' | 'items' | 'elsewhere' | 'bytes' | 'missing'> & {
  /** Originals that were not in the folder before. */
  copied: number;
  /** Items that were deleted since the last backup, and are removed from the folder. */
  removed: number;
};

type BackupParts = {
  db: Catalog;
  assets: AssetStore;
  secretKeyFile: string;
  folder: string;
  /** Version of Media Search. */
  software: string;
  progress: Progress;
};

/** Items that are copied at the same time: of small files most of the time is waiting for the disk to sync them. */
const itemsAtOnce = 16;

/** While items are indexed again during the copying of their renditions, another snapshot is taken, up to this many. */
const maxSnapshots = 5;

/**
 * Backs up a data folder; the service may be running. Originals that the backup folder has are not copied again. Until the manifest is
 * replaced at the end, the folder holds the previous backup, complete. A backup that was interrupted resumes where it stopped.
 * Throws `StartupError` when the folder holds something else or another backup is running.
 */
export async function createBackup(parts: BackupParts): Promise<BackupReport> {
  const { db, folder, software, progress } = parts;
  const secret = await readFile(parts.secretKeyFile);
  await claimBackupFolder(folder, secret);
  using lock = lockBackupFolder(folder);
  if (!lock) throw new StartupError(`The backup folder ${folder} cannot be written.`);
  const previous = await readManifest(folder).catch(() => null);
  const copier = createCopier(parts, previous ? Date.parse(previous.created_at) : 0);
  await copier.plan();
  // Most files before the snapshot, so that little is left to copy, and little can be deleted, after it.
  await forEach(readAllMedia(db), itemsAtOnce, async (row) => void (await copier.copy(row)));
  const created = new Date().toISOString();
  const time = created.replaceAll(/\W/g, '-');
  const { catalog, lines, kept, elsewhere, missing, bytes } = await takeSnapshot(parts, copier, `catalog-${time}.db`);
  progress.end();

  await replaceFileSynced(path.join(folder, secretName), secret);
  const list = lines.join('');
  const listName = `files-${time}.jsonl`;
  await replaceFileSynced(path.join(folder, listName), list);
  await writeManifest(folder, {
    format: 'media-search-backup',
    version: 1,
    created_at: created,
    software,
    items: kept.size,
    elsewhere,
    bytes,
    catalog,
    secret: { path: secretName, ...checksumOf(secret) },
    files: { path: listName, ...checksumOf(list) },
    missing,
  });
  const removed = await removeOutdated(folder, [catalog.path, listName], kept);
  return { created_at: created, items: kept.size, elsewhere, bytes, missing, copied: copier.copied(), removed };
}

/** The files of an item in the backup. */
type ItemCopy = {
  files: ListedFile[];
  /** Name of the folder of its renditions. */
  renditions: string | null;
  problem: 'missing' | 'damaged' | null;
  /** The item was indexed again since its row was read, so its renditions are not those that the row names. */
  changed: boolean;
};

function createCopier({ db, assets, folder, progress }: BackupParts, lastBackup: number) {
  const fileOf = (row: AssetOwner) => path.join(folder, assetPath(uploaded(row)));
  const target: TransferTarget = {
    hasOriginal: (row) => hasFile(fileOf(row), row.size, lastBackup),
    takeOriginal: (row, copy) => receiveFile(fileOf(row), copy),
  };
  const onRead = (bytes: number) => progress.advance(bytes);
  let copied = 0;

  return {
    copied: (): number => copied,

    /** Adds the bytes to copy to the progress. */
    async plan(): Promise<void> {
      for await (const row of readAllMedia(db)) {
        if (row.source_id === null && !(await hasFile(fileOf(row), row.size, Infinity))) progress.addTotal(row.size);
      }
    },

    /** Copies the files of an item into the backup; null when the item was deleted since its row was read. */
    async copy(row: MediaRow): Promise<ItemCopy | null> {
      const outcome = await transferOriginal({ source: assets, target }, row, onRead);
      const problem = outcome === 'missing' || outcome === 'damaged' ? outcome : null;
      if (typeof outcome !== 'string') copied += 1;
      const renditions = await backUpRenditions(db, assets, folder, row);
      // A row is deleted before its file, so only now it is clear whether a missing file is lost.
      const live = await findStoredMedia(db, row.workspace_id, row.id);
      if (!live) return null;
      if (problem) await recordOriginalCheck(db, row, `original_${problem}`);
      const files =
        problem || outcome === 'elsewhere'
          ? []
          : [{ path: assetPath(uploaded(row)), bytes: row.size, sha256: row.sha256 }];
      const changed = live.indexed_at !== row.indexed_at;
      if (changed || !renditions) return { files, renditions: null, problem, changed };
      return { files: [...files, renditions], renditions: renditionFolder(row), problem, changed };
    },
  };
}

type Copier = ReturnType<typeof createCopier>;

const renditionFolder = (row: MediaRow): string => `renditions-${String(row.indexed_at).replaceAll(/\W/g, '-')}`;

/**
 * Copies the renditions of an item into a folder named by the time of indexing. Files that cannot be read are left out: they can be
 * rebuilt from the original.
 * @returns the list of the copied files; null for an item without renditions, or that was indexed again or deleted meanwhile
 */
async function backUpRenditions(
  db: Catalog,
  assets: AssetStore,
  folder: string,
  row: MediaRow,
): Promise<ListedFile | null> {
  if (row.status !== 'complete' || row.indexed_at === null) return null;
  const name = `${itemPath(row)}/${renditionFolder(row)}`;
  const target = path.join(folder, name);
  const listName = `${name}/${renditionListName}`;
  const known = await readFile(path.join(folder, listName)).catch(() => null);
  if (known) return { path: listName, ...checksumOf(known) };
  const temporary = `${target}.new`;
  await rm(temporary, { recursive: true, force: true });
  await createFolderSynced(path.dirname(target));
  // Its name is durable after the renaming.
  await mkdir(temporary);
  const files = await copyRenditions(assets, row, await assets.listRenditions(row).catch(() => []), temporary);
  const list = JSON.stringify({ folder: renditionPath(row), files } satisfies RenditionList);
  await writeSynced(path.join(temporary, renditionListName), list, 0o600);
  await syncToDisk(temporary);
  if ((await findStoredMedia(db, row.workspace_id, row.id))?.indexed_at !== row.indexed_at) {
    await rm(temporary, { recursive: true });
    return null;
  }
  await rename(temporary, target);
  await syncToDisk(path.dirname(target));
  return { path: listName, ...checksumOf(list) };
}

type Snapshot = {
  catalog: ListedFile;
  /** Lines of the file list. */
  lines: string[];
  /** The items of the snapshot, each with the folder of its renditions. */
  kept: Map<string, string | null>;
  missing: Manifest['missing'];
  /** Items whose originals are in sources. */
  elsewhere: number;
  bytes: number;
};

/** Copies the catalog as of one moment, and all files that its rows name. Items deleted after that moment are removed from the copy. */
async function takeSnapshot({ db, folder }: BackupParts, copier: Copier, name: string): Promise<Snapshot> {
  const temporary = path.join(folder, `${name}.new`);
  for (let taken = 1; ; taken++) {
    for (const ending of ['', '-wal', '-shm']) await rm(`${temporary}${ending}`, { force: true });
    await writeSnapshot(db, temporary);
    const { again, ...content } = await copySnapshot(temporary, copier);
    if (again && taken < maxSnapshots) continue;
    const catalog = { path: name, bytes: (await stat(temporary)).size, sha256: await hashFile(temporary) };
    await syncToDisk(temporary);
    await rename(temporary, path.join(folder, name));
    await syncToDisk(folder);
    return { catalog, ...content };
  }
}

/**
 * Copies all files that a snapshot names, and removes from it items that were deleted meanwhile, and what has no files there: uploads that have
 * not arrived whole, whose clients have the files, and exports.
 */
async function copySnapshot(file: string, copier: Copier): Promise<Omit<Snapshot, 'catalog'> & { again: boolean }> {
  const snapshot = await openCatalog(file);
  try {
    await deleteAllUploads(snapshot);
    await deleteAllExports(snapshot);
    return await copyRows(snapshot, copier);
  } finally {
    await snapshot.destroy();
  }
}

async function copyRows(snapshot: Catalog, copier: Copier): Promise<Omit<Snapshot, 'catalog'> & { again: boolean }> {
  const lines: string[] = [];
  const kept: Snapshot['kept'] = new Map();
  const missing: Manifest['missing'] = [];
  const deleted: MediaRow[] = [];
  let again = false;
  let [elsewhere, bytes] = [0, 0];
  await forEach(readAllMedia(snapshot), itemsAtOnce, async (row) => {
    const copy = await copier.copy(row);
    if (!copy) {
      deleted.push(row);
      return;
    }
    const { workspace_id, id, filename } = row;
    if (copy.problem) missing.push({ workspace_id, id, filename, problem: copy.problem });
    else if (row.source_id === null) bytes += row.size;
    else elsewhere += 1;
    kept.set(itemPath(row), copy.renditions);
    for (const file of copy.files) lines.push(`${JSON.stringify(file)}\n`);
    again ||= copy.changed;
  });
  // Changes of the copy get numbers that the catalog gives to other changes.
  if (deleted.length > 0) await beginTimeline(snapshot, { isCopy: true });
  for (const row of deleted) await deleteMedia(snapshot, row.workspace_id, row.id);
  // Items end in any order; a list of what is wrong with them has one.
  missing.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { lines: lines.toSorted(), kept, missing, elsewhere, bytes, again };
}

/**
 * Removes files that only the previous backup needed.
 * @returns how many items
 */
async function removeOutdated(folder: string, current: string[], kept: Snapshot['kept']): Promise<number> {
  for (const name of await readdir(folder)) {
    if (/^(?:catalog|files)-/.test(name) && !current.includes(name)) await rm(path.join(folder, name), { force: true });
  }
  let removed = 0;
  for (const workspaceId of await listSubfolders(path.join(folder, assetsFolder))) {
    for (const id of await listSubfolders(path.join(folder, assetsFolder, workspaceId))) {
      const item = itemPath({ workspace_id: workspaceId, id });
      const renditions = kept.get(item);
      if (renditions === undefined) {
        removed += 1;
        await rm(path.join(folder, item), { recursive: true });
        continue;
      }
      for (const name of await listSubfolders(path.join(folder, item))) {
        if (name !== renditions) await rm(path.join(folder, item, name), { recursive: true });
      }
    }
  }
  return removed;
}
