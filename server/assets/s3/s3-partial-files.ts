import { randomUUID } from 'node:crypto';
import { type AssetOwner, uploaded } from '../asset-store.ts';
import { partialFilePath, partialFilesFolder, assetPath } from '../disk-layout.ts';
import type { PartialFile, PartialFiles, PartialFileWriter } from '../partial-files.ts';
import type { BucketClient } from './bucket-client.ts';
import { abortUpload, deleteObject, deleteObjects, listFolders, listObjects } from './list-objects.ts';
import { readWindows } from './read-object.ts';
import { StorageError } from './storage-error.ts';
import { encodeName } from './write-object.ts';

/** Least bytes of a part that is not the last: S3 takes 5 MiB, and 10,000 parts. */
const leastPartBytes = 8 * 2 ** 20;
const maxParts = 9000;

/**
 * What is noted: an upload in parts, which S3 shows as an object when it is completed; the entity tags of the parts it has, in their order; and
 * what is too short for a part, which is an object of its own meanwhile.
 */
type Noted = { uploadId: string; partBytes: number; parts: string[]; tail: { key: string; bytes: number } | null };

/** Partial files in a bucket. Their parts are uploaded as those of the original that they become, so nothing is copied in the end. */
export function createS3PartialFiles(client: BucketClient): PartialFiles {
  const { prefix, bucket } = client.settings;
  const root = `${prefix}${partialFilesFolder}/`;
  const folderOf = (owner: AssetOwner) => `${prefix}${partialFilePath(owner)}/`;
  const keyOf = ({ workspace_id, item_id }: PartialFile) => prefix + assetPath(uploaded({ workspace_id, id: item_id }));
  return {
    open: (partialFile) => openWriter(client, partialFile, { key: keyOf(partialFile), folder: folderOf(partialFile) }),

    // S3 shows no part of an upload before it is completed.
    read: null,

    async complete(partialFile, sha256) {
      const noted = read(partialFile);
      const key = keyOf(partialFile);
      if (!noted) throw lostError(key);
      const parts = noted.parts.map((ETag, i) => ({ ETag, PartNumber: i + 1 }));
      const request = { Bucket: bucket, Key: key, UploadId: noted.uploadId, MultipartUpload: { Parts: parts } };
      // Completed before, and the process was killed before it could store that; or it is of a time that an older copy of the catalog does not know.
      const earlier = await client.head(key);
      const known = earlier?.Metadata?.['sha256'] ?? sha256;
      if (earlier && (earlier.ContentLength !== partialFile.length || known !== sha256)) throw lostError(key);
      if (earlier) return false;
      try {
        await client.ask((s3) => s3.send(new client.sdk.CompleteMultipartUploadCommand(request)));
        return true;
      } catch (error) {
        // Completed, and the answer was lost.
        if ((await client.head(key))?.ContentLength === partialFile.length) return true;
        throw isLost(error) ? lostError(key) : error;
      }
    },

    async remove(partialFile) {
      const noted = read(partialFile);
      if (noted) await abortUpload(client, { key: keyOf(partialFile), uploadId: noted.uploadId });
      await deleteObjects(client, folderOf(partialFile));
    },

    removeUnlisted: (owner) => deleteObjects(client, folderOf(owner)),

    async *list() {
      for await (const workspace_id of listFolders(client, root)) {
        for await (const id of listFolders(client, `${root}${workspace_id}/`)) {
          let changedAt = new Date(0);
          for await (const { modifiedAt } of listObjects(client, folderOf({ workspace_id, id }))) {
            if (modifiedAt > changedAt) changedAt = modifiedAt;
          }
          yield { workspace_id, id, changedAt };
        }
      }
    },
  };
}

const read = ({ stored }: PartialFile): Noted | null => (stored === null ? null : (JSON.parse(stored) as Noted));

/** Whether S3 has not the parts that are noted: a rule of the bucket or another program aborted the upload, or replaced a part. */
const isLost = (error: unknown): boolean =>
  error instanceof StorageError && ['NoSuchUpload', 'InvalidPart'].includes(error.reason);

const lostError = (key: string): Error =>
  Object.assign(new Error(`ENOENT: the parts of ${key} are not there`), { code: 'ENOENT' });

