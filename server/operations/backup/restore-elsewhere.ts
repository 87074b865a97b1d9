import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type AssetStore, original } from '../../assets/asset-store.ts';
import { type CatalogLocation, openCatalogAt, serviceOptions } from '../../catalog/catalog-location.ts';
import { recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { writeSetting } from '../../catalog/service-settings.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { Progress } from '../admin/progress.ts';
import { move } from '../migrate/move.ts';
import { leavingSetting } from '../migrate/tables.ts';
import { createBackupAssets } from './backup-assets.ts';
import { lockBackupFolder, type Manifest, readManifest, replaceFileSynced, sha256Of } from './backup-folder.ts';
import { copyFile } from './copy-file.ts';

type Restore = {
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

export type ElsewhereReport = Pick<Manifest, 'created_at' | 'items'> & { problems: string[] };

/**
 * Restores a backup where a data folder is not what holds everything: to PostgreSQL, to a bucket, or to both. It goes on where it stopped.
 * Throws `StartupError` when the target holds something else, or the backup is damaged.
 */
export async function restoreElsewhere(restore: Restore): Promise<ElsewhereReport> {
  const { folder, scratch } = restore;
  const manifest = await readManifest(folder);
  using lock = lockBackupFolder(folder);
  void lock;
  await restoreSecret(restore, manifest);
  const problems = await scratch.withFolder(async (temporary) => {
    const file = path.join(temporary, 'catalog.db');
    const outcome = await copyFile(path.join(folder, manifest.catalog.path), file, { expected: manifest.catalog });
    if (typeof outcome === 'string') throw unusable(folder, manifest.catalog.path, outcome);
    return restoreFrom(file, restore, manifest);
  });
  await markMissing(restore);
  const missing = manifest.missing.map(
    ({ id, filename, problem }) => `The original of ${filename} (${id}) was ${problem} when the backup was made.`,
  );
  return { created_at: manifest.created_at, items: manifest.items, problems: [...problems, ...missing] };
}

const unusable = (folder: string, name: string, problem: string): StartupError =>
  new StartupError(`The file ${name} of the backup in ${folder} is ${problem}, so it cannot be restored.`);

async function restoreSecret({ folder, secretFile }: Restore, { secret }: Manifest): Promise<void> {
  const content = await readFile(path.join(folder, secret.path));
  if (sha256Of(content) !== secret.sha256) throw unusable(folder, secret.path, 'damaged');
  if (!existsSync(secretFile)) return replaceFileSynced(secretFile, content);
  if (!content.equals(await readFile(secretFile))) {
    throw new StartupError(
      `The secret key ${secretFile} is not that of the backup, whose keys could not be read with it; move it aside first.`,
    );
  }
}

/** @returns what was left out */
async function restoreFrom(file: string, restore: Restore, manifest: Manifest): Promise<string[]> {
  const { folder, target, targetName, skipDamaged, scratch, progress } = restore;
  const db = await openCatalog(file);
  try {
    // The same at each try.
    await writeSetting(db, leavingSetting, manifest.catalog.sha256);
    const known = new Set(manifest.missing.map(({ id }) => id));
    const source = { db, assets: createBackupAssets(folder) };
    const accept = ({ id }: { id: string }) => skipDamaged || known.has(id);
    const { assets } = await move({ source, target, targetName, scratch, progress, accept });
    return (assets?.problems ?? []).filter(({ id }) => !known.has(id)).map(({ message }) => message);
  } finally {
    await db.destroy();
  }
}

/** Marks the items whose original the backup does not have. */
async function markMissing({ target }: Restore): Promise<void> {
  const db = await openCatalogAt(target.catalog, serviceOptions);
  try {
    for await (const row of readAllMedia(db)) {
      if (!(await target.assets.stat(original(row)))) await recordOriginalCheck(db, row, 'original_missing');
    }
  } finally {
    await db.destroy();
  }
}
