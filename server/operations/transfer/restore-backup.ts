import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type AssetStore, original } from '../../assets/asset-store.ts';
import { assetsFolder, lostAndFoundFolder } from '../../assets/disk-layout.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { openCatalogAt, serviceOptions } from '../../catalog/catalog-location.ts';
import { recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { writeSetting } from '../../catalog/service-settings.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { copyFile, hasFile, receiveFile } from '../../platform/storage/copy-file.ts';
import { type CatalogLocation } from '../../platform/storage/data-directory.ts';
import { catalogFile, lockDataDirectory, prepareDataDirectory } from '../../platform/storage/data-directory.ts';
import { createFolderSynced, syncToDisk } from '../../platform/storage/durable-files.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { Progress } from '../admin/progress.ts';
import {
  createBackupSource,
  type ListedFile,
  lockBackupFolder,
  type Manifest,
  readFileList,
  readManifest,
  readRenditionList,
  renditionListName,
  replaceFileSynced,
  secretName,
  sha256Of,
} from './backup-folder.ts';
import { move } from './move.ts';
import { leavingSetting } from './tables.ts';
import { stagingName, stateName } from './unfinished-restore.ts';

export type RestoreReport = {
  /** When the backup was made. */
  created_at: string;
  items: number;
  /** What was left out, and for a restore to a database or a bucket also what the backup lacks, as sentences. */
  problems: string[];
  /** Where the earlier content of the data folder was moved; null when there was none. */
  replaced: string | null;
};

/** New name of the staging folder, until it is removed. */
const restoredName = 'restored';

/**
 * Whether an entry of the data folder stays: models are the same under every catalog, and an empty or unreadable `lost+found` belongs to the
 * file system.
 */
async function staysInPlace(dataDirectory: string, name: string): Promise<boolean> {
  if (name === lostAndFoundFolder) return (await readdir(path.join(dataDirectory, name)).catch(() => [])).length === 0;
  return (
    ['models', stagingName, restoredName].includes(name) ||
    name.startsWith('service.lock') ||
    name.startsWith('replaced-')
  );
}

/** The entries of the data folder that a restore moves aside. */
async function listReplacedEntries(dataDirectory: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(dataDirectory)) {
    if (!(await staysInPlace(dataDirectory, name))) names.push(name);
  }
  return names;
}

/** `clearing`: the earlier content is being moved aside. `placing`: the staged files are being moved into place. */
type RestoreState = {
  step: 'clearing' | 'placing';
  replaced: string | null;
  created_at: string;
  items: number;
  damaged: string[];
};

/**
 * Restores a backup into a data folder that no service runs on. All files are copied beside what is there and compared with their
 * checksums before anything is replaced. After an interrupted restore no service starts on the folder until the restore was run again.
 * @param force moves aside what the folder holds; nothing is deleted
 * @param skipDamaged leaves out damaged files of the backup, instead of restoring nothing
 * Throws `StartupError` when the restore is not possible.
 */
export async function restoreBackup({
  folder,
  dataDirectory,
  force,
  skipDamaged,
  progress,
}: {
  folder: string;
  dataDirectory: string;
  force: boolean;
  skipDamaged: boolean;
  progress: Progress;
}): Promise<RestoreReport> {
  const manifest = await readManifest(folder);
  using backupLock = lockBackupFolder(folder);
  await prepareDataDirectory(dataDirectory);
  using dataLock = lockDataDirectory(dataDirectory);
  void [backupLock, dataLock];
  const staging = path.join(dataDirectory, stagingName);
  const interrupted = await readRestoreState(staging);
  // Awaited here: both locks end with this function.
  if (interrupted) return await moveIntoPlace(dataDirectory, interrupted);

  const occupied = await listReplacedEntries(dataDirectory);
  if (occupied.length > 0 && !force) {
    throw new StartupError(
      `The data folder ${dataDirectory} is not empty (it holds ${occupied[0]}). Give --force to move what it holds aside, into a folder of its own, and restore.`,
    );
  }
  const damaged = await copyToStaging(folder, manifest, staging, progress);
  progress.end();
  if (damaged.length > 0 && !skipDamaged) {
    await rm(staging, { recursive: true });
    throw new StartupError(
      `The backup in ${folder} is damaged, so nothing was restored. Give --skip-damaged to restore all but these files:\n  ${damaged.join('\n  ')}`,
    );
  }
  // The staging folder is laid out as a data folder.
  await markMissing({ file: catalogFile(staging) }, createFileAssetStore(staging));
  const replaced = occupied.length > 0 ? `replaced-${new Date().toISOString().replaceAll(/\W/g, '-')}` : null;
  const { created_at, items } = manifest;
  const state: RestoreState = { step: 'clearing', replaced, created_at, items, damaged };
  await writeRestoreState(staging, state);
  return await moveIntoPlace(dataDirectory, state);
}

