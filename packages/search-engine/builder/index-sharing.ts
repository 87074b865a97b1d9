import type { IndexKey } from './built-index.ts';

/**
 * How processes that follow one source share their indexes: each has its own in memory and follows the changes by itself, which is cheap; one of them, its owner,
 * builds a large index from the source and saves it, and the others load what was saved.
 */
export type IndexSharing = {
  /** Makes this process the owner of an index until it releases it, or ends. False: another process is. */
  hold(key: IndexKey): Promise<boolean>;
  release(key: IndexKey): Promise<void>;
  /** Brings the file that was saved last to a path of this machine, unless it is there. */
  fetch(key: IndexKey, file: string): Promise<void>;
  /** Gives others a file that the owner has saved. */
  publish(key: IndexKey, file: string): Promise<void>;
  /** Takes the saved file away: the index is of no use any more. */
  discard(key: IndexKey): Promise<void>;
};

/** Where this process is the only one, and what it saves stays on its disk. */
export const unshared: IndexSharing = {
  hold: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  fetch: () => Promise.resolve(),
  publish: () => Promise.resolve(),
  discard: () => Promise.resolve(),
};
