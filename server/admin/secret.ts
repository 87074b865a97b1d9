import { rename } from 'node:fs/promises';
import path from 'node:path';
import { reissueApiKeys } from '../catalog/api-keys.ts';
import type { Catalog } from '../catalog/schema.ts';
import { loadSecrets, secretFile } from '../crypto/secrets.ts';
import { lockDataDirectory } from '../storage/data-directory.ts';
import { syncToDisk } from '../storage/durable-files.ts';

/**
 * Makes another secret key where the one of a data folder is lost or damaged, and prints the new API key of each workspace: the old keys
 * could not be shown any more and stop working. What is left of the old file is kept beside it. Throws `StartupError` while the service
 * runs.
 */
export async function replaceSecret(db: Catalog, dataDirectory: string): Promise<void> {
  using _lock = lockDataDirectory(dataDirectory);
  const file = secretFile(dataDirectory);
  await rename(file, `${file}.replaced-${Date.now()}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const secrets = await loadSecrets(dataDirectory);
  await syncToDisk(path.dirname(file));
  for (const { name, key } of await reissueApiKeys(db, secrets)) console.log(`${name}  ${key}`);
}