async function readRestoreState(staging: string): Promise<RestoreState | null> {
  const text = await readFile(path.join(staging, stateName), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as RestoreState);
}

const writeRestoreState = (staging: string, state: RestoreState): Promise<void> =>
  replaceFileSynced(path.join(staging, stateName), JSON.stringify(state));

/**
 * Copies a backup into the staging folder and compares each file with its checksum. Files that an earlier try copied from the same backup
 * stay.
 * @returns the files that are damaged
 */
async function copyToStaging(
  folder: string,
  manifest: Manifest,
  staging: string,
  progress: Progress,
): Promise<string[]> {
  const { catalog, secret, files } = manifest;
  const stagedManifest = path.join(staging, 'manifest.json');
  const content = JSON.stringify(manifest);
  if ((await readFile(stagedManifest, 'utf8').catch(() => null)) !== content)
    await rm(staging, { recursive: true, force: true });
  await createFolderSynced(staging);
  await replaceFileSynced(stagedManifest, content);
  progress.addTotal(catalog.bytes + manifest.bytes);
  const onRead = (bytes: number) => progress.advance(bytes);

  // Without these there is nothing to restore. A catalog that an earlier try has opened is copied again.
  for (const ending of ['', '-wal', '-shm']) await rm(`${catalogFile(staging)}${ending}`, { force: true });
  const parts: [ListedFile, string][] = [
    [catalog, path.basename(catalogFile(staging))],
    [secret, secretName],
    [files, 'files.jsonl'],
  ];
  try {
    for (const [file, name] of parts) await copyPart(folder, file, path.join(staging, name), onRead);
  } catch (error) {
    if (error instanceof StartupError) await rm(staging, { recursive: true });
    throw error;
  }
  const damaged: string[] = [];
  /** @param name of the file in the backup, which may contain a time */
  const copyFromBackup = async (name: string, target: string, expected: ListedFile) => {
    if (await hasFile(target, expected.bytes)) {
      progress.advance(expected.bytes);
      return;
    }
    const outcome = await receiveFile(target, (file) => copyFile(path.join(folder, name), file, { expected, onRead }));
    if (typeof outcome === 'string') damaged.push(`${name} (${outcome})`);
  };
  for await (const file of readFileList(path.join(staging, 'files.jsonl'))) {
    const target = path.join(staging, file.path);
    if (path.basename(file.path) !== renditionListName) {
      await copyFromBackup(file.path, target, file);
      continue;
    }
    const list = await readFile(path.join(folder, file.path), 'utf8').catch(() => '');
    if (sha256Of(list) !== file.sha256) {
      damaged.push(`${file.path} (damaged)`);
      continue;
    }
    const from = path.dirname(file.path);
    const renditions = readRenditionList(list);
    const into = path.join(path.dirname(path.dirname(target)), renditions.folder);
    await createFolderSynced(into);
    for (const each of renditions.files) await copyFromBackup(`${from}/${each.path}`, path.join(into, each.path), each);
  }
  return damaged;
}

const unusable = (folder: string, name: string, problem: string): StartupError =>
  new StartupError(`The file ${name} of the backup in ${folder} is ${problem}, so it cannot be restored.`);

/** Copies a file without which there is nothing to restore. Throws `StartupError` when it is missing or damaged. */
async function copyPart(
  folder: string,
  file: ListedFile,
  target: string,
  onRead?: (bytes: number) => void,
): Promise<void> {
  const outcome = await copyFile(path.join(folder, file.path), target, { expected: file, onRead });
  if (typeof outcome === 'string') throw unusable(folder, file.path, outcome);
}

/** Migrates a restored catalog to this version and marks the items whose original the backup does not have. */
async function markMissing(location: CatalogLocation, assets: AssetStore): Promise<void> {
  const db = await openCatalogAt(location, serviceOptions);
  try {
    for await (const row of readAllMedia(db)) {
      if (row.source_id === null && !(await assets.stat(original(row))))
        await recordOriginalCheck(db, row, 'original_missing');
    }
  } finally {
    await db.destroy();
  }
}

