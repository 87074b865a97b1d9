import { lstat } from 'node:fs/promises';
import { type LocalFile, toSignature } from './find-files.ts';

/** A file that was seen, and since when it has been as it is. */
type Seen = { signature: string | null; since: number };

/**
 * The files of a folder that are still being written, until each has been as it is for a while: a copy that is under way, a recording that goes on.
 */
export class SettlingFiles {
  readonly #settleMs: number;
  readonly #seen = new Map<string, Seen>();

  /** @param settleMs how long size and times of a file have to stay as they are, milliseconds */
  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** Notes that a file appeared or was written to. */
  note(file: string, now: number): void {
    this.#seen.set(file, { signature: null, since: now });
  }

  /** Notes that a file is gone. */
  forget(file: string): void {
    this.#seen.delete(file);
  }

  /** Looks at a file again after a while, such as one that could not be sent for the moment. */
  noteLater(file: string, at: number): void {
    this.#seen.set(file, { signature: null, since: at });
  }

  /** Takes the files out that have been still. A file system that tells of no changes is asked as well. */
  async take(now: number): Promise<LocalFile[]> {
    const still: LocalFile[] = [];
    for (const [file, seen] of this.#seen) {
      if (now < seen.since) continue;
      // A link leads out of the folder: it is no file of it.
      const stats = await lstat(file).catch(() => null);
      if (!stats?.isFile()) {
        this.#seen.delete(file);
        continue;
      }
      const signature = toSignature(stats);
      if (seen.signature !== signature) this.#seen.set(file, { signature, since: Math.max(seen.since, now) });
      else if (now - seen.since >= this.#settleMs) {
        this.#seen.delete(file);
        still.push({ path: file, size: stats.size, signature });
      }
    }
    return still;
  }
}
