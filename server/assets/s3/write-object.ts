import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Transfer } from '../asset-store.ts';
import type { BucketClient } from './bucket-client.ts';
import { StorageError } from './storage-error.ts';

/** A larger file is sent in parts of this size, bytes; so many parts at a time. */
const partBytes = 8 * 2 ** 20;
const partsAtOnce = 4;
/** S3 takes 10,000 parts. */
const maxParts = 9000;
/** S3 takes 2 KiB of metadata in all, OpenStack Swift 256 bytes of each. */
const maxNameLength = 250;

/** What is kept with an object: SHA-256 of its bytes, hexadecimal, and the name of the file that it was. */
export type ObjectAbout = { sha256: string; filename?: string };

/** A file whose bytes changed on the way is sent so often in all: what is on the disk is right. */
const maxAttempts = 3;
/** What stores answer to bytes that differ from their checksum. */
const changedOnTheWay = new Set(['BadDigest', 'XAmzContentSHA256Mismatch']);

/**
 * Stores a file as an object, which is whole when this returns: S3 shows an upload in parts only when it is complete, and each part carries a
 * checksum. When the last answer of an upload was lost, the object itself is asked. One that is given up leaves nothing but parts, which are
 * removed at once or by the sweep. Throws `StorageError`, errors of the disk, and the signal's reason.
 */
export async function writeObject(
  client: BucketClient,
  key: string,
  file: string,
  about: ObjectAbout,
  transfer: Transfer = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeOnce(client, key, file, about, transfer);
    } catch (error) {
      const isChanged = error instanceof StorageError && changedOnTheWay.has(error.reason);
      if (!isChanged || attempt === maxAttempts) throw error;
    }
  }
}

async function writeOnce(
  client: BucketClient,
  key: string,
  file: string,
  about: ObjectAbout,
  { signal, onAdvance }: Transfer,
): Promise<void> {
  const { Upload } = await import('@aws-sdk/lib-storage');
  signal?.throwIfAborted();
  const { size } = await stat(file);
  const metadata = {
    sha256: about.sha256,
    ...(about.filename !== undefined && { filename: encodeName(about.filename) }),
  };
  const body = createReadStream(file, { highWaterMark: 2 ** 20 });
  const upload = new Upload({
    client: client.s3,
    queueSize: partsAtOnce,
    partSize: Math.max(partBytes, Math.ceil(size / maxParts)),
    params: { Bucket: client.settings.bucket, Key: key, Body: body, Metadata: metadata },
  });
  upload.on('httpUploadProgress', () => onAdvance?.());
  const abort = () => void upload.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await client.ask(() => upload.done(), signal);
  } catch (error) {
    if (signal?.aborted || !(await isStored(client, key, { size, sha256: about.sha256 }))) throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    body.destroy();
  }
}

/** Whether an object has the length and the checksum of a file that was to be stored. False where the store cannot say. */
async function isStored(client: BucketClient, key: string, file: { size: number; sha256: string }): Promise<boolean> {
  const found = await client.head(key).catch(() => null);
  return found?.ContentLength === file.size && found.Metadata?.['sha256'] === file.sha256;
}

/** A file name as metadata: ASCII, cut where it is too long. */
export function encodeName(name: string): string {
  let encoded = '';
  for (const { segment } of new Intl.Segmenter().segment(name.toWellFormed())) {
    const next = encoded + encodeURIComponent(segment);
    if (next.length > maxNameLength) break;
    encoded = next;
  }
  return encoded;
}

/** The name that `encodeName` encoded; null for another text. */
export function decodeName(encoded: string | undefined): string | null {
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