async function openWriter(
  client: BucketClient,
  partialFile: PartialFile,
  { key, folder }: { key: string; folder: string },
): Promise<PartialFileWriter> {
  if (partialFile.received > 0 && partialFile.stored === null) throw lostError(key);
  const noted = read(partialFile);
  const partBytes = noted?.partBytes ?? Math.max(leastPartBytes, Math.ceil(partialFile.length / maxParts));
  const parts = [...(noted?.parts ?? [])];
  const buffer = Buffer.allocUnsafe(Math.min(partBytes, partialFile.length));
  let filled = 0;
  if (noted?.tail) filled = await readTail(client, noted.tail, buffer);
  let position = partialFile.received;
  /** The object that holds what the buffer holds, once that is durable. */
  let tail = noted?.tail ?? null;
  let replaced: string[] = [];
  let uploadId = noted?.uploadId;
  /** The upload in parts, which begins when something is to be stored: what fails before leaves none. */
  const begun = async () => (uploadId ??= await begin(client, partialFile, key));

  async function sendPart(): Promise<void> {
    const place = { key, uploadId: await begun() };
    parts.push(await uploadPart(client, place, parts.length + 1, buffer.subarray(0, filled)));
    filled = 0;
    replaceTail(null);
  }

  function replaceTail(next: Noted['tail']): void {
    if (tail) replaced.push(tail.key);
    tail = next;
  }

  return {
    async write(bytes) {
      for (let taken = 0; taken < bytes.length;) {
        const room = bytes.subarray(taken, taken + buffer.length - filled);
        buffer.set(room, filled);
        filled += room.length;
        taken += room.length;
        position += room.length;
        if (filled === buffer.length) await sendPart();
      }
    },
    async flush() {
      if (filled > 0 && position === partialFile.length) await sendPart();
      if (filled > 0 && tail?.bytes !== filled) {
        const next = { key: `${folder}${randomUUID()}`, bytes: filled };
        await putTail(client, next.key, buffer.subarray(0, filled));
        replaceTail(next);
      }
      return JSON.stringify({ uploadId: await begun(), partBytes, parts, tail } satisfies Noted);
    },
    async settle() {
      const removed = replaced;
      replaced = [];
      for (const each of removed) await deleteObject(client, each);
    },
    // A part that is sent again takes the place of the one before; an upload in parts that is not noted would never be found.
    async rollBack(bytes) {
      if (bytes === 0 && uploadId !== undefined) await abortUpload(client, { key, uploadId });
    },
    close: () => Promise.resolve(),
  };
}

/** Begins the upload of an original. @returns its identifier */
async function begin(client: BucketClient, { filename, sha256 }: PartialFile, key: string): Promise<string> {
  const { sdk, settings, ask } = client;
  const metadata = { filename: encodeName(filename), ...(sha256 !== null && { sha256 }) };
  const request = { Bucket: settings.bucket, Key: key, Metadata: metadata };
  const { UploadId: uploadId = '' } = await ask((s3) => s3.send(new sdk.CreateMultipartUploadCommand(request)));
  return uploadId;
}

/** @returns the entity tag of the part */
async function uploadPart(
  { sdk, settings, ask }: BucketClient,
  { key, uploadId }: { key: string; uploadId: string },
  number: number,
  bytes: Buffer,
): Promise<string> {
  const request = { Bucket: settings.bucket, Key: key, UploadId: uploadId, PartNumber: number, Body: bytes };
  try {
    const { ETag = '' } = await ask((s3) => s3.send(new sdk.UploadPartCommand(request)));
    return ETag;
  } catch (error) {
    throw isLost(error) ? lostError(key) : error;
  }
}

async function putTail({ sdk, settings, ask }: BucketClient, key: string, bytes: Buffer): Promise<void> {
  const request = { Bucket: settings.bucket, Key: key, Body: bytes };
  await ask((s3) => s3.send(new sdk.PutObjectCommand(request)));
}

async function readTail(
  client: BucketClient,
  { key, bytes }: { key: string; bytes: number },
  into: Buffer,
): Promise<number> {
  let filled = 0;
  const windows = readWindows(client, { key, bytes, etag: undefined }, { start: 0, end: bytes - 1 });
  for await (const block of windows) {
    into.set(block, filled);
    filled += block.length;
  }
  return filled;
}
