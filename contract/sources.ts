import { z } from 'zod';
import { changeNamed, getNamed, listNamed } from './named-operations.ts';
import type { Operation } from './operation.ts';
import {
  deleted,
  flagParameter,
  identifier,
  idParams,
  mediaStatus,
  pageMeta,
  pageParameters,
  timestamp,
} from './parameters.ts';
import { problemOfGlob } from './source-globs.ts';

/** Folders and prefixes of buckets whose files are indexed where they lie; and how other machines name the same files. */

/** Most sources of a workspace. */
export const maxSources = 100;

const count = z.int().min(0);

const name = z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters');
const glob = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .superRefine((text, context) => {
    const message = problemOfGlob(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
const globs = (what: string) => z.array(glob).max(50, 'must have at most 50 entries').describe(what);

const patterns = {
  include: globs('Globs below the root, such as `footage/**`: only what one of them matches. Empty: everything.'),
  exclude: globs('Globs below the root, such as `**/proxies/**`: what one of them matches is left out.'),
};

export const sourceState = z.enum(['new', 'scanning', 'ready', 'paused', 'offline', 'removing']);

const scanCounts = {
  found: count.describe('Files with media.'),
  added: count,
  changed: count,
  moved: count.describe('Renamed or moved: the same items in another place.'),
  gone: count.describe('Not there any more. What is gone in two scans goes to the trash.'),
  failed: count.describe('Files and folders that could not be taken; `GET /sources/:id/files?failed=1` names them.'),
};

const exampleSource = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e5a10',
  name: 'NAS',
  kind: 'folder',
  location: '/mnt/nas/footage',
  include: [],
  exclude: ['**/proxies/**'],
  managed: false,
  state: 'scanning',
  problem: null,
  offline_since: null,
  watching: true,
  scan: { found: 812, added: 812, changed: 0, moved: 0, gone: 0, failed: 0, started_at: '2026-11-21T09:30:00.000Z' },
  last_scan: null,
  files: { total: 812, bytes: 96_000_000_000, failed: 0 },
  items: { pending: 790, indexing: 1, complete: 21, error: 0 },
  seconds_left: 5400,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
} as const;

export const source = z
  .object({
    id: identifier,
    name,
    kind: z.enum(['folder', 'bucket']),
    location: z.string().describe('The absolute path of a folder, or `s3://BUCKET/FOLDER`.'),
    ...patterns,
    managed: z.boolean().describe('Whether the operator added it: it is not changed or removed over the API.'),
    state: sourceState.describe(
      '`offline`: its files are not to be reached; its items stay searchable, and nothing of it is deleted.',
    ),
    problem: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why it is offline, or why the last scan did not end.'),
    offline_since: timestamp.nullable().describe('When it was found to be offline; null: it is not.'),
    watching: z.boolean().describe('Whether the system tells of changes. Else it is scanned again and again.'),
    scan: z
      .object({ ...scanCounts, started_at: timestamp })
      .nullable()
      .describe('The scan that is under way.'),
    last_scan: z
      .object({ ...scanCounts, started_at: timestamp, ended_at: timestamp })
      .nullable()
      .describe('The last that ended.'),
    files: z
      .object({ total: count, bytes: count, failed: count })
      .describe('What it holds, by the last scan: these bytes count for no quota.'),
    items: z.object({ pending: count, indexing: count, complete: count, error: count }),
    seconds_left: z
      .number()
      .min(0)
      .nullable()
      .describe('Until all items are indexed, estimated; null: unknown, or nothing is left.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Source', examples: [exampleSource] });
export type Source = z.output<typeof source>;

const sourceBody = z
  .object({
    name: name.optional().describe('The last part of the location, where it is left out.'),
    location: z
      .string()
      .min(1, 'must not be empty')
      .max(4096, 'must have at most 4096 characters')
      .describe('An absolute path within a root that the operator allows, or `s3://BUCKET/FOLDER`.'),
    include: patterns.include.default([]),
    exclude: patterns.exclude.default([]),
  })
  .meta({ examples: [{ name: 'NAS', location: '/mnt/nas/footage', exclude: ['**/proxies/**'] }] });
export type SourceBody = z.output<typeof sourceBody>;

const sourceChanges = z
  .object({
    name: name.optional(),
    include: patterns.include.optional(),
    exclude: patterns.exclude.optional(),
    paused: z.boolean().optional().describe('Whether scans and indexing of its items wait.'),
  })
  .meta({ examples: [{ paused: true }] });
export type SourceChanges = z.output<typeof sourceChanges>;

/** What a bucket that tells of events by a webhook sends: https://min.io/docs/minio/linux/administration/monitoring/publish-events-to-webhook.html. */
const bucketEvent = {
  EventName: z
    .string()
    .optional()
    .describe('Of a message that a bucket sends when something changed. It makes no difference.'),
  Key: z.string().optional().describe('As `EventName`.'),
  Records: z.array(z.unknown()).optional().describe('As `EventName`.'),
};

const scanBody = z
  .object({
    accept_missing: z
      .boolean()
      .default(false)
      .describe('Take what is not there as deleted, also where most of the source is missing.'),
    ...bucketEvent,
  })
  .meta({ examples: [{ accept_missing: false }] });

/** A path below the root of a source; empty: the root itself. */
const relativePath = z.string().max(4096, 'must have at most 4096 characters');

const sourceFolder = z
  .object({
    path: relativePath.describe('Below the root.'),
    name: z.string(),
    items: count.describe('In it and below it.'),
    folders: count.describe('Directly in it.'),
  })
  .meta({ id: 'SourceFolder', examples: [{ path: '2026/berlin', name: 'berlin', items: 212, folders: 3 }] });

const sourceFile = z
  .object({
    path: relativePath.describe('Below the root.'),
    size: count,
    modified_at: timestamp.nullable(),
    media_id: identifier.nullable().describe('Its item; null: it has none.'),
    status: mediaStatus.nullable(),
    problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({
    id: 'SourceFile',
    examples: [
      {
        path: '2026/berlin/a.mov',
        size: 48_000_000,
        modified_at: '2026-07-14T19:12:08.000Z',
        media_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85',
        status: 'complete',
        problem: null,
      },
    ],
  });

export type SourceFolder = z.output<typeof sourceFolder>;
export type SourceFile = z.output<typeof sourceFile>;

const sourcesQuery = z.object({
  ...pageParameters,
  q: z.string().max(100).optional().describe('Text to find in the name.'),
});
export type SourcesQuery = z.output<typeof sourcesQuery>;

const sourceFilesQuery = z.object({
  ...pageParameters,
  path: relativePath.optional().describe('Only this file, or the files in this folder and below it.'),
  failed: flagParameter.describe('1: only what could not be taken or indexed.'),
});
export type SourceFilesQuery = z.output<typeof sourceFilesQuery>;

const sourceRoot = z
  .object({ path: z.string(), folders: z.array(z.object({ path: z.string(), name: z.string() })) })
  .meta({
    id: 'SourceRoot',
    examples: [{ path: '/mnt/nas', folders: [{ path: '/mnt/nas/footage', name: 'footage' }] }],
  });

/** How the files of a folder are named on another machine. */
const pathMapping = z.object({
  name: name.describe('Of the machines that use it, such as `macOS`. Those of one name are used together.'),
  from: z.string().min(1).max(1000).describe('A path as this service has it, such as `/mnt/nas`.'),
  to: z.string().min(1).max(1000).describe('The same path there, such as `/Volumes/NAS` or `Z:\\`.'),
});
const pathMappings = z
  .object({ mappings: z.array(pathMapping).max(50, 'must have at most 50 entries') })
  .meta({ id: 'PathMappings', examples: [{ mappings: [{ name: 'macOS', from: '/mnt/nas', to: '/Volumes/NAS' }] }] });
export type PathMapping = z.output<typeof pathMapping>;

/** Where an item is that is indexed in place. */
export const itemSource = z
  .object({
    id: identifier,
    name: z.string(),
    path: z.string().describe('Below the root of the source.'),
    folder: z.string().describe('The folder of it, below the root; empty: the root itself.'),
    location: z.string().describe('The whole path, or `s3://…`.'),
    offline: z.boolean().describe('Whether the original is not to be reached at the moment.'),
  })
  .meta({
    id: 'ItemSource',
    examples: [
      {
        id: exampleSource.id,
        name: 'NAS',
        path: '2026/berlin/a.mov',
        folder: '2026/berlin',
        location: '/mnt/nas/footage/2026/berlin/a.mov',
        offline: false,
      },
    ],
  });
export type ItemSource = z.output<typeof itemSource>;

const sources = {
  path: '/sources',
  noun: 'source',
  plural: 'sources',
  tag: 'Sources',
  access: 'key',
  item: source,
} as const;

export const sourceOperations = {
  listSources: listNamed(sources, sourcesQuery),
  createSource: {
    method: 'POST',
    path: '/sources',
    tag: 'Sources',
    access: 'key',
    summary: 'Index a folder or a prefix of a bucket where it lies.',
    description:
      'Nothing is copied, moved or written there. The location must be within `SOURCE_ROOTS`, which the operator sets. A first scan begins at once. In the dashboard only owners may.',
    body: sourceBody,
    idempotent: true,
    responses: { 201: 'The new source. `Location` names it.' },
    status: 201,
    data: source,
    errors: ['already_exists', 'forbidden', 'quota_exceeded'],
  },
  listSourceRoots: {
    method: 'GET',
    path: '/sources/roots',
    tag: 'Sources',
    access: 'key',
    summary: 'List the roots that the operator allows for sources.',
    query: z.object({ path: z.string().max(4096).optional().describe('Only this root or folder within one.') }),
    responses: { 200: 'The roots with the folders in them.' },
    data: z.array(sourceRoot),
    errors: [],
  },
  getSource: getNamed(sources),
  updateSource: changeNamed(sources, sourceChanges, {
    summary: 'Rename, pause or resume a source, or change what it takes.',
    errors: ['forbidden'],
  }),
  deleteSource: {
    method: 'DELETE',
    path: '/sources/:id',
    tag: 'Sources',
    access: 'key',
    summary: 'Remove a source with its items. Its files stay as they are.',
    params: idParams,
    responses: { 200: 'Its items are being deleted; then it is gone.' },
    data: deleted,
    errors: ['not_found', 'forbidden'],
  },
  scanSource: {
    method: 'POST',
    path: '/sources/:id/scan',
    tag: 'Sources',
    access: 'key',
    summary: 'Scan a source now.',
    description: 'In the dashboard only owners may take what is missing as deleted.',
    params: idParams,
    body: scanBody,
    responses: { 200: 'A scan begins, or follows the one that is under way.' },
    data: source,
    errors: ['not_found', 'not_ready', 'forbidden'],
  },
  listSourceFolders: {
    method: 'GET',
    path: '/sources/:id/folders',
    tag: 'Sources',
    access: 'key',
    summary: 'List the folders in a folder of a source.',
    params: idParams,
    query: z.object({ path: relativePath.default('').describe('The folder; empty: the root.') }),
    responses: { 200: 'Folders with items, by name, at most 1000.' },
    data: z.array(sourceFolder),
    errors: ['not_found'],
  },
  listSourceFiles: {
    method: 'GET',
    path: '/sources/:id/files',
    tag: 'Sources',
    access: 'key',
    summary: 'List the files of a source with their items and problems.',
    params: idParams,
    query: sourceFilesQuery,
    responses: { 200: 'The files of this page, by path.' },
    data: z.array(sourceFile),
    meta: pageMeta,
    errors: ['not_found'],
  },
  getPathMappings: {
    method: 'GET',
    path: '/path-mappings',
    tag: 'Sources',
    access: 'key',
    summary: 'Get how other machines name the folders of sources.',
    responses: { 200: 'The mappings.' },
    data: pathMappings,
    errors: [],
  },
  setPathMappings: {
    method: 'PATCH',
    path: '/path-mappings',
    tag: 'Sources',
    access: 'key',
    summary: 'Set how other machines name the folders of sources.',
    description: 'Cut lists and “Copy path” use them.',
    body: pathMappings,
    responses: { 200: 'The mappings.' },
    data: pathMappings,
    errors: ['forbidden'],
  },
} as const satisfies Record<string, Operation>;