/** Moves the earlier content aside and the staged files into place. Each step can be interrupted and resumed. */
async function moveIntoPlace(dataDirectory: string, state: RestoreState): Promise<RestoreReport> {
  const { replaced, created_at, items, damaged } = state;
  const staging = path.join(dataDirectory, stagingName);
  if (state.step === 'clearing') {
    if (replaced !== null) {
      await createFolderSynced(path.join(dataDirectory, replaced));
      for (const name of await listReplacedEntries(dataDirectory)) {
        await rename(path.join(dataDirectory, name), path.join(dataDirectory, replaced, name));
      }
      await syncToDisk(path.join(dataDirectory, replaced));
      await syncToDisk(dataDirectory);
    }
    await writeRestoreState(staging, { ...state, step: 'placing' });
  }
  for (const name of [assetsFolder, secretName, path.basename(catalogFile(dataDirectory))]) {
    if (existsSync(path.join(staging, name))) await rename(path.join(staging, name), path.join(dataDirectory, name));
  }
  await syncToDisk(dataDirectory);
  // Renamed first: while a folder of this name exists, no service starts.
  const done = path.join(dataDirectory, restoredName);
  await rm(done, { recursive: true, force: true });
  await rename(staging, done);
  await syncToDisk(dataDirectory);
  await rm(done, { recursive: true });
  const problems = damaged.map((file) => `Left out: ${file}`);
  return { created_at, items, problems, replaced: replaced && path.join(dataDirectory, replaced) };
}

type RestoreElsewhere = {
  folder: string;
  /** Where catalog and files belong. Both are empty, or hold what an interrupted restore of this backup copied. */
  target: { catalog: CatalogLocation; assets: AssetStore };
  targetName: string;
  /** The key file of the service; the secret key is put there when there is none. */
  secretFile: string;
  /** Leaves out damaged files of the backup. */
  skipDamaged: boolean;
  scratch: Scratch;
  progress: { rows: Progress; bytes: Progress };
};

/**
 * Restores a backup where a data folder is not what holds everything: to PostgreSQL, to a bucket, or to both. It goes on where it stopped.
 * Throws `StartupError` when the target holds something else, or the backup is damaged.
 */
export async function restoreElsewhere(restore: RestoreElsewhere): Promise<RestoreReport> {
  const { folder, target, targetName, skipDamaged, scratch, progress } = restore;
  const manifest = await readManifest(folder);
  using lock = lockBackupFolder(folder);
  void lock;
  await restoreSecret(restore, manifest);
  const known = new Set(manifest.missing.map(({ id }) => id));
  const { assets } = await scratch.withFolder(async (temporary) => {
    const file = path.join(temporary, 'catalog.db');
    await copyPart(folder, manifest.catalog, file);
    const db = await openCatalog(file);
    try {
      // The same at each try.
      await writeSetting(db, leavingSetting, manifest.catalog.sha256);
      const source = { db, assets: createBackupSource(folder) };
      const accept = ({ id }: { id: string }) => skipDamaged || known.has(id);
      return await move({ source, target, targetName, scratch, progress, accept });
    } finally {
      await db.destroy();
    }
  });
  await markMissing(target.catalog, target.assets);
  const leftOut = (assets?.problems ?? []).filter(({ id }) => !known.has(id)).map(({ message }) => message);
  const missing = manifest.missing.map(
    ({ id, filename, problem }) => `The original of ${filename} (${id}) was ${problem} when the backup was made.`,
  );
  const { created_at, items } = manifest;
  return { created_at, items, problems: [...leftOut, ...missing], replaced: null };
}

async function restoreSecret({ folder, secretFile }: RestoreElsewhere, { secret }: Manifest): Promise<void> {
  const content = await readFile(path.join(folder, secret.path));
  if (sha256Of(content) !== secret.sha256) throw unusable(folder, secret.path, 'damaged');
  if (!existsSync(secretFile)) return replaceFileSynced(secretFile, content);
  if (!content.equals(await readFile(secretFile))) {
    throw new StartupError(
      `The secret key ${secretFile} is not that of the backup, whose keys could not be read with it; move it aside first.`,
    );
  }
}
