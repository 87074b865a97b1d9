import type { AssetOwner } from './asset-store.ts';

/** A file that is uploaded in parts, and what is there of it. */
export type PartialFile = AssetOwner & {
  /** The item that it becomes. */
  item_id: string;
  filename: string;
  /** As the client says, hexadecimal; null: it does not. */
  sha256: string | null;
  /** The length of the whole file, bytes. */
  length: number;
  /** Bytes that are durable. */
  received: number;
  /** What the place of the files noted about them; null: nothing. */
  stored: string | null;
};

/** Appends to a partial file. One at a time may. */
export type PartialFileWriter = {
  /** Its bytes may be changed when this returns. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes what was written durable. @returns what has to be noted with its length */
  flush(): Promise<string | null>;
  /** To be called when that is noted: what it replaced is removed. */
  settle(): Promise<void>;
  /** Gives back the room of what follows the bytes that are noted. To be called only while nothing else writes. */
  rollBack(noted: number): Promise<void>;
  close(): Promise<void>;
};

/** Keeps partial files over restarts. What they have become is an original of the asset store. */
export type PartialFiles = {
  /** Opens a partial file where its durable bytes end; what follows these is gone. Throws ENOENT when they are not there. */
  open(partialFile: PartialFile): Promise<PartialFileWriter>;

  /**
   * Reads durable bytes from a position on, also of a partial file that was completed. It throws ENOENT when they are not all there. Null: those
   * of an incomplete partial file cannot be read.
   */
  read: ((partialFile: PartialFile, start: number) => AsyncIterable<Buffer>) | null;

  /**
   * Makes a partial file that is whole the original of its item, without copying where that can be. It may be repeated, also after a crash. Throws
   * ENOENT when its bytes are not there, or another original is in their place, which is left as it is.
   * @returns whether this call made it the original
   */
  complete(partialFile: PartialFile, sha256: string): Promise<boolean>;

  /** Removes all bytes of a partial file, but not what was completed. It may be called again, and for one that never had any. */
  remove(partialFile: PartialFile): Promise<void>;

  /** All that have files here, whether the catalog lists them or not, with the time of their last change. */
  list(): AsyncIterable<AssetOwner & { changedAt: Date }>;

  /** Removes files that no row tells anything about. */
  removeUnlisted(owner: AssetOwner): Promise<void>;
};
