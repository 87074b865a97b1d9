import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { parseStorageUrl } from '../assets/storage-settings.ts';
import type { SourceRow } from '../catalog/sources/sources.ts';
import { isWithin } from './open-in-root.ts';
import { inTurn } from './read-in-turn.ts';
import type { SourceBuckets } from './source-buckets.ts';
import { SourceError } from './source-error.ts';

/** Folders of the system that hold devices and states of processes, not files of people. */
const systemFolders = ['/proc', '/sys', '/dev', '/run', '/boot'];

/** Looks something up on the disk for people who choose a folder: all of them together keep one thread where a share hangs. */
export const lookUp = <Result>(call: () => Promise<Result>): Promise<Result> => inTurn('', call);

/** Where a source is, and of what kind. */
export type SourceLocation = { kind: 'folder' | 'bucket'; location: string };

export type LocateOptions = {
  roots: string[] | null;
  dataDirectory: string;
  buckets: Pick<SourceBuckets, 'check'>;
};

/**
 * Finds out whether a location may be a source. A bucket is asked, which takes a while: not to be waited for in a transaction.
 * @param roots of which one must hold it; null: the operator adds it, who may add any
 * @returns the kind of the source, and its location without links
 * Throws `SourceError` with a sentence for people.
 */
export async function locateSource(
  location: string,
  { roots, dataDirectory, buckets }: LocateOptions,
): Promise<SourceLocation> {
  if (location.startsWith('s3://')) {
    const place = parseStorageUrl(location);
    if (!place) throw new SourceError('location', 'must be s3://BUCKET or s3://BUCKET/FOLDER');
    const url = `s3://${place.bucket}/${place.prefix}`;
    if (roots && !isInBucketRoots(roots, url)) throw notAllowed(roots);
    await buckets.check(url);
    return { kind: 'bucket', location: url.replace(/\/$/, '') };
  }
  if (!path.isAbsolute(location)) throw new SourceError('location', 'must be an absolute path, or s3://BUCKET/FOLDER');
  // Without a difference between what is not there and what is outside: a path tells nothing of the disk to who may not see it.
  const refusal = roots ? notAllowed(roots) : new SourceError('location', 'must be a folder that is there');
  const real = await lookUp(() => realpath(location)).catch(() => null);
  if (real === null) throw refusal;
  if (roots) {
    if (!(await isInFolderRoots(roots, real))) throw refusal;
  }
  if (systemFolders.some((folder) => isWithin(folder, real)) || real === path.parse(real).root) {
    throw new SourceError('location', 'must be a folder of files, not one of the system');
  }
  if (!(await lookUp(() => lstat(real))).isDirectory()) throw refusal;
  await refuseData(real, dataDirectory);
  return { kind: 'folder', location: real };
}

/** Throws `SourceError` for a folder that holds the data folder, or is in it. */
async function refuseData(real: string, dataDirectory: string): Promise<void> {
  const data = await realpath(dataDirectory);
  if (isWithin(real, data) || isWithin(data, real))
    throw new SourceError('location', 'must neither hold the data folder of the service nor be in it');
}

/**
 * Finds out whether a source may still be where it is: the operator may have changed the settings since it was added. The source itself is not touched.
 * Throws `SourceError` (`not_allowed`) with a sentence for people.
 */
export async function checkPlace(
  { kind, location, managed }: Pick<SourceRow, 'kind' | 'location' | 'managed'>,
  {
    roots,
    dataDirectory,
    buckets,
  }: { roots: string[]; dataDirectory: string; buckets: Pick<SourceBuckets, 'refuseOwn'> },
): Promise<void> {
  const isInRoots =
    managed === 1 || (kind === 'bucket' ? isInBucketRoots(roots, location) : await isInFolderRoots(roots, location));
  if (!isInRoots)
    throw new SourceError('not_allowed', 'The operator no longer allows sources at its location (SOURCE_ROOTS).');
  try {
    if (kind === 'bucket') buckets.refuseOwn(location);
    else await refuseData(location, dataDirectory);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new SourceError('not_allowed', `Its location ${error.message}.`);
  }
}

/** Whether a folder is one of some roots, or in one. @param real without links */
async function isInFolderRoots(roots: string[], real: string): Promise<boolean> {
  for (const root of roots) {
    // One that is away is known by its path alone.
    const known = path.isAbsolute(root) ? await lookUp(() => realpath(root)).catch(() => path.resolve(root)) : null;
    if (known !== null && isWithin(known, real)) return true;
  }
  return false;
}

const withSlash = (location: string): string => location.replace(/\/*$/, '/');

/** Whether a folder of a bucket is one of some roots, or in one. */
export const isInBucketRoots = (roots: string[], location: string): boolean =>
  roots.some((root) => root.startsWith('s3://') && withSlash(location).startsWith(withSlash(root)));

const notAllowed = (roots: string[]): SourceError =>
  new SourceError(
    'location',
    roots.length === 0
      ? 'cannot be added here: the operator allows no roots for sources (SOURCE_ROOTS)'
      : 'must be a folder within the roots that the operator allows for sources',
  );
