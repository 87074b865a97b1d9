import type { Readable } from 'node:stream';

/** An item whose files are stored. */
export type AssetOwner = { workspace_id: string; id: string };

/** An item and the attempt whose renditions count. Null: renditions of releases before attempts had folders of their own. */
export type RenditionOwner = AssetOwner & { renditions_token: number | null };

/**
 * One stored file: the original of an item, one of its renditions, or what was made for a public link. Made by `original`, `rendition`,
 * `playback` and `shared`.
 */
export type Asset = { owner: AssetOwner; rendition: { token: number | null; name: string } | null; shared?: string };

export type AssetStatus = { bytes: number; modifiedAt: Date };

/** Path of the files of an item, for operators, and when they last changed. */
export type StoredItem = { location: string; changedAt: Date };

/** Files that an interrupted process left. */
export type Leftover = { location: string; remove(): Promise<void> };

export const original = ({ workspace_id, id }: AssetOwner): Asset => ({ owner: { workspace_id, id }, rendition: null });

/** @param name of the file, without a folder */
export const rendition = ({ workspace_id, id, renditions_token }: RenditionOwner, name: string): Asset => ({
  owner: { workspace_id, id },
  rendition: { token: renditions_token, name },
});

/** @param name of the file, without a folder */
export const shared = ({ workspace_id, id }: AssetOwner, name: string): Asset => ({
  owner: { workspace_id, id },
  rendition: null,
  shared: name,
});

/** What a browser plays or shows of an item: its rendition where there is one, else the original. It seeks well. */
export const playback = (owner: RenditionOwner & { rendition_file: string | null }): Asset =>
  owner.rendition_file === null ? original(owner) : rendition(owner, owner.rendition_file);

/**
 * Stores originals and renditions. Callers know no paths except those of temporary local files: scratch folders,
 * rendition folders, local copies.
 */
export type AssetStore = {
  /**
   * Creates what the store needs. Single process: it also removes unfinished uploads and removals, because at a start nothing else can
   * be at work on them. With a second process only those that no living process owns may go.
   */
  prepare(): Promise<void>;

  /** Gives `work` a new empty local folder, such as for an arriving file, and removes it afterwards. */
  withScratchFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;

  /**
   * Takes a complete and synced file of a scratch folder as the original of an item. The file is moved, not copied, where it can be. It is
   * durable when this returns; when this fails, nothing new is left.
   */
  putOriginal(file: string, owner: AssetOwner & { filename: string; sha256: string }): Promise<void>;

  /**
   * Creates the empty local folder that one attempt at indexing renders into. Removes the renditions of earlier attempts; a worker that
   * is still at one of them then fails. Throws ENOENT when the item was deleted.
   * @param token fencing token of the attempt
   * @param options.keepEarlier for an item whose renditions are still in use
   */
  createRenditionFolder(owner: AssetOwner, token: number, options?: { keepEarlier: boolean }): Promise<string>;

  /**
   * Stores what an attempt has rendered into its folder. To be called before a row names these renditions: they are durable when this
   * returns.
   */
  putRenditions(owner: AssetOwner, token: number): Promise<void>;

  /** Removes the renditions of all attempts up to a fencing token, and those of releases before attempts had folders. */
  removeRenditions(owner: AssetOwner, maxToken: number): Promise<void>;

  /** Removes the renditions of one attempt. */
  removeAttempt(owner: AssetOwner, token: number): Promise<void>;

  /** Takes a file of a scratch folder for a public link to an item. Throws ENOENT when the item was deleted. */
  putShared(file: string, owner: AssetOwner, name: string): Promise<void>;

  /** Removes such a file. One that is not there is ignored. */
  removeShared(owner: AssetOwner, name: string): Promise<void>;

  /**
   * Removes all files of an item whose row is gone, or was never stored. They do not come back: not while a worker writes renditions, and
   * not after a power cut.
   */
  remove(owner: AssetOwner): Promise<void>;

  /** Null when there is no such asset. Throws EISDIR when something else is in its place, and errors of the disk. */
  stat(asset: Asset): Promise<AssetStatus | null>;

  /**
   * Streams an asset, or a range of it. The stream fails with ENOENT when there is no such asset.
   * @param range first and last byte, both included
   */
  read(asset: Asset, range?: { start: number; end: number }): Readable;

  /**
   * Gives `work` the path of a local file with the content of an asset, to read only and only until `work` returns. There is no file at this
   * path when there is no such asset.
   */
  withLocalCopy<Result>(asset: Asset, work: (file: string) => Promise<Result>): Promise<Result>;

  /** The items that have files here, whether the catalog lists them or not. */
  list(): Promise<AssetOwner[]>;

  /** Whether any original is stored. */
  hasOriginals(): Promise<boolean>;

  /** The names of an item's renditions; none where there are none. */
  listRenditions(owner: RenditionOwner): Promise<string[]>;

  /** Null when the item has no files here. */
  findItem(owner: AssetOwner): Promise<StoredItem | null>;

  /**
   * Lists what unfinished uploads and removals left. Single process: to be asked only while no service runs, because a running one owns
   * them.
   */
  listLeftovers(): Promise<Leftover[]>;
};
