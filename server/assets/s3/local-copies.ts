import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { hasErrorCode } from '../../errors/system-errors.ts';
import { forEach } from '../../platform/storage/for-each.ts';

/** What a process of another machine, or of another container, left is removed after this; whether it still runs cannot be seen from here. */
const foreignLeftoverMs = 7 * 86_400_000;

export type LocalCopies = {
  /** A path where no file is. */
  absent: string;

  /**
   * Gives `work` the path of a local copy, which stays until `work` returns whatever else is removed meanwhile.
   * @param key names the content: the same key, the same bytes
   * @param download writes the content to a new file
   */
  use<Result>(
    key: string,
    bytes: number,
    download: (file: string) => Promise<void>,
    work: (file: string) => Promise<Result>,
  ): Promise<Result>;
};

/**
 * Local copies of stored files, for all processes of a machine. At most so many bytes: what was used longest ago goes first.
 *
 *     <folder>/files/<SHA-256 of the key>            the copies; their time of change is that of their last use
 *     <folder>/in-use/<host>-<process>-<id>/…        second names of those in use, and downloads
 *
 * A process that was killed leaves its second names; the next to start removes them.
 */
export async function openLocalCopies(folder: string, maxBytes: number): Promise<LocalCopies> {
  const files = path.join(folder, 'files');
  const inUse = path.join(folder, 'in-use');
  const own = path.join(inUse, `${hostname()}-${process.pid}-${randomUUID()}`);
  await mkdir(files, { recursive: true });
  await mkdir(own, { recursive: true });
  await removeLeftovers(inUse);
  const downloads = new Map<string, Promise<void>>();
  const makeRoom = createRoom(files, maxBytes);

  /** However many want a file at once, this process downloads it once. */
  function fetchOnce(name: string, bytes: number, download: (file: string) => Promise<void>): Promise<void> {
    const running = downloads.get(name);
    if (running) return running;
    const begun = fetch(name, bytes, download).finally(() => downloads.delete(name));
    downloads.set(name, begun);
    return begun;
  }

  async function fetch(name: string, bytes: number, download: (file: string) => Promise<void>): Promise<void> {
    const temporary = path.join(own, randomUUID());
    // Before, so that the disk holds no more than the limit and what is in use.
    await makeRoom(bytes);
    try {
      await download(temporary);
      await rename(temporary, path.join(files, name));
    } finally {
      await rm(temporary, { force: true });
    }
  }

  return {
    absent: path.join(own, 'absent'),

    async use(key, bytes, download, work) {
      const name = createHash('sha256').update(key).digest('hex');
      const held = path.join(own, randomUUID());
      while (!(await hold(path.join(files, name), held))) await fetchOnce(name, bytes, download);
      try {
        return await work(held);
      } finally {
        await rm(held, { force: true });
      }
    },
  };
}

/** Gives a file a second name, and notes its use. False when it is not there. */
async function hold(file: string, held: string): Promise<boolean> {
  try {
    await link(file, held);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
  // By the second name: the first may be gone already.
  const now = new Date();
  await utimes(held, now, now);
  return true;
}

/**
 * Keeps a folder within its limit. All files are looked at, which takes a second for 100,000, when this process has added a thirty-second of the
 * limit since it looked last: until then other processes of the machine, which look as often, can have added as much each.
 * @returns makes room for a file of so many bytes
 */
function createRoom(folder: string, maxBytes: number): (bytes: number) => Promise<void> {
  let bytesLeft = 0;
  let looking: Promise<void> | undefined;
  const look = async (bytes: number) => {
    const rest = await removeOldest(folder, maxBytes - bytes);
    bytesLeft = Math.min(maxBytes - rest, maxBytes / 32);
  };
  return async (bytes) => {
    // Those that come meanwhile ask again afterwards.
    for (let before = looking; before; before = looking) await before;
    if (bytes > bytesLeft) await (looking = look(bytes).finally(() => (looking = undefined)));
    bytesLeft -= bytes;
  };
}

/**
 * Removes the files that were used longest ago until the rest has at most so many bytes.
 * @returns bytes of the rest
 */
async function removeOldest(folder: string, maxBytes: number): Promise<number> {
  const found: { file: string; usedAt: number; bytes: number }[] = [];
  await forEach(await readdir(folder), 16, async (name) => {
    const file = path.join(folder, name);
    // Another process may remove it at the same time.
    const status = await stat(file).catch(() => null);
    if (status) found.push({ file, usedAt: status.mtimeMs, bytes: status.size });
  });
  let sum = found.reduce((bytes, each) => bytes + each.bytes, 0);
  for (const { file, bytes } of found.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (sum <= maxBytes) break;
    await unlink(file).catch((error: unknown) => {
      if (!hasErrorCode(error, 'ENOENT')) throw error;
    });
    sum -= bytes;
  }
  return sum;
}

/** Removes what processes that have ended held. */
async function removeLeftovers(inUse: string): Promise<void> {
  for (const name of await readdir(inUse)) {
    const folder = path.join(inUse, name);
    const [, host, pid] = /^(.+)-(\d+)-[\da-f]{8}-/.exec(name) ?? [];
    const isOver =
      host === hostname()
        ? !isRunning(Number(pid))
        : Date.now() - ((await stat(folder).catch(() => null))?.mtimeMs ?? Infinity) > foreignLeftoverMs;
    if (isOver) await rm(folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user: it runs.
    return hasErrorCode(error, 'EPERM');
  }
}
