import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type AssetStore, hasOriginals } from '../assets/asset-store.ts';
import { assetsFolder } from '../assets/disk-layout.ts';
import { refuseUnfinishedRestore } from '../backup/unfinished-restore.ts';
import { findSealedKey } from '../catalog/api-keys.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { quickCheckCatalog, hasWorkspaces } from '../catalog/quick-check.ts';
import type { Catalog } from '../catalog/schema.ts';
import { listWorkspaces } from '../catalog/workspaces.ts';
import { loadSecrets, readSecrets, secretAdvice, secretFile, type Secrets } from '../crypto/secrets.ts';
import { refuseUnfinishedMove } from '../moving/move-state.ts';
import { catalogFile } from '../storage/data-directory.ts';
import { syncToDisk } from '../storage/durable-files.ts';
import { StartupError, toStartupError } from './startup-error.ts';

/**
 * Opens the catalog of a data folder. A missing catalog is not replaced by an empty one where the folder holds originals: they would be lost.
 * Throws `StartupError`.
 * @param options.atStart at a start of the service the whole file is read to find damage, and the first start creates it
 * @param options.leaving only to move it elsewhere; otherwise an interrupted move from here begins anew
 */
export async function openDataCatalog(
  dataDirectory: string,
  assets: AssetStore,
  { atStart, leaving = false }: { atStart: boolean; leaving?: boolean },
): Promise<Catalog> {
  const file = catalogFile(dataDirectory);
  refuseUnfinishedRestore(dataDirectory);
  try {
    const exists = (await readFileSize(file)) > 0;
    if (!exists && ((await readFileSize(`${file}-wal`)) > 0 || (await hasOriginals(assets)))) throw catalogLost(file);
    if (!exists && !atStart) {
      throw new StartupError(`There is no Media Search in ${dataDirectory} yet; run npm start first, or set DATA_DIR.`);
    }
    const damage = exists && atStart ? quickCheckCatalog(file) : null;
    if (damage !== null) throw Object.assign(new Error(damage), { code: 'SQLITE_CORRUPT' });
    // Before it is opened for writing, which changes the log beside it: an operator may still restore the catalog that this log belongs to.
    if (exists && !hasWorkspaces(file) && (await hasOriginals(assets))) throw catalogLost(file);
    const db = await openCatalog(file);
    await syncToDisk(dataDirectory);
    if (!leaving) await refuseUnfinishedMove(db);
    return db;
  } catch (error) {
    throw toStartupError(error, dataDirectory) ?? error;
  }
}

const catalogLost = (file: string): StartupError =>
  new StartupError(
    `The catalog ${file} is missing or empty, but ${path.join(path.dirname(file), assetsFolder)} holds files that were uploaded. Put a backup in its place (npm run --silent admin -- restore FOLDER --force), or move the folder ${assetsFolder} elsewhere to begin with an empty workspace.`,
  );

/**
 * Reads the secret key of a catalog; creates it before the catalog has its first workspace. Throws `StartupError` when it is missing, damaged
 * or belongs to another catalog.
 */
export async function openSecrets(dataDirectory: string, db: Catalog): Promise<Secrets> {
  try {
    if ((await listWorkspaces(db)).length === 0) return await loadSecrets(dataDirectory);
    const file = secretFile(dataDirectory);
    const secrets = await readSecrets(dataDirectory);
    if (!secrets) throw new StartupError(`The secret key ${file} is missing. ${secretAdvice}`);
    const sealed = await findSealedKey(db);
    if (sealed && !canUnseal(secrets, sealed)) {
      throw new StartupError(`The secret key ${file} is not the one that belongs to this catalog. ${secretAdvice}`);
    }
    return secrets;
  } catch (error) {
    throw toStartupError(error, dataDirectory) ?? error;
  }
}

function canUnseal(secrets: Secrets, sealed: Uint8Array): boolean {
  try {
    secrets.unseal(sealed);
    return true;
  } catch {
    return false;
  }
}

/** Bytes of a file; 0 when there is none. */
async function readFileSize(file: string): Promise<number> {
  return stat(file).then(
    (status) => {
      if (!status.isFile()) throw Object.assign(new Error('it is not a file'), { code: 'SQLITE_CANTOPEN' });
      return status.size;
    },
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 0;
      throw error;
    },
  );
}
