import type { Readable } from 'node:stream';
import { previewFile } from '@media-search/media/rendition-names';

/** An item whose files are stored. */
export type AssetOwner = { workspace_id: string; id: string };

declare const removable: unique symbol;

/**
 * An item whose original may be removed for good, because a transaction says so. `server/catalog/media/pending-removals.ts` alone makes one, of a row that
 * such a transaction stored. The original of any other item that the catalog does not list goes to lost+found (`server/uploads/media-removal.ts`).
 */
export type RemovableItem = AssetOwner & { readonly [removable]: true };

/** An item and the attempt whose renditions count. Null: renditions of releases before attempts had folders of their own. */
export type RenditionOwner = AssetOwner & { renditions_token: number | null };

/**
 * One stored file: the original of an item, uploaded or in its source, one of its renditions, what was made for a public link, or a finished
 * export, which has an identifier of its own. Made by `original`, `uploaded`, `rendition`, `playback`, `glance`, `shared` and `exported`.
 */
export type Asset = { owner: AssetOwner } & (
  | { kind: 'original' }
  | { kind: 'in source'; source: string; path: string }
  | { kind: 'rendition'; token: number | null; name: string }
  | { kind: 'shared'; name: string }
  | { kind: 'exported'; name: string }
);

/** A file that can be made again by itself. */
export type DerivedAsset = Asset & { kind: 'rendition' | 'shared' | 'exported' };

export type AssetStatus = { bytes: number; modifiedAt: Date };

/** Where the files of an item are, for operators, and when they last changed. */
export type StoredItem = { location: string; changedAt: Date };

/** What an interrupted process left. */
export type Leftover = { location: string; remove(): Promise<void> };

/** What a transfer, which may take long, listens to and tells. */
export type Transfer = {
  signal?: AbortSignal | undefined;
  /** Called whenever some of it is done. */
  onAdvance?: (() => void) | undefined;
};

/** An item and where its original is: `source_path` is below the root of a source; both null: it was uploaded. */
export type OriginalOwner = AssetOwner & { source_id: string | null; source_path: string | null };

/** The original of an item, wherever it is. */
export const original = ({ source_id, source_path, ...owner }: OriginalOwner): Asset =>
  source_id === null || source_path === null
    ? uploaded(owner)
    : {
        owner: { workspace_id: owner.workspace_id, id: owner.id },
        kind: 'in source',
        source: source_id,
        path: source_path,
      };

/** The original that was uploaded for an item. */
export const uploaded = ({ workspace_id, id }: AssetOwner): Asset => ({
  owner: { workspace_id, id },
  kind: 'original',
});

/** @param name of the file, without a folder */
export const rendition = ({ workspace_id, id, renditions_token }: RenditionOwner, name: string): DerivedAsset => ({
  owner: { workspace_id, id },
  kind: 'rendition',
  token: renditions_token,
  name,
});

/** @param name of the file, without a folder */
export const shared = ({ workspace_id, id }: AssetOwner, name: string): DerivedAsset => ({
  owner: { workspace_id, id },
  kind: 'shared',
  name,
});

/** @param owner workspace and export @param name of the file, without a folder */
export const exported = ({ workspace_id, id }: AssetOwner, name: string): DerivedAsset => ({
  owner: { workspace_id, id },
  kind: 'exported',
  name,
});

/** Whether a browser plays or shows what was made of an item, and not its original. A preview is for the time when that is away. */
export const playsRendition = <Row extends { rendition_file: string | null }>(
  row: Row,
  isOffline: boolean,
): row is Row & { rendition_file: string } =>
  row.rendition_file !== null && (row.rendition_file !== previewFile || isOffline);

/**
 * What a browser plays or shows of an item: the original where it is there and plays, else its rendition. It seeks well.
 * @param isOffline whether the source of the original is away
 */
