import path from 'node:path';
import type { Asset, AssetOwner, RenditionOwner } from './asset-store.ts';

export type DiskLayout = ReturnType<typeof diskLayout>;

/** The folder within a data folder that holds the items. */
export const assetsFolder = 'assets';
/** The folder that holds finished exports. */
const exportsFolder = 'exports';
/** The folder that holds uploads that have not arrived whole. */
export const partialFilesFolder = 'partial-files';
export const lostAndFoundFolder = 'lost+found';
/** Where it is noted how far the catalog has come that knows the originals, as `assetPath` gives paths. */
export const historyNotePath = `${assetsFolder}/catalog-history.json`;

/**
 * Where the files of items are in a data folder. Only this module knows. It is asked by the asset store and lost+found of the file system,
 * and by backup and restore, which copy a data folder as files.
 *
 *     assets/<workspace>/<item>/original
 *     assets/<workspace>/<item>/about.json      name and checksum of the original, for the case that the catalog is lost
 *     assets/<workspace>/<item>/renditions/<fencing token>/…
 *     assets/<workspace>/<item>/shared/…        what was made for public links
 *     assets/catalog-history.json               how far the catalog has come
 *     exports/<workspace>/<export>/…            finished exports
 *     partial-files/<workspace>/<upload>             bytes of an upload that can resume
 *     removed/…                                 folders of deleted items, until they are removed
 *     lost+found/<workspace>/<item>/…           folders of items that the catalog does not list
 *     lost+found/<workspace>/<item>.json        when and why each was moved there
 */
export function diskLayout(dataDirectory: string) {
  const assetsRoot = path.join(dataDirectory, assetsFolder);
  const lostRoot = path.join(dataDirectory, lostAndFoundFolder);
  const itemFolder = (owner: AssetOwner) => path.join(assetsRoot, owner.workspace_id, owner.id);
  const lostFolder = (owner: AssetOwner) => path.join(lostRoot, owner.workspace_id, owner.id);
  const renditionFolder = (owner: RenditionOwner) => path.join(itemFolder(owner), renditionPath(owner));
  return {
    dataDirectory,
    assetsRoot,
    removedRoot: path.join(dataDirectory, 'removed'),
    lostRoot,
    partialFilesRoot: path.join(dataDirectory, partialFilesFolder),
    partialFileAt: (owner: AssetOwner) => path.join(dataDirectory, partialFilePath(owner)),
    workspaceFolder: (workspaceId: string) => path.join(assetsRoot, workspaceId),
    itemFolder,
    /** Holds the renditions of all attempts. */
    renditionsFolder: (owner: AssetOwner) => path.join(itemFolder(owner), renditionsName),
    renditionFolder,
    file: (asset: Asset) => path.join(dataDirectory, assetPath(asset)),
    lostFolder,
    lostManifest: (owner: AssetOwner) => `${lostFolder(owner)}.json`,
  };
}

/**
 * Where a file is below a data folder or in a bucket. Names of originals are not part of it: clients choose them.
 * @returns a relative path, with slashes
 */
export function assetPath(asset: Asset): string {
  const { workspace_id, id } = asset.owner;
  if (asset.kind === 'in source') throw new Error('An original in a source is no file of the service.');
  if (asset.kind === 'exported') return path.posix.join(exportsFolder, workspace_id, id, asset.name);
  const item = itemPath(asset.owner);
  if (asset.kind === 'original') return path.posix.join(item, originalName);
  if (asset.kind === 'shared') return path.posix.join(item, sharedName, asset.name);
  return path.posix.join(item, renditionsName, asset.token === null ? '' : String(asset.token), asset.name);
}

/** The folder of an item, as `assetPath` gives paths. */
export const itemPath = ({ workspace_id, id }: AssetOwner): string => path.posix.join(assetsFolder, workspace_id, id);

/** Where an upload that can resume is, as `assetPath` gives paths: a file, or a folder of objects. */
export const partialFilePath = ({ workspace_id, id }: AssetOwner): string =>
  path.posix.join(partialFilesFolder, workspace_id, id);

/** The folder of the renditions of all attempts, as `assetPath` gives paths. */
export const renditionsPath = (owner: AssetOwner): string => path.posix.join(itemPath(owner), renditionsName);

const originalName = 'original';
const renditionsName = 'renditions';
const metadataName = 'about.json';
const sharedName = 'shared';

/** The original in the folder of an item, wherever that folder is. */
export const originalIn = (itemFolder: string): string => path.join(itemFolder, originalName);

/** Name and checksum of the original in the folder of an item. */
export const metadataIn = (itemFolder: string): string => path.join(itemFolder, metadataName);

/** Where the renditions that count are within the folder of an item. */
export const renditionPath = ({ renditions_token }: Pick<RenditionOwner, 'renditions_token'>): string =>
  path.join(renditionsName, renditions_token === null ? '' : String(renditions_token));

/** Whether everything in the folder of an item can be rebuilt: it holds neither an original nor a foreign file. */
export const holdsOnlyDerived = (names: string[]): boolean =>
  names.every((name) => [renditionsName, metadataName, sharedName].includes(name));
