import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { lstat, opendir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import {
  addRules,
  chooseEntries,
  createGlobs,
  type Entry,
  type Globs,
  groupSidecars,
  ignoreFile,
  type IgnoreRules,
  maxIgnoreBytes,
  noMediaFile,
  pathIn,
  type Sidecar,
} from './choose-entries.ts';
import { checkPath, describeRoot } from './describe-root.ts';
import { isAway, SourceError } from './source-error.ts';

/** A file with media in a source. Paths are below its root, with slashes. */
export type ListedFile = {
  path: string;
  size: number;
  modifiedMs: number;
  /** What stays the same when it is renamed: its inode, or the entity tag of an object. */
  identity: string;
  /** Names that the file has in the file system; 1: this one only. */
  names: number;
  sidecars: Sidecar[];
};

/** What could not be listed. `path` ends with a slash where it is a folder, of which then nothing is known. */
export type ListingProblem = { path: string; code: string; message: string };

/** What is listed of one folder, or a part of it. */
export type FolderListing = {
  folder: string;
  files: ListedFile[];
  problems: ListingProblem[];
  /** Whether another file system is mounted here. */
  isMount: boolean;
};

export type WalkOptions = { root: string; dataDirectory: string; include: string[]; exclude: string[] };

/** The longest path that is taken, bytes: what Linux opens at once (PATH_MAX), with its last zero byte. */
const maxPathBytes = 4095;
/** Files of a folder that are listed together at most. */
const partFiles = 500;
/** What was listed goes on after so long, however little it is: a share may take a second for each file, milliseconds. */
const partMs = 2000;

/** Told of what a walk does. */
export type WalkObserver = {
  /** A call to the file system was answered. */
  onAnswer: () => void;
  /** Before a folder is read. @param isMount whether another file system is mounted there */
  onFolder: (folder: string, status: BigIntStats, isMount: boolean) => Promise<void>;
};
const nobody: WalkObserver = { onAnswer: () => undefined, onFolder: () => Promise.resolve() };

type Folder = { path: string; device: bigint; ignored: IgnoreRules };

/**
 * Lists the media below the root of a source, folder by folder. Hidden files and folders, links, folders with `.nomedia`, and what `.ignore` files
 * or globs exclude are left out; the data folder of the service is never entered. Nothing is opened but `.ignore` files.
 * @param from folders below the root where it begins; only these and what is below them is listed
 * Throws errors of the system when the source itself is away.
 */
export async function* walkFolder(
  options: WalkOptions,
  from: string[] = [''],
  { onAnswer, onFolder }: WalkObserver = nobody,
): AsyncGenerator<FolderListing> {
  const { root, dataDirectory } = options;
  const data = await lstat(dataDirectory, { bigint: true }).catch(() => null);
  const globs = createGlobs(options, { nocase: process.platform !== 'linux' });
  await checkPath(root);
  // The next folder is the last one of these: what waits is bounded by the depth, not by the size of a folder.
  const waiting: Folder[] = [];
  for (const folder of from.toReversed()) {
    const first = await findFolder(root, folder, globs);
    if (first) waiting.push(first);
  }
  let handedOn = performance.now();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    let listing: FolderListing = { folder: next.path, files: [], problems: [], isMount: false };
    const status = await lookAt(root, next.path);
    if (status instanceof Error) {
      listing.problems.push(problemOf(`${next.path}/`, status));
      yield listing;
      continue;
    }
    if (status === null || isSame(status, data)) continue;
    const isMount = next.path !== '' && status.dev !== next.device;
    listing.isMount = isMount;
    // A change after this is told of.
    await onFolder(next.path, status, isMount);
    const entries = await listEntries(root, next.path, listing, onAnswer);
    if (entries === null) {
      yield listing;
      continue;
    }
    const names = new Set(entries.map(({ name }) => name));
    if (names.has(noMediaFile)) continue;
    const ignored = names.has(ignoreFile)
      ? addRules(next.ignored, next.path, await readRules(path.join(root, next.path, ignoreFile)))
      : next.ignored;
    const { folders, media, sidecars } = chooseEntries(next.path, entries, globs, ignored);
    for (const folder of folders) waiting.push({ path: folder, device: status.dev, ignored });
    const sidecarsOf = groupSidecars(await statSidecars(root, next.path, sidecars, onAnswer));
    for (const { name, kind } of media) {
      await addFile(root, pathIn(next.path, name), kind, sidecarsOf(name), listing);
      onAnswer();
      const isFull = listing.files.length + listing.problems.length >= partFiles;
      if (!isFull && performance.now() - handedOn < partMs) continue;
      // A folder with a million files goes in parts.
      yield listing;
      handedOn = performance.now();
      listing = { folder: next.path, files: [], problems: [], isMount };
    }
    yield listing;
  }
}

/**
 * What a folder is; null where it is none any more, or leads elsewhere by a link: a folder above may have become one since it was listed.
 * @returns an error that says something about this folder alone; throws when the source is away
 */
async function lookAt(root: string, folder: string): Promise<BigIntStats | Error | null> {
  const place = path.join(root, folder);
  const status = await lstat(place, { bigint: true }).catch((error: unknown) => error as Error);
  if (status instanceof Error) {
    if (folder === '' || isAway(status)) throw status;
    return 'code' in status && status.code === 'ENOENT' ? null : status;
  }
  if (!status.isDirectory()) return null;
  const isItself = folder === '' || (await realpath(place).catch(() => null)) === place;
  return isItself ? status : null;
}