export const playback = (
  owner: OriginalOwner & RenditionOwner & { rendition_file: string | null },
  isOffline: boolean,
): Asset => (playsRendition(owner, isOffline) ? rendition(owner, owner.rendition_file) : original(owner));

/** The same for a look at one moment: a preview is enough, and spares the fetching of an original from a bucket. */
export const glance = (owner: Parameters<typeof playback>[0]): Asset => playback(owner, true);

/**
 * Stores originals and what is made from them. Callers know no paths except those of temporary local files: scratch folders, local copies.
 */
export type AssetStore = {
  /** Where the files are, for operators. */
  location: string;

  /**
   * Whether the files are in a folder of this machine, which its processes use by themselves. Where they are not, a process that lost its
   * lease can still store something after `remove`, which is to be called again later.
   */
  isLocal: boolean;

  /** Says in a sentence why it cannot be used at the moment; null: it can. It asks as little as it can. */
  findProblem(): Promise<string | null>;

  /** Creates what the store needs, and finds out whether it can be used. Throws `StartupError`. */
  prepare(): Promise<void>;

  /**
   * Takes a complete and synced file of a scratch folder as the original of an item. It may be moved away. It is durable and whole when this
   * returns; when this fails, nothing new is left that could be taken for it.
   */
  putOriginal(
    file: string,
    owner: AssetOwner & { filename: string; sha256: string },
    transfer?: Transfer,
  ): Promise<void>;

  /** Makes a place for the renditions of an item whose original is in its source. */
  addItem(owner: AssetOwner): Promise<void>;

  /**
   * Stores what an attempt at indexing has rendered into a scratch folder, which may be moved away. To be called before a row names these
   * renditions: they are durable when this returns. Throws ENOENT when the store knows that the item was deleted.
   * @param token fencing token of the attempt
   */
  putRenditions(owner: AssetOwner, token: number, folder: string, transfer?: Transfer): Promise<void>;

  /**
   * Removes renditions of an item.
   * @param which `upTo`: of all attempts up to a fencing token, and those of releases before attempts had folders; `only`: of one attempt
   */
  removeRenditions(owner: AssetOwner, which: { upTo: number } | { only: number }): Promise<void>;

  /**
   * Takes a file of a scratch folder as a derived asset. Throws ENOENT when the store knows that the item of a shared one, or the attempt of a
   * rendition, was removed; else such a file goes with its item.
   */
  putDerived(file: string, asset: DerivedAsset, transfer?: Transfer): Promise<void>;

  /** Removes a derived asset. One that is not there is ignored. */
  removeDerived(asset: DerivedAsset): Promise<void>;

  /** Removes all files of an item for good. It may be called again. */
  remove(item: RemovableItem): Promise<void>;

  /** Null when there is no such asset. Throws EISDIR when something else is in its place, and errors of the store. */
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
  withLocalCopy<Result>(asset: Asset, work: (file: string) => Promise<Result>, transfer?: Transfer): Promise<Result>;

  /**
   * An address under which the store itself gives an asset to every holder of it, for hours; null where it cannot, or shall not.
   * @param headers how the answer is labelled
   */
  link(asset: Asset, headers: { contentType: string; disposition: string | null }): Promise<string | null>;

  /** The items that have files here, whether the catalog lists them or not. */
  list(): AsyncIterable<AssetOwner>;

  /** The names of an item's renditions; none where there are none. */
  listRenditions(owner: RenditionOwner): Promise<string[]>;

  /** Null when the item has no files here. */
  findItem(owner: AssetOwner): Promise<StoredItem | null>;

  /**
   * Lists what interrupted uploads and removals left and no process works on.
   * @param isExpected whether more of an item's original may arrive, however long ago it began
   */
  listLeftovers(isExpected: (owner: AssetOwner) => boolean): Promise<Leftover[]>;
};

/** Whether any original is stored. */
export async function hasOriginals(assets: AssetStore): Promise<boolean> {
  for await (const owner of assets.list()) if (await assets.stat(uploaded(owner))) return true;
  return false;
}
