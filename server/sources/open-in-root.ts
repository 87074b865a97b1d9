import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { SourceError } from './source-error.ts';

/**
 * Opens files of a source for reading, never anything else. What counts is the file that was opened, not its path: a path may lead elsewhere a moment
 * after it was looked at (CWE-367).
 */

export type Root = {
  /** The absolute path of a folder, without links in it. */
  path: string;
  /** The data folder of the service, whose files are never opened as those of a source. */
  dataDirectory: string;
};

const outside = (file: string) =>
  new SourceError('outside_root', `${file} leads out of its source by a link or by another path. It is not opened.`);

/** Whether a path is a folder, or in it. Both are absolute and without links. */
export const isWithin = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);

/** The path of a file below a root. Throws `SourceError` for a path that leads out of it by its text alone. */
function pathInRoot(root: string, relative: string): string {
  const parts = relative.split('/');
  if (relative.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw outside(relative);
  if (path.sep !== '/' && relative.includes(path.sep)) throw outside(relative);
  return path.join(root, ...parts);
}

/**
 * Opens a regular file below a root.
 * @returns its handle, to be closed, what it is, and a path that leads to the opened file itself where the system has one
 * Throws `SourceError` for what is no regular file, lies outside the root, or is a second name of a file of the data folder; errors of the system
 * otherwise.
 */
export async function openInRoot(
  { path: root, dataDirectory }: Root,
  relative: string,
): Promise<{ handle: FileHandle; status: BigIntStats; file: string }> {
  const file = pathInRoot(root, relative);
  // A device or a pipe may do something when it is opened.
  if (!(await lstat(file)).isFile()) throw new SourceError('no_file', `${relative} is no regular file.`);
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const status = await handle.stat({ bigint: true });
    if (!status.isFile()) throw new SourceError('no_file', `${relative} is no regular file.`);
    if ((await placeOf(handle, status, file)) !== file) throw outside(relative);
    if (status.nlink > 1n && (await isOfService(status, dataDirectory))) {
      throw new SourceError('data_folder', `${relative} is a second name of a file of the service. It is not opened.`);
    }
    return { handle, status, file: openedPath(handle, file) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const hasDescriptors = process.platform === 'linux';

/** Other processes of the same user can open it too, as long as the handle is open. */
const openedPath = ({ fd }: FileHandle, file: string): string =>
  hasDescriptors ? `/proc/${process.pid}/fd/${fd}` : file;

/** Where the opened file is, without links. */
async function placeOf(handle: FileHandle, status: BigIntStats, file: string): Promise<string | null> {
  if (hasDescriptors) return readlink(`/proc/self/fd/${handle.fd}`);
  const place = await realpath(file);
  const { dev, ino } = await stat(place, { bigint: true });
  return dev === status.dev && ino === status.ino ? place : null;
}

/** Clocks of file systems are behind by so much at most, milliseconds. */
const clockMs = 1000;
/** The files of data folders that have further names, by folder, for a minute: reading a folder takes a while. */
const linkedFiles = new LRUCache<string, { found: Promise<Set<string>>; listedAt: number }>({ max: 10, ttl: 60_000 });

/** Whether a file with several names is one of the data folder. */
async function isOfService({ dev, ino, ctimeMs }: BigIntStats, dataDirectory: string): Promise<boolean> {
  const root = await stat(dataDirectory, { bigint: true }).catch(() => null);
  if (root?.dev !== dev) return false;
  let known = linkedFiles.get(dataDirectory);
  // A new name changes this time of a file, which nobody can set: one that came after the list is not in it.
  if (!known || Number(ctimeMs) >= known.listedAt - clockMs) {
    known = { listedAt: Date.now(), found: listLinked(dataDirectory) };
    linkedFiles.set(dataDirectory, known);
  }
  return (await known.found).has(String(ino));
}

async function listLinked(folder: string, found = new Set<string>()): Promise<Set<string>> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) await listLinked(file, found);
    else if (entry.isFile()) {
      const status = await lstat(file, { bigint: true }).catch(() => null);
      if (status && status.nlink > 1n) found.add(String(status.ino));
    }
  }
  return found;
}
