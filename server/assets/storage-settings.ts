import { z } from 'zod';
import { StartupError } from '../errors/startup-error.ts';

/** How buckets are reached: the one with the assets, and those of sources. */
export type BucketAccess = {
  /** A store that is not Amazon's; null: Amazon's of the region. */
  endpoint: string | null;
  /** Null: as the SDK finds it in files of AWS. */
  region: string | null;
  /** Null: by the usual files and roles of AWS. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null;
  /** The bound on local copies, bytes. The one that was made last stays whatever its size. */
  cacheBytes: number;
  /** A connection that brings nothing for so long is given up, milliseconds. */
  idleMs: number;
};

/** A part of a bucket. */
export type BucketPrefix = {
  bucket: string;
  /** Before each key; empty, or with a slash at its end. */
  prefix: string;
};

/** Where assets are stored other than in the data folder. */
export type StorageSettings = BucketAccess &
  BucketPrefix & {
    /** Whether originals and videos are sent by the store itself, under presigned addresses. */
    redirect: boolean;
  };

/**
 * Bucket and prefix of an address such as `s3://bucket/some/folder`; undefined for what is none. A slash at the end makes no difference.
 */
export function parseStorageUrl(url: string): BucketPrefix | undefined {
  const [, bucket, folder = ''] = /^s3:\/\/([a-z0-9][\w.-]{1,61}[a-z0-9])(?:\/(.*))?$/i.exec(url) ?? [];
  if (bucket === undefined) return undefined;
  const names = folder.replaceAll(/^\/+|\/+$/g, '').split('/');
  if (names.length === 1 && names[0] === '') return { bucket, prefix: '' };
  // Stores and proxies disagree on what such names mean.
  if (names.some((name) => ['', '.', '..'].includes(name)) || Buffer.byteLength(folder) > 512) return undefined;
  return { bucket, prefix: `${names.join('/')}/` };
}

/** The environment variables that say where assets are stored; docs/settings.md holds their descriptions. */
export const storageSchema = z.object({
  STORAGE_URL: z.string().nullable().default(null).meta({
    description:
      '`s3://BUCKET/FOLDER`: originals, renditions and shared clips are in a bucket of S3 or a compatible store in place of `DATA_DIR`; endpoint, region and keys by the usual AWS variables. See [files in a bucket](operations.md#files-in-a-bucket).',
  }),
  STORAGE_REDIRECT: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .meta({ description: '`1`: the store itself sends originals and videos, under presigned addresses.' }),
  STORAGE_CACHE_BYTES: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a number of bytes')
    .transform(Number)
    .default(20 * 2 ** 30)
    .meta({ description: 'Local copies of stored files, which decoders need, on each machine (20 GiB by default).' }),
});

/** A connection to the bucket that brings nothing for so long is given up, milliseconds. From 6 seconds on the SDK adds 3. */
const idleMs = 5000;

const withoutEmpty = (variables: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

function parseVariables(variables: Record<string, string | undefined>): z.output<typeof storageSchema> {
  const result = storageSchema.safeParse(withoutEmpty(variables));
  if (!result.success) {
    const [issue] = result.error.issues;
    const name = String(issue?.path[0]);
    throw new StartupError(`The setting ${name}=${variables[name]} is wrong: it ${issue?.message}.`);
  }
  return result.data;
}

/**
 * Reads where assets are stored from environment variables; empty ones count as not set. Null: in the data folder. Throws `StartupError`.
 */
export function readStorageSettings(variables: Record<string, string | undefined>): StorageSettings | null {
  const { STORAGE_URL: url, STORAGE_REDIRECT: redirect } = parseVariables(variables);
  if (url === null) return null;
  const place = parseStorageUrl(url);
  if (!place)
    throw new StartupError(`The setting STORAGE_URL=${url} is wrong: it must be s3://BUCKET or s3://BUCKET/FOLDER.`);
  return { ...readBucketAccess(variables), ...place, redirect: redirect === '1' };
}

/** Reads how buckets are reached from environment variables, whether assets are in one or not. Throws `StartupError`. */
export function readBucketAccess(variables: Record<string, string | undefined>): BucketAccess {
  const { STORAGE_CACHE_BYTES: cacheBytes } = parseVariables(variables);
  const set = withoutEmpty(variables);
  const endpoint = set['AWS_ENDPOINT_URL_S3'] ?? set['AWS_ENDPOINT_URL'] ?? null;
  if (endpoint !== null && !/^https?:\/\//.test(endpoint)) {
    throw new StartupError(`The setting AWS_ENDPOINT_URL_S3=${endpoint} is wrong: it must be an http or https URL.`);
  }
  const [accessKeyId, secretAccessKey, sessionToken] = [
    set['AWS_ACCESS_KEY_ID'],
    set['AWS_SECRET_ACCESS_KEY'],
    set['AWS_SESSION_TOKEN'],
  ];
  return {
    endpoint,
    region: set['AWS_REGION'] ?? set['AWS_DEFAULT_REGION'] ?? null,
    credentials:
      accessKeyId !== undefined && secretAccessKey !== undefined
        ? { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
        : null,
    cacheBytes,
    idleMs,
  };
}