/** A folder where a walk begins, with the rules that count in it; null where a rule of the folders above leaves it out. */
async function findFolder(root: string, folder: string, globs: Globs): Promise<Folder | null> {
  let above = '';
  let ignored: IgnoreRules = [];
  let { dev } = await lstat(root, { bigint: true });
  const parts = folder === '' ? [] : folder.split('/');
  for (const name of parts) {
    const place = path.join(root, above);
    if (await lstat(path.join(place, noMediaFile)).catch(() => null)) return null;
    const text = await readRules(path.join(place, ignoreFile));
    if (text !== '') ignored = addRules(ignored, above, text);
    const isTaken = chooseEntries(above, [{ name, kind: 'folder' }], globs, ignored).folders.length === 1;
    if (!isTaken) return null;
    dev = (await lstat(place, { bigint: true }).catch(() => null))?.dev ?? dev;
    above = pathIn(above, name);
  }
  return { path: folder, device: dev, ignored };
}

/** The entries of a folder but links; null, with a problem, when it cannot be read. Throws when the source is away. */
async function listEntries(
  root: string,
  folder: string,
  { problems }: FolderListing,
  onAnswer: () => void,
): Promise<Entry[] | null> {
  const entries: Entry[] = [];
  try {
    // Names may be any bytes.
    for await (const entry of await opendir(path.join(root, folder), { encoding: 'buffer' as BufferEncoding })) {
      onAnswer();
      const bytes = entry.name as unknown as Buffer;
      const name = bytes.toString();
      const file = pathIn(folder, name);
      if (entry.isSymbolicLink()) continue;
      if (!isUtf8(bytes)) {
        problems.push({ path: file, code: 'name_not_utf8', message: 'Its name is not written in UTF-8. Rename it.' });
      } else if (Buffer.byteLength(path.join(root, file)) > maxPathBytes) {
        problems.push({
          path: file.slice(0, 1000),
          code: 'path_too_long',
          message: 'Its path is longer than 4,095 bytes.',
        });
      } else {
        entries.push({ name, kind: entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other' });
      }
    }
  } catch (error) {
    if (folder === '' || isAway(error)) throw error;
    problems.push(problemOf(`${folder}/`, error as Error));
    return null;
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function addFile(
  root: string,
  file: string,
  kind: Entry['kind'],
  sidecars: Sidecar[],
  { files, problems }: FolderListing,
): Promise<void> {
  const fail = (code: string, message: string) => problems.push({ path: file, code, message });
  if (kind === 'other') return void fail('no_file', 'It is a device or a pipe, not a file.');
  const status = await lstat(path.join(root, file), { bigint: true }).catch((error: unknown) => error as Error);
  if (status instanceof Error) {
    // Where the source itself is there, its disk cannot read this one.
    if (isAway(status)) await describeRoot(root);
    // Gone meanwhile: it is missing.
    if (!('code' in status) || status.code !== 'ENOENT') problems.push(problemOf(file, status));
  } else if (!status.isFile()) fail('no_file', 'It is no regular file.');
  else if (status.size === 0n) fail('empty_file', 'It is empty.');
  else files.push({ ...toListed(file, status), sidecars });
}

const toListed = (file: string, { size, mtimeMs, ino, nlink }: BigIntStats): Omit<ListedFile, 'sidecars'> => ({
  path: file,
  size: Number(size),
  modifiedMs: Number(mtimeMs),
  identity: String(ino),
  names: Number(nlink),
});

/** What may belong to media of a folder, with sizes and times. */
async function statSidecars(root: string, folder: string, entries: Entry[], onAnswer: () => void): Promise<Sidecar[]> {
  const found: Sidecar[] = [];
  for (const { name } of entries) {
    const file = pathIn(folder, name);
    const status = await lstat(path.join(root, file)).catch(() => null);
    onAnswer();
    if (status?.isFile()) found.push({ path: file, size: status.size, modifiedMs: Math.floor(status.mtimeMs) });
  }
  return found;
}

/** What an `.ignore` file holds; nothing where it is too long, or cannot be read. */
async function readRules(file: string): Promise<string> {
  const status = await lstat(file).catch(() => null);
  return status?.isFile() && status.size <= maxIgnoreBytes ? readFile(file, 'utf8').catch(() => '') : '';
}

const isSame = (a: BigIntStats, b: BigIntStats | null): boolean => b !== null && a.dev === b.dev && a.ino === b.ino;

const sentences: Record<string, string> = {
  EACCES: 'The service may not read it.',
  EPERM: 'The service may not read it.',
  ENAMETOOLONG: 'Its path is too long.',
  ELOOP: 'It is a link.',
  EIO: 'Its disk or share reports an error of reading.',
};

/** What the system said of a file or a folder. */
function problemOf(file: string, error: Error): ListingProblem {
  const code = error instanceof SourceError ? error.code : 'code' in error ? String(error.code) : 'unknown';
  const message =
    error instanceof SourceError ? error.message : (sentences[code] ?? `It cannot be read: ${error.message}`);
  return { path: file, code: code.toLowerCase(), message };
}
