import { rename } from 'node:fs/promises';
import path from 'node:path';
import { reissueApiKeys } from '../catalog/api-keys.ts';
import type { Catalog } from '../catalog/schema.ts';
import { deleteAllShares } from '../catalog/shares.ts';
import { loadSecrets, secretFile } from '../crypto/secrets.ts';
import { lockDataDirectory } from '../storage/data-directory.ts';
import { syncToDisk } from '../storage/durable-files.ts';

/**
 * `admin secret replace`: creates a secret key in place of a lost or damaged one, and prints the new API key of each workspace. The old API
 * keys and public links stop working, because they could no longer be shown. What is left of the old secret is kept beside the new one. Throws
 * `StartupError` while the service runs.
 */
export async function replaceSecret(db: Catalog, dataDirectory: string): Promise<void> {
  using _lock = lockDataDirectory(dataDirectory);
  const file = secretFile(dataDirectory);
  await rename(file, `${file}.replaced-${Date.now()}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const secrets = await loadSecrets(dataDirectory);
  await syncToDisk(path.dirname(file));
  await deleteAllShares(db);
  for (const { name, key } of await reissueApiKeys(db, secrets)) console.log(`${name}  ${key}`);
}
