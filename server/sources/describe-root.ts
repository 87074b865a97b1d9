import { lstat, opendir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { SourceError } from './source-error.ts';
import type { RootIdentity } from './source-process-messages.ts';

/** Finds out whether a path still leads to the folder itself: a link in it may lead to anything. Throws errors of the system, `ENOTDIR` for a link. */
export async function checkPath(root: string): Promise<void> {
  if ((await realpath(root)) !== root) throw Object.assign(new Error(`${root} is a link`), { code: 'ENOTDIR' });
}

/** What the root of a source is now. Throws errors of the system, `ENOTDIR` for what is no folder. */
export async function describeRoot(
  root: string,
): Promise<Omit<RootIdentity, 'mounts' | 'globs'> & { isEmpty: boolean }> {
  await checkPath(root);
  const status = await lstat(root, { bigint: true });
  if (!status.isDirectory()) throw Object.assign(new Error(`${root} is no folder`), { code: 'ENOTDIR' });
  const parent = await lstat(path.dirname(root), { bigint: true });
  // Asked here, so that a share that lists nothing any more is found out before its files are missed.
  await using entries = await opendir(root);
  const isEmpty = (await entries.read()) === null;
  return { device: String(status.dev), inode: String(status.ino), isMount: status.dev !== parent.dev, isEmpty };
}

/** What may be the matter when files are missing, in a sentence. @param location of the source */
export const suspicionOf = (location: string): string =>
  location.startsWith('s3://') ? 'It may be another bucket, or hide them.' : 'It may not be mounted.';

/**
 * Compares the root of a source with what it was when it was scanned. A mount point whose file system is gone is an empty folder of another file
 * system: its files are away, not deleted.
 * Throws `SourceError` when it is away.
 */
export function checkRoot(
  location: string,
  before: RootIdentity | null,
  now: { isMount: boolean; isEmpty: boolean },
): void {
  if (before === null) return;
  if (before.isMount && !now.isMount)
    throw new SourceError('not_mounted', `Nothing is mounted at ${location} any more.`);
  if (now.isEmpty) throw new SourceError('empty', `${location} is empty. ${suspicionOf(location)}`);
}
