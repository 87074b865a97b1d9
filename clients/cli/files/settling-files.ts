import type { LocalFile } from './find-files.ts';

/** A file that was seen, and when it is due unless it changes before. */
type Seen = { file: LocalFile; due: number; taken: boolean };

/**
 * The files of a folder, each until it has been as it is for a while: a copy that is under way, a recording that goes on.
 * Times are in milliseconds.
 */
export class SettlingFiles {
  readonly #settleMs: number;
  #seen = new Map<string, Seen>();

  /** @param settleMs how long size and times of a file have to stay as they are */
  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** Notes which files are there now. One that was gone in between counts as new. */
  note(found: LocalFile[], now: number): void {
    const seen = new Map<string, Seen>();
    for (const file of found) {
      const before = this.#seen.get(file.path);
      const same = before?.file.signature === file.signature;
      seen.set(file.path, same ? before : { file, due: now + this.#settleMs, taken: false });
    }
    this.#seen = seen;
  }

  /** Gives a file out again later, such as one that could not be sent for the moment. */
  takeLater(file: string, at: number): void {
    const seen = this.#seen.get(file);
    if (seen) this.#seen.set(file, { ...seen, due: at, taken: false });
  }

  /**
   * Gives out files that have settled, each once.
   * @param max so many at most
   */
  take(now: number, max: number): LocalFile[] {
    const settled: LocalFile[] = [];
    for (const seen of this.#seen.values()) {
      if (settled.length === max) break;
      if (seen.taken || now < seen.due) continue;
      seen.taken = true;
      settled.push(seen.file);
    }
    return settled;
  }
}
