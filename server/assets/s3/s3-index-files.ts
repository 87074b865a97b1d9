import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hashFile } from '../../platform/storage/hash-file.ts';
import type { StorageSettings } from '../storage-settings.ts';
import { createBucketClient } from './bucket-client.ts';
import { deleteObject, deleteObjects } from './list-objects.ts';
import { readWindows } from './read-object.ts';
import { writeObject } from './write-object.ts';

/** Windows of a file that arrive at the same time beside the one that is written. */
const windowsAhead = 2;

/** Saved search indexes in a bucket, each under a name of its own: below `indexes/`, as in a data folder. */
export type IndexFiles = {
  /** Brings a file to a path of this machine, whole or not at all. Throws ENOENT when there is none of this name. */
  fetch(name: string, file: string): Promise<void>;
  store(name: string, file: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes the files of a folder but one; null: all. */
  removeOthers(folder: string, kept: string | null): Promise<void>;
};

/** Opens them; it asks nothing yet. Methods throw `StorageError` and errors of the disk. */
export async function openIndexFiles(settings: StorageSettings): Promise<IndexFiles> {
  const client = await createBucketClient(settings);
  const root = `${settings.prefix}indexes/`;
  return {
    async fetch(name, file) {
      const head = await client.head(root + name);
      if (!head) throw Object.assign(new Error(`ENOENT: there is no index ${name}`), { code: 'ENOENT' });
      const bytes = head.ContentLength ?? 0;
      const object = { key: root + name, bytes, etag: head.ETag };
      const temporary = `${file}.${randomUUID()}.new`;
      try {
        const blocks = readWindows(client, object, { start: 0, end: bytes - 1 }, { ahead: windowsAhead });
        await pipeline(Readable.from(blocks), createWriteStream(temporary, { mode: 0o600 }));
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    store: async (name, file) => writeObject(client, root + name, file, { sha256: await hashFile(file) }),

    remove: (name) => deleteObject(client, root + name),

    removeOthers: (folder, kept) =>
      deleteObjects(client, `${root}${folder}/`, (key) => kept === null || key !== root + kept),
  };
}
