import type { FastifyBaseLogger } from 'fastify';
import { openStoredFiles } from '../assets/open-stored-files.ts';
import { createWorkspace, listWorkspaces } from '../catalog/accounts/workspaces.ts';
import { beginTimeline } from '../catalog/media/timelines.ts';
import { createPool } from '../catalog/postgres/pool.ts';
import { withStartLock } from '../catalog/postgres/start-lock.ts';
import { noteNewerSchema } from '../catalog/prepare-schema.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createPostgresPubSub } from '../messaging/pubsub/postgres-pubsub.ts';
import { readKnownHistory } from '../operations/check/known-history.ts';
import { openDataCatalog, openSecrets } from '../operations/open-data-directory.ts';
import { createAbsentSecrets, type Secrets } from '../platform/crypto/secrets.ts';
import type { StorageObserver } from '../platform/metrics/metrics.ts';
import { prepareDataDirectory } from '../platform/storage/data-directory.ts';
import { claimProcessFolder } from '../platform/storage/process-folder.ts';
import { createScratch } from '../platform/storage/scratch.ts';
import type { Settings } from '../settings.ts';
import { createMediaRemoval } from '../uploads/media-removal.ts';
import type { Storage } from './open-storage.ts';

/**
 * Opens what several processes work on at the same time: a catalog in PostgreSQL, and the files. The first start creates them. Nothing is
 * swept: what is there may be of any process. Throws `StartupError`.
 * @param url of the database
 * @param stack closes what is opened here
 * @param onRequest is told of each request to a bucket
 */
export async function openSharedStorage(
  url: string,
  settings: Settings,
  log: FastifyBaseLogger,
  stack: AsyncDisposableStack,
  onRequest?: StorageObserver,
): Promise<Storage> {
  const { dataDirectory } = settings;
  await prepareDataDirectory(dataDirectory);
  const folder = await claimProcessFolder(dataDirectory);
  stack.use(folder);
  const pubsub = await createPostgresPubSub(url, log);
  stack.defer(() => pubsub.stop());
  const { assets, partialFiles, lostAndFound } = await openStoredFiles(settings, onRequest);
  if (assets.isLocal && settings.role !== 'all') {
    log.warn(`The files are in ${dataDirectory}: all processes need this folder. STORAGE_URL names a bucket instead.`);
  }
  const { db, secrets } = await withStartLock(url, async () => {
    const db = await openDataCatalog(settings, assets, { atStart: true });
    stack.defer(() => db.destroy());
    await noteNewerSchema(db, log);
    await assets.prepare();
    return { db, secrets: await prepareCatalog(db, settings) };
  });
  // A connection of its own: a process that has much to do is not taken for one without a database, which would leave its work to the others.
  const probe = createPool(url, 1);
  stack.defer(() => probe.end());
  const removal = createMediaRemoval({ db, assets, lostAndFound, log });
  stack.defer(() => removal.stop());
  return {
    db,
    secrets,
    assets,
    partialFiles,
    scratch: createScratch(folder.path),
    scratchDirectory: folder.path,
    lostAndFound,
    removal,
    history: await readKnownHistory(db),
    pubsub,
    ping: async () => void (await probe.query('select 1')),
    isShared: true,
  };
}

/** Does what a first start has to, and reads the secret key, which workers do not have. Call it under the lock of starts. */
async function prepareCatalog(db: Catalog, settings: Settings): Promise<Secrets> {
  await beginTimeline(db);
  if (settings.role === 'worker') return createAbsentSecrets();
  const secrets = await openSecrets(settings, db);
  if ((await listWorkspaces(db)).length === 0) {
    await createWorkspace(db, secrets, { workspace: 'My workspace', owner: 'Owner' });
  }
  return secrets;
}
