import { createHash } from 'node:crypto';
import type * as Sdk from '@aws-sdk/client-s3';
import type { HeadObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import type { StorageObserver } from '../../platform/metrics/metrics.ts';
import type { StorageSettings } from '../storage-settings.ts';
import { giveUpSilence } from './give-up-silence.ts';
import { type BucketPlace, type BucketUse, isMissing, StorageError, toStorageError } from './storage-error.ts';

/** A request that fails is tried so often in all, with growing pauses (at most 20 s, or as the store asks for). */
const maxAttempts = 5;
const connectMs = 5000;
/** Requests at the same time. */
const maxSockets = 64;

/** A bucket, asked by the SDK of AWS. Keys are those in the bucket: with the prefix. */
export type BucketClient = {
  sdk: typeof Sdk;
  s3: S3Client;
  settings: StorageSettings;
  /** Asks; errors are those of `toStorageError`. */
  ask: <Result>(request: (s3: S3Client) => Promise<Result>, signal?: AbortSignal) => Promise<Result>;
  /** Null when there is no such object. */
  head: (key: string) => Promise<HeadObjectCommandOutput | null>;
};

/** Loads the SDK, which takes a tenth of a second of processor time and 35 MB, and makes its client. It asks nothing yet. */
export async function createBucketClient(settings: StorageSettings, use: BucketUse = 'storage'): Promise<BucketClient> {
  const sdk = await import('@aws-sdk/client-s3');
  const { bucket, endpoint, credentials, idleMs } = settings;
  const region = settings.region ?? (endpoint === null ? undefined : 'us-east-1');
  const silent = () => undefined;
  const s3 = new sdk.S3Client({
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    // What follows is how stores that are not Amazon's want it: the bucket in the path, and no checksums that came after MD5.
    ...(endpoint !== null && {
      endpoint,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    maxAttempts,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
    },
    // The SDK would write to the console.
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  });
  if (endpoint !== null) sendMd5(s3);
  giveUpSilence(s3);
  const place = async (): Promise<BucketPlace> => ({ bucket, endpoint, region: await readRegion(s3), use });
  const ask: BucketClient['ask'] = async (request, signal) => {
    try {
      return await request(s3);
    } catch (error) {
      throw toStorageError(error, await place(), signal);
    }
  };
  return {
    sdk,
    s3,
    settings,
    ask,
    head: (key) =>
      ask(async () => {
        try {
          return await s3.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }));
        } catch (error) {
          if (isMissing(error)) return null;
          throw error;
        }
      }),
  };
}

async function readRegion(s3: S3Client): Promise<string> {
  return s3.config.region().catch(() => 'an unknown region');
}

/** Adds the checksum that every store knows to what is uploaded. */
function sendMd5(s3: S3Client): void {
  s3.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as { request: { method: string; body?: unknown; headers: Record<string, string> } };
      if (request.method === 'PUT' && request.body instanceof Uint8Array) {
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
      }
      return next(args);
    },
    { step: 'build', name: 'sendMd5', priority: 'low' },
  );
}

/** Tells of each request that is made. */
export function observe({ s3 }: BucketClient, onRequest: StorageObserver): void {
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const begun = performance.now();
        const tell = (outcome: 'ok' | 'failed') =>
          onRequest(String(commandName).replace(/Command$/, ''), outcome, (performance.now() - begun) / 1000);
        try {
          const result = await next(args);
          tell('ok');
          return result;
        } catch (error) {
          // An answer too: there is no such object.
          tell(isMissing(error) ? 'ok' : 'failed');
          throw error;
        }
      },
    { step: 'finalizeRequest', name: 'observe', priority: 'low' },
  );
}

/** A store that gave other bytes, or fewer, however often it was asked. */
export const brokenAnswer = (what: string): StorageError =>
  new StorageError(`The storage sent ${what}.`, 'BrokenAnswer');
