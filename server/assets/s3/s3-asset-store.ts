import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { StartupError } from '../../errors/startup-error.ts';
import type { StorageObserver } from '../../platform/metrics/metrics.ts';
import { forEach } from '../../platform/storage/for-each.ts';
import { hashFile } from '../../platform/storage/hash-file.ts';
import {
  type Asset,
  type AssetOwner,
  type AssetStore,
  type Leftover,
  uploaded,
  rendition,
  type Transfer,
} from '../asset-store.ts';
import { assetPath, assetsFolder, itemPath, renditionPath, renditionsPath } from '../disk-layout.ts';
import type { StorageSettings } from '../storage-settings.ts';
import { type BucketClient, createBucketClient, observe } from './bucket-client.ts';
import { checkBucket, findProblem, probeBucket } from './check-bucket.ts';
import { downloadObject, knowObjects } from './known-objects.ts';
import { abortUpload, deleteObject, deleteObjects, listFolders, listObjects, listOpenUploads } from './list-objects.ts';
import { type LocalCopies, openLocalCopies } from './local-copies.ts';
import { presign } from './presign.ts';
import { streamObject } from './read-object.ts';
import { createS3HistoryNote } from './s3-history-note.ts';
import { createS3LostAndFound } from './s3-lost-and-found.ts';
import { createS3PartialFiles } from './s3-partial-files.ts';
import { type ObjectAbout, writeObject } from './write-object.ts';

/** Renditions that are uploaded at the same time: most are thumbnails of some kilobytes. */
const uploadsAtOnce = 16;
/** An upload in parts that is older was abandoned. */
const abandonedMs = 86_400_000;

/**
 * The asset store in a bucket of S3, or of a store that speaks its language. Keys are the paths below a data folder, behind the prefix. An
 * object never changes but by being stored again with the same bytes, so nothing depends on conditional writes, which not all stores know.
 * @param dataDirectory holds local copies for decoders
 */
export async function openBucket(
  settings: StorageSettings,
  dataDirectory: string,
  onRequest: StorageObserver = () => undefined,
) {
  const client = await createBucketClient(settings);
  observe(client, onRequest);
  const copies = await openLocalCopies(path.join(dataDirectory, 'cache'), settings.cacheBytes);
  const parts = createParts(client, copies);
  const assets: AssetStore = {
    location: `s3://${settings.bucket}/${settings.prefix}`,
    isLocal: false,
    findProblem: () => findProblem(client),
    async prepare() {
      const problem = await checkBucket(client);
      if (problem !== null) throw new StartupError(problem);
    },
    ...writing(parts),
    ...reading(parts),
    ...listing(parts),
  };
  const lostAndFound = createS3LostAndFound(client, assets);
  return {
    assets,
    partialFiles: createS3PartialFiles(client),
    lostAndFound,
    historyNote: createS3HistoryNote(client),
    probe: () => probeBucket(client, { thorough: true }),
  };
}

/** What the methods of the store share. */
function createParts(client: BucketClient, copies: LocalCopies) {
  const { prefix, bucket } = client.settings;
  return {
    client,
    copies,
    bucket,
    prefix,
    objects: knowObjects(client),
    keyOf: (asset: Asset): string => prefix + assetPath(asset),
    folderOf: (owner: AssetOwner): string => `${prefix}${itemPath(owner)}/`,
  };
}

type Parts = ReturnType<typeof createParts>;

type WritingMethods =
  | 'putOriginal'
  | 'addItem'
  | 'putRenditions'
  | 'removeRenditions'
  | 'putDerived'
  | 'removeDerived'
  | 'remove';

