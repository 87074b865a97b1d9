import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { once } from '@media-search/models/once';
import type { IndexKey } from '@media-search/search-engine/builder/built-index';
import { nameInFiles } from '@media-search/search-engine/builder/index-file';
import type { IndexSharing } from '@media-search/search-engine/builder/index-sharing';
import type { StorageSettings } from '../assets/storage-settings.ts';
import type { Catalog } from '../catalog/schema.ts';
import {
  holdIndex,
  indexLeaseSeconds,
  noteSavedFile,
  readSavedFile,
  releaseIndex,
  renewIndexes,
  type SavedIndexKey,
} from '../catalog/searches/saved-indexes.ts';
import { hasErrorCode } from '../errors/system-errors.ts';
import { runEvery } from '../platform/periodic.ts';

/**
 * Search indexes of processes that share a catalog in PostgreSQL. The owner of an index holds a lease on it, which this process renews as long as it lives; when it was
 * killed, the first that would save or build takes over. Where assets are in the data folder all processes have that folder, and a saved file replaces the one before in one step.
 * With a bucket the owner stores each file under a new name, notes it in the catalog, and then removes those before.
 * @param storage null: files are in the data folder
 */
export function createIndexSharing(db: Catalog, storage: StorageSettings | null): IndexSharing & AsyncDisposable {
  const owner = randomUUID();
  const files = storage ? createStoredFiles(db, owner, storage) : null;
  let isOwner = false;
  const renewal = runEvery(
    (indexLeaseSeconds * 1000) / 3,
    () => (isOwner ? renewIndexes(db, owner) : undefined),
    'the renewal of leases on search indexes',
    null,
    { atOnce: false },
  );
  return {
    async hold(key) {
      isOwner = true;
      return holdIndex(db, toSaved(key), owner);
    },
    release: (key) => releaseIndex(db, toSaved(key), owner),
    fetch: async (key, file) => files?.fetch(key, file),
    publish: async (key, file) => files?.publish(key, file),
    async discard(key) {
      await noteSavedFile(db, toSaved(key), owner, null);
      await files?.removeAll(key);
      await releaseIndex(db, toSaved(key), owner);
    },
    [Symbol.asyncDispose]: () => renewal.stop(),
  };
}

/** The files of indexes in a bucket, as one process sees them. */
function createStoredFiles(db: Catalog, owner: string, storage: StorageSettings) {
  const open = once(async () => (await import('../assets/s3/s3-index-files.ts')).openIndexFiles(storage));
  /** Of each path the name of the file that was brought or saved there. */
  const present = new Map<string, string>();
  return {
    async fetch(key: IndexKey, file: string): Promise<void> {
      const files = await open();
      for (let attempt = 1; ; attempt++) {
        const name = await readSavedFile(db, toSaved(key));
        if (name === null || present.get(file) === name) return;
        try {
          await mkdir(path.dirname(file), { recursive: true });
          await files.fetch(name, file);
          present.set(file, name);
          return;
        } catch (error) {
          // Its owner has just stored another one.
          if (attempt > 1 || !hasErrorCode(error, 'ENOENT')) throw error;
        }
      }
    },

    async publish(key: IndexKey, file: string): Promise<void> {
      const files = await open();
      const name = `${folderOf(key)}/${randomUUID()}.index`;
      await files.store(name, file);
      if (await noteSavedFile(db, toSaved(key), owner, name)) {
        present.set(file, name);
        await files.removeOthers(folderOf(key), name);
        // Another process has taken over.
      } else await files.remove(name);
    },

    removeAll: async (key: IndexKey): Promise<void> => (await open()).removeOthers(folderOf(key), null),
  };
}

const toSaved = ({ workspaceId, embedder }: IndexKey): SavedIndexKey => ({ workspaceId, embedderId: embedder.id });

const folderOf = ({ workspaceId, embedder }: IndexKey): string => `${workspaceId}/${nameInFiles(embedder.id)}`;
