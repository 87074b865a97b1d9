import path from 'node:path';
import type { BucketClient } from '../assets/s3/bucket-client.ts';
import { listFolder } from '../assets/s3/list-folder.ts';
import type { LocalCopies } from '../assets/s3/local-copies.ts';
import type { StorageObserver } from '../platform/metrics/metrics.ts';
import type { Settings } from '../settings.ts';
import { createBucketOriginals } from './bucket-originals.ts';
import { isEmptyPlace, isPath, placeOf, toSourceError } from './bucket-place.ts';
import { type BucketSource, createBucketReader } from './bucket-reader.ts';
import type { Originals } from './source-assets.ts';
import { SourceError } from './source-error.ts';
import type { SourceReader } from './source-reader.ts';

/** Entries of a folder that are looked at for the folders among them: those of one page. */
const maxFolders = 1000;

/** The buckets of sources, for the process that has the keys to them. */
export type SourceBuckets = {
  /** Refuses a place with files of the service, without asking the bucket. Throws `SourceError` with a sentence for people. */
  refuseOwn(location: string): void;
  /** Finds out whether a place may be a source, by one request. Throws `SourceError` with a sentence for people. */
  check(location: string): Promise<void>;
  /** The names of the folders in a folder of a bucket, hidden ones left out, as far as one request tells. Throws `SourceError`. */
  listFolders(location: string): Promise<string[]>;
  openReader(location: string, globs: { include: string[]; exclude: string[] }): SourceReader;
  originals: Originals;
};

/**
 * Prepares reading buckets as the settings say. The client of AWS is loaded when the first is read.
 * @param onRequest is told of each request
 */
export function createSourceBuckets(
  { bucketAccess, storage, dataDirectory }: Pick<Settings, 'bucketAccess' | 'storage' | 'dataDirectory'>,
  onRequest: StorageObserver,
): SourceBuckets {
  const clients = new Map<string, Promise<BucketClient>>();
  let copies: Promise<LocalCopies> | undefined;

  async function connect(bucket: string): Promise<BucketClient> {
    const { createBucketClient, observe } = await import('../assets/s3/bucket-client.ts');
    const client = await createBucketClient({ ...bucketAccess, bucket, prefix: '', redirect: false }, 'source');
    observe(client, onRequest);
    return client;
  }

  async function open(location: string): Promise<BucketSource> {
    const { bucket, prefix } = placeOf(location);
    const client = clients.get(bucket) ?? connect(bucket);
    clients.set(bucket, client);
    return { client: await client, prefix };
  }

  async function openCopies(): Promise<LocalCopies> {
    const { openLocalCopies } = await import('../assets/s3/local-copies.ts');
    return openLocalCopies(path.join(dataDirectory, 'cache'), bucketAccess.cacheBytes);
  }

  function refuseOwn(location: string): void {
    const { bucket, prefix } = placeOf(location);
    if (storage?.bucket === bucket && (prefix.startsWith(storage.prefix) || storage.prefix.startsWith(prefix)))
      throw new SourceError('location', 'must neither hold the files of the service (STORAGE_URL) nor be among them');
  }

  return {
    refuseOwn,
    async check(location) {
      const { prefix } = placeOf(location);
      refuseOwn(location);
      const { client } = await open(location);
      const isEmpty = await isEmptyPlace(client, prefix).catch((error: unknown) => {
        if (!(error instanceof SourceError)) throw error;
        throw new SourceError('location', `cannot be read: ${error.message.replace(/\.$/, '')}`);
      });
      if (isEmpty && prefix !== '')
        throw new SourceError('location', 'must be a folder of a bucket with objects in it');
    },
    async listFolders(location) {
      const { client, prefix } = await open(location);
      const { folders } = await listFolder(client, prefix, maxFolders).catch((error: unknown) => {
        throw toSourceError(error);
      });
      return folders.map((key) => key.slice(prefix.length, -1)).filter((name) => isPath(name) && !name.startsWith('.'));
    },
    openReader: (location, globs) => createBucketReader(() => open(location), globs),
    originals: createBucketOriginals(open, () => (copies ??= openCopies())),
  };
}