function writing({ client, prefix, objects, keyOf, folderOf }: Parts): Pick<AssetStore, WritingMethods> {
  const put = async (file: string, asset: Asset, about: ObjectAbout, transfer?: Transfer) => {
    await writeObject(client, keyOf(asset), file, about, transfer);
    objects.forget(keyOf(asset));
  };
  const removeAll = async (folder: string, isWanted?: (key: string) => boolean) => {
    await deleteObjects(client, folder, isWanted);
    objects.forgetAll(folder);
  };
  return {
    // A bucket has no folders.
    addItem: () => Promise.resolve(),
    putOriginal: (file, { filename, sha256, ...owner }, transfer) =>
      put(file, uploaded(owner), { sha256, filename }, transfer),

    async putRenditions(owner, token, folder, transfer) {
      await forEach(await readdir(folder), uploadsAtOnce, async (name) => {
        const file = path.join(folder, name);
        const asset = rendition({ ...owner, renditions_token: token }, name);
        await put(file, asset, { sha256: await hashFile(file) }, transfer);
      });
    },

    async removeRenditions(owner, which) {
      const folder = `${prefix}${renditionsPath(owner)}/`;
      if ('only' in which) return removeAll(`${folder}${which.only}/`);
      return removeAll(folder, (key) => {
        const [, token] = /^(\d+)\//.exec(key.slice(folder.length)) ?? [];
        return token === undefined || Number(token) <= which.upTo;
      });
    },

    putDerived: async (file, asset, transfer) => put(file, asset, { sha256: await hashFile(file) }, transfer),

    async removeDerived(asset) {
      await deleteObject(client, keyOf(asset));
      objects.forget(keyOf(asset));
    },

    remove: (owner) => removeAll(folderOf(owner)),
  };
}

function reading({ client, copies, bucket, objects, keyOf }: Parts): Pick<AssetStore, ReadingMethods> {
  return {
    stat: (asset) => objects.find(keyOf(asset)),
    read: (asset, range) => streamObject(client, () => objects.find(keyOf(asset)), range),

    async withLocalCopy(asset, work, transfer) {
      const object = await objects.find(keyOf(asset));
      if (!object) return work(copies.absent);
      const version = `${bucket}/${object.key} ${object.etag}`;
      return copies.use(version, object.bytes, (file) => downloadObject(client, object, file, transfer), work);
    },

    link: async (asset, headers) => (client.settings.redirect ? presign(client, keyOf(asset), headers) : null),
  };
}

type ReadingMethods = 'stat' | 'read' | 'withLocalCopy' | 'link';

function listing({ client, bucket, prefix, folderOf }: Parts): Pick<AssetStore, ListingMethods> {
  return {
    async *list() {
      for await (const workspace_id of listFolders(client, `${prefix}${assetsFolder}/`)) {
        const folder = `${prefix}${assetsFolder}/${workspace_id}/`;
        for await (const id of listFolders(client, folder)) yield { workspace_id, id };
      }
    },

    async listRenditions(owner) {
      const folder = `${folderOf(owner)}${renditionPath(owner)}/`;
      const names: string[] = [];
      for await (const { key } of listObjects(client, folder)) names.push(key.slice(folder.length));
      return names.filter((name) => !name.includes('/'));
    },

    async findItem(owner) {
      let changedAt: Date | null = null;
      for await (const { modifiedAt } of listObjects(client, folderOf(owner))) {
        if (changedAt === null || modifiedAt > changedAt) changedAt = modifiedAt;
      }
      return changedAt && { location: `s3://${bucket}/${folderOf(owner)}`, changedAt };
    },

    async listLeftovers(isExpected) {
      const leftovers: Leftover[] = [];
      for await (const upload of listOpenUploads(client)) {
        if (Date.now() - upload.begunAt.getTime() < abandonedMs) continue;
        const [, workspace_id = '', id = ''] = upload.key.slice(prefix.length).split('/');
        if (isExpected({ workspace_id, id })) continue;
        const location = `s3://${bucket}/${upload.key} (upload ${upload.uploadId})`;
        leftovers.push({ location, remove: () => abortUpload(client, upload) });
      }
      return leftovers;
    },
  };
}

type ListingMethods = 'list' | 'listRenditions' | 'findItem' | 'listLeftovers';
