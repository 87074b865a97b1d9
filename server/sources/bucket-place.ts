import type { BucketClient } from '../assets/s3/bucket-client.ts';
import { listFolder } from '../assets/s3/list-folder.ts';
import { StorageError } from '../assets/s3/storage-error.ts';
import { type BucketPrefix, parseStorageUrl } from '../assets/storage-settings.ts';
import { isAway, SourceError, toReadError } from './source-error.ts';

/** Sources in buckets: where they are, whether they answer, and what their errors say. */

/** The bucket and the prefix of a source. */
export function placeOf(location: string): BucketPrefix {
  const place = parseStorageUrl(location);
  if (!place) throw new SourceError('location', `${location} is no place in a bucket.`);
  return place;
}

/** Whether a key below a prefix is a path: stores and proxies disagree on what names such as `..` mean, and an empty one is no name. */
export const isPath = (path: string): boolean =>
  !path.includes('\0') && path.split('/').every((part) => !['', '.', '..'].includes(part));

/** Turns what a bucket answered into why a source is away. Errors that say nothing of it stay as they are. */
export function toSourceError(error: unknown): unknown {
  if (!(error instanceof StorageError)) return isAway(error) ? toReadError(error) : error;
  const code = error.reason
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toLowerCase();
  return new SourceError(code, error.message, { cause: error });
}

/** Asks for one key of a source. @returns whether there is none. Throws `SourceError` when it does not answer. */
export async function isEmptyPlace(client: BucketClient, prefix: string): Promise<boolean> {
  try {
    // Programs that show buckets as folders make an empty object for the folder itself.
    const { objects, folders, undecodable } = await listFolder(client, prefix, 2);
    return objects.every(({ key }) => key === prefix) && folders.length === 0 && undecodable.length === 0;
  } catch (error) {
    throw toSourceError(error);
  }
}
