import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { initializeChildProcess } from '../platform/processes/child-process.ts';
import { dropPrivileges } from '../platform/processes/drop-privileges.ts';
import { batchListings } from './batch-listings.ts';
import { describeRoot } from './describe-root.ts';
import { openInRoot } from './open-in-root.ts';
import { hashEnds, hashWhole } from './quick-hash.ts';
import { isAway } from './source-error.ts';
import type {
  FileAnswer,
  FileQuestion,
  FromSourceProcess,
  SourceProcessOptions,
  ToSourceProcess,
} from './source-process-messages.ts';
import { walkFolder } from './walk-folder.ts';
import { createFolderWatch, tellsOfChanges } from './watch-folders.ts';

/**
 * Reads and watches the folders of one source. It is a process of its own because a share that hangs keeps each call that touches it, for minutes or
 * for ever: in the service it would keep the threads that all other files are read by.
 */

initializeChildProcess();
const options = JSON.parse(process.argv[2] ?? '') as SourceProcessOptions;
dropPrivileges(options.dataDirectory);
const { root } = options;
const send = (message: FromSourceProcess) => process.send?.(message, undefined, undefined, () => undefined);

/** How often it tells that it is answered, milliseconds. */
const aliveMs = 1000;
/** Files that are looked at or read at a time. */
const questionsAtOnce = 8;

const watching =
  options.watch && (await tellsOfChanges(root).catch(() => false))
    ? createFolderWatch(
        root,
        (folders) => send({ kind: 'changed', folders }),
        () => send({ kind: 'watching', watching: false }),
      )
    : null;
send({ kind: 'watching', watching: watching !== null });

let told = performance.now();
function alive(): void {
  if (performance.now() - told < aliveMs) return;
  told = performance.now();
  send({ kind: 'alive' });
}

/** Watches a folder before it is read. Of one on a share, below a root on a disk, not all changes are told of. */
async function watchFolder(folder: string, { dev, ino, birthtimeNs }: BigIntStats, isMount: boolean): Promise<void> {
  if (!watching) return;
  if (isMount && !(await tellsOfChanges(path.join(root, folder)).catch(() => false))) return watching.end();
  // A file system may give the number of a deleted folder to the next.
  watching.add(folder, `${dev}:${ino}:${birthtimeNs}`);
}

/** What is resolved when the next folders are wanted, by the list. */
const wanted = new Map<number, () => void>();

process.on('message', (message: ToSourceProcess) => {
  if (message.kind === 'next') return wanted.get(message.id)?.();
  const work =
    message.kind === 'root'
      ? describeRoot(root)
      : message.kind === 'ask'
        ? pMap(message.questions, answer, { concurrency: questionsAtOnce })
        : list(message.id, message.folders);
  work.then(
    (value) => send({ kind: 'answer', id: message.id, value }),
    (error: NodeJS.ErrnoException) =>
      send({ kind: 'failed', id: message.id, message: error.message, code: error.code ?? null }),
  );
});

const observer = { onAnswer: alive, onFolder: watchFolder };

/** Sends folders with their files, some hundreds at a time, and waits until more are wanted. */
async function list(id: number, folders: string[]): Promise<null> {
  for await (const listings of batchListings(walkFolder(options, folders, observer))) {
    const { promise, resolve } = Promise.withResolvers<void>();
    wanted.set(id, resolve);
    send({ kind: 'listing', id, listings });
    await promise;
    wanted.delete(id);
  }
  return null;
}

async function answer({ path: file, want }: FileQuestion): Promise<FileAnswer> {
  try {
    if (want === 'identity') {
      return { ...describe(await lstat(path.join(root, file), { bigint: true })), hash: null };
    }
    return await hash(file, want);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    // One that may not be read, or is no regular file, is known by nothing that it holds; its source is there.
    if (want !== 'identity' && !isAway(error)) return { identity: '', names: 1, size: 0, modifiedMs: 0, hash: null };
    throw error;
  } finally {
    alive();
  }
}

const describe = ({ ino, nlink, size, mtimeMs }: BigIntStats) => ({
  identity: String(ino),
  names: Number(nlink),
  size: Number(size),
  modifiedMs: Number(mtimeMs),
});

async function hash(file: string, want: 'ends' | 'whole'): Promise<FileAnswer> {
  const { handle, status } = await openInRoot({ path: root, dataDirectory: options.dataDirectory }, file);
  try {
    const size = Number(status.size);
    const found = want === 'ends' ? await hashEnds(handle, size) : await hashWhole(handle, size);
    return { ...describe(status), hash: found };
  } finally {
    await handle.close();
  }
}
