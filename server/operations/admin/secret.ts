import { rename } from 'node:fs/promises';
import path from 'node:path';
import { reissueApiKeys } from '../../catalog/accounts/api-keys.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { deleteAllShares } from '../../catalog/shares/shares.ts';
import { loadSecrets } from '../../platform/crypto/secrets.ts';
import { lockDataDirectory } from '../../platform/storage/data-directory.ts';
import { syncToDisk } from '../../platform/storage/durable-files.ts';
import type { Settings } from '../../settings.ts';

/**
 * `admin secret replace`: creates a secret key in place of a lost or damaged one, and prints the new API key of each workspace. The old API
 * keys and public links stop working, because they could no longer be shown. What is left of the old secret is kept beside the new one. Throws
 * `StartupError` while the service runs.
 */
export async function replaceSecret(db: Catalog, settings: Settings): Promise<void> {
  await using _alone = await excludeAllServices(settings);
  const file = settings.secretKeyFile;
  await rename(file, `${file}.replaced-${Date.now()}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const secrets = await loadSecrets(file);
  await syncToDisk(path.dirname(file));
  await deleteAllShares(db);
  for (const { name, key } of await reissueApiKeys(db, secrets)) console.log(`${name}  ${key}`);
}

/** Keeps every process of the service away until it is disposed of. Throws `StartupError` while one runs. */
async function excludeAllServices({ dataDirectory, databaseUrl }: Settings): Promise<AsyncDisposable> {
  if (databaseUrl !== null) return (await import('../../catalog/postgres/presence.ts')).excludeServices(databaseUrl);
  const lock = lockDataDirectory(dataDirectory);
  return { [Symbol.asyncDispose]: () => Promise.resolve(lock[Symbol.dispose]()) };
}
