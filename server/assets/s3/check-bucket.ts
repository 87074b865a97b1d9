import { randomUUID } from 'node:crypto';
import type { BucketClient } from './bucket-client.ts';
import { abortUpload, deleteObject, listObjects, listOpenUploads } from './list-objects.ts';
import { presign } from './presign.ts';
import { StorageError } from './storage-error.ts';

/** What was tried, and a sentence about what is wrong with it; null: it works. */
export type ProbeStep = { step: string; problem: string | null };

const content = 'A probe of Media Search. It can be deleted.\n';
/** Signatures end to be valid at 15 minutes. */
const maxSkewMs = 5 * 60_000;

/** Finds out whether a bucket can be used: writes, reads and removes a probe. @returns a sentence about what is wrong, or null */
export async function checkBucket(client: BucketClient): Promise<string | null> {
  for await (const { problem } of probeBucket(client, { thorough: false })) if (problem !== null) return problem;
  return null;
}

/** Whether a bucket answers, in one request. @returns a sentence about what is wrong, or null */
export async function findProblem(client: BucketClient): Promise<string | null> {
  try {
    await client.head(`${client.settings.prefix}.probe/none`);
    return null;
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}

/**
 * Tries one after the other what the asset store asks of a bucket, with a probe of its own. Ends at the first step that fails.
 * @param options.thorough also what only some work needs: uploads in parts, listings, presigned addresses
 */
export async function* probeBucket(
  client: BucketClient,
  { thorough }: { thorough: boolean },
): AsyncGenerator<ProbeStep> {
  const key = `${client.settings.prefix}.probe/${randomUUID()}`;
  const steps: [string, () => Promise<string | null>][] = [
    ['write', () => write(client, key)],
    ['read', () => read(client, key)],
    ['tell what is missing', () => findMissing(client, `${key}-missing`)],
    ...(thorough
      ? ([
          ['list', () => list(client, key)],
          ['upload in parts', () => uploadInParts(client, key)],
          ['presign', () => fetchPresigned(client, key)],
          ['clock', () => Promise.resolve(checkClock(client))],
        ] as [string, () => Promise<string | null>][])
      : []),
    ['delete', () => remove(client, key)],
  ];
  for (const [step, run] of steps) {
    const problem = await run().catch((error: unknown) => {
      if (error instanceof StorageError) return error.message;
      throw error;
    });
    yield { step, problem };
    if (problem === null) continue;
    // What was written before.
    if (step !== 'write') await deleteObject(client, key).catch(() => undefined);
    return;
  }
}

async function write({ sdk, settings, ask }: BucketClient, key: string): Promise<null> {
  const body = Buffer.from(content);
  await ask((s3) => s3.send(new sdk.PutObjectCommand({ Bucket: settings.bucket, Key: key, Body: body })));
  return null;
}

async function read({ sdk, settings, ask }: BucketClient, key: string): Promise<string | null> {
  const parameters = { Bucket: settings.bucket, Key: key, Range: 'bytes=2-6' };
  const answer = await ask((s3) => s3.send(new sdk.GetObjectCommand(parameters)));
  const text = await answer.Body?.transformToString().catch(() => undefined);
  return text === content.slice(2, 7) ? null : 'The store does not give the range of a file that was asked for.';
}

async function findMissing(client: BucketClient, key: string): Promise<string | null> {
  try {
    return (await client.head(key)) === null ? null : 'The store says that there is a file that was never stored.';
  } catch (error) {
    if (!(error instanceof StorageError && /AccessDenied|403/.test(error.reason))) throw error;
    return `The key must be allowed s3:ListBucket on the bucket ${client.settings.bucket}: without it, what is missing cannot be told from what is forbidden.`;
  }
}

async function list(client: BucketClient, key: string): Promise<string | null> {
  for await (const listed of listObjects(client, key)) if (listed.key === key) return null;
  return 'A listing does not show what was just written; deletions may be completed late.';
}

async function uploadInParts(client: BucketClient, key: string): Promise<string | null> {
  const { sdk, settings, ask } = client;
  const place = { Bucket: settings.bucket, Key: key };
  const { UploadId: uploadId = '' } = await ask((s3) => s3.send(new sdk.CreateMultipartUploadCommand(place)));
  const part = { ...place, UploadId: uploadId, PartNumber: 1, Body: Buffer.from(content) };
  await ask((s3) => s3.send(new sdk.UploadPartCommand(part)));
  let isListed = false;
  for await (const upload of listOpenUploads(client)) isListed ||= upload.uploadId === uploadId;
  await abortUpload(client, { key, uploadId });
  return isListed ? null : 'The store does not list unfinished uploads, so what they leave is not removed.';
}

async function fetchPresigned(client: BucketClient, key: string): Promise<string | null> {
  if (!client.settings.redirect) return null;
  const url = await presign(client, key, { contentType: 'text/plain', disposition: null });
  const response = await fetch(url, { headers: { Range: 'bytes=2-6' }, signal: AbortSignal.timeout(10_000) }).catch(
    (error: unknown) => error as Error,
  );
  if (response instanceof Error) return `A presigned address cannot be reached from here (${response.message}).`;
  if (response.status === 206 && (await response.text()) === content.slice(2, 7)) return null;
  return `A presigned address is answered with ${response.status}; STORAGE_REDIRECT=1 cannot be used with this store.`;
}

/** The SDK signs by the clock of the store once it has found that the own one is wrong. */
function checkClock({ s3 }: BucketClient): string | null {
  if (Math.abs(s3.config.systemClockOffset) < maxSkewMs) return null;
  const minutes = Math.round(s3.config.systemClockOffset / 60_000);
  return `The clock of this machine differs from that of the store by ${Math.abs(minutes)} minutes; set it.`;
}

async function remove(client: BucketClient, key: string): Promise<string | null> {
  await deleteObject(client, key);
  return (await client.head(key)) === null
    ? null
    : 'What is deleted is still there; the bucket may keep it on purpose.';
}
