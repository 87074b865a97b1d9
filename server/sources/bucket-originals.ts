import type { BucketClient } from '../assets/s3/bucket-client.ts';
import { downloadObject, type KnownObject, knowObjects } from '../assets/s3/known-objects.ts';
import type { LocalCopies } from '../assets/s3/local-copies.ts';
import { readWindows } from '../assets/s3/read-object.ts';
import { StorageError } from '../assets/s3/storage-error.ts';
import { ApiError } from '../errors/api-error.ts';
import { hasErrorCode } from '../errors/system-errors.ts';
import { isEmptyPlace, isPath } from './bucket-place.ts';
import type { BucketSource } from './bucket-reader.ts';
import type { Originals, Place } from './source-assets.ts';
import { describeProblem, isRefusal, originalGoneError, SourceError, sourceOfflineError } from './source-error.ts';

/**
 * Reads originals in buckets: ranges as they are asked for, and whole ones by a local copy.
 * @param open gives the part of a bucket that a source is, and a client of that bucket, the same each time
 */
export function createBucketOriginals(
  open: (location: string) => Promise<BucketSource>,
  openCopies: () => Promise<LocalCopies>,
): Originals {
  const known = new WeakMap<BucketClient, ReturnType<typeof knowObjects>>();
  const objectsOf = (client: BucketClient) => {
    const objects = known.get(client) ?? knowObjects(client);
    known.set(client, objects);
    return objects;
  };

  /** Finds an original. @param asked whether the bucket is to be asked, whatever was known. Throws `ApiError` when it is not to be read. */
  async function find(place: Place, path: string, asked: boolean): Promise<BucketSource & { object: KnownObject }> {
    const source = await open(place.location);
    if (!isPath(path)) throw originalGoneError(place.name);
    const key = source.prefix + path;
    const objects = objectsOf(source.client);
    if (asked) objects.forget(key);
    const object = await objects.find(key).catch(async (error: unknown) => {
      throw await explain(place, source, error);
    });
    if (!object) throw await explain(place, source, null);
    return { ...source, object };
  }

  return {
    async stat(place, { path }) {
      const { object } = await find(place, path, false);
      return { bytes: object.bytes, modifiedAt: object.modifiedAt };
    },

    async *read(place, { path }, range) {
      const { object, ...source } = await find(place, path, false);
      try {
        yield* readWindows(source.client, object, range ?? { start: 0, end: object.bytes - 1 });
      } catch (error) {
        objectsOf(source.client).forget(object.key);
        throw await explain(place, source, error);
      }
    },

    async withLocalCopy(place, { path }, work, transfer) {
      const { object, ...source } = await find(place, path, true);
      const { client } = source;
      const version = `${client.settings.bucket}/${object.key} ${object.etag}`;
      const download = (file: string) =>
        downloadObject(client, object, file, transfer).catch(async (error: unknown) => {
          throw await explain(place, source, error);
        });
      return (await openCopies()).use(version, object.bytes, download, work);
    },
  };
}

/** Why an object could not be read, so that its source is not taken as away for one of its files. @param error null: there is no such object */
async function explain(place: Place, { client, prefix }: BucketSource, error: unknown): Promise<unknown> {
  if (error !== null && !(error instanceof StorageError) && !hasErrorCode(error, 'ENOENT')) return error;
  try {
    if (await isEmptyPlace(client, prefix)) throw new SourceError('empty', `${place.location} is empty.`);
  } catch (reason) {
    return sourceOfflineError(place.name, describeProblem(reason).message);
  }
  if (!(error instanceof StorageError)) return originalGoneError(place.name);
  if (error.reason === 'PreconditionFailed') return originalGoneError(place.name, { cause: error });
  if (isRefusal(error))
    return Object.assign(
      new ApiError('original_missing', `The original may not be read in the source ${place.name}. ${error.message}`),
      { cause: error },
    );
  return sourceOfflineError(place.name, error.message);
}
