import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import type { Source } from '../../../contract/sources.ts';
import { readSourceFiles, readSourceFolders } from '../../catalog/sources/browse-source.ts';
import {
  changeSource,
  countIndexedSince,
  countSourceItems,
  findSource,
  listSources,
  readPathMappings,
  setSource,
  type SourceRow,
  wantScan,
  writePathMappings,
} from '../../catalog/sources/sources.ts';
import {
  alreadyExistsError,
  ApiError,
  countLimitError,
  notFoundError,
  validationError,
} from '../../errors/api-error.ts';
import { createSource } from '../../sources/add-source.ts';
import { isInBucketRoots, locateSource, lookUp, type SourceLocation } from '../../sources/locate-source.ts';
import { isWithin } from '../../sources/open-in-root.ts';
import { rateSeconds, toSource } from '../../sources/show-source.ts';
import { SourceError } from '../../sources/source-error.ts';
import { admitOwners } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOnce } from '../operations/idempotency.ts';
import { serveNamed } from '../operations/serve-named.ts';
import { serveOperation, toPageMeta } from '../operations/serve-operation.ts';

/** Folders of a root that are listed at most. */
const maxFolders = 1000;

type Parts = Pick<Dependencies, 'db' | 'sourceRoots' | 'dataDirectory'>;

/** Sources of a workspace as the API shows them. */
async function show({ db }: Pick<Parts, 'db'>, rows: SourceRow[]): Promise<Source[]> {
  const [first] = rows;
  if (!first) return [];
  const counts = await countSourceItems(db, first.workspace_id);
  const since = new Date(Date.now() - rateSeconds * 1000).toISOString();
  const indexed = await countIndexedSince(db, first.workspace_id, since);
  return rows.map((row) => toSource(row, counts.get(row.id), indexed.get(row.id)));
}

/** The operations on sources. */
export function serveSources(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  const showOne = async (row: SourceRow) => (await show(dependencies, [row]))[0] as Source;

  serveNamed(
    app,
    { list: operations.listSources, get: operations.getSource },
    {
      noun: 'source',
      list: (workspaceId, query) => listSources(db, workspaceId, query),
      find: (workspaceId, id) => findSource(db, workspaceId, id),
      show: (rows) => show(dependencies, rows),
    },
  );

  serveOperation(app, operations.createSource, async (input) => {
    const { workspaceId, body, request } = input;
    // Both before the transaction, for whose connection they would wait for ever; a bucket takes a while to answer.
    await admitOwners(db, request);
    const place = await locate(dependencies, body.location);
    return createOnce(dependencies, operations.createSource, input, async (transaction) => {
      const row = await createSource(transaction, workspaceId, body, place, false);
      if (row === 'taken') throw alreadyExistsError('source', body.name ?? body.location);
      if (row === 'full') throw countLimitError('sources');
      return toSource(row);
    });
  });

  serveOperation(app, operations.updateSource, async ({ workspaceId, params, body, request }) => {
    await findOwn(dependencies, request, params.id);
    const row = await changeSource(db, workspaceId, params.id, body);
    if (!row) throw notFoundError('source');
    if (row === 'taken') throw alreadyExistsError('source', body.name ?? '');
    return { data: await showOne(row) };
  });

  serveOperation(app, operations.deleteSource, async ({ params, request }) => {
    const row = await findOwn(dependencies, request, params.id);
    await setSource(db, row, { removed_at: row.removed_at ?? new Date().toISOString() });
    return { data: { id: params.id, deleted: true as const } };
  });

  serveOperation(app, operations.scanSource, async ({ workspaceId, params, body, request }) => {
    // It deletes the items of all that is not there.
    if (body.accept_missing) await admitOwners(db, request);
    const row = await find(dependencies, workspaceId, params.id);
    if (row.removed_at !== null || row.paused === 1)
      throw new ApiError('not_ready', `The source ${row.name} is ${row.paused === 1 ? 'paused' : 'being removed'}.`);
    await wantScan(db, row, body.accept_missing);
    return { data: await showOne(await find(dependencies, workspaceId, params.id)) };
  });

  serveListings(app, dependencies);
  servePathMappings(app, dependencies);
}

/** Finds out whether a location within the roots may be a source. Throws `validation_error`. */
function locate(
  { sourceRoots: roots, dataDirectory, sourceBuckets: buckets }: Dependencies,
  location: string,
): Promise<SourceLocation> {
  return locateSource(location, { roots, dataDirectory, buckets }).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error;
    throw validationError([{ path: 'body.location', message: error.message }]);
  });
}

/** A source of a workspace. Throws `not_found`. */
async function find({ db }: Pick<Parts, 'db'>, workspaceId: string, id: string): Promise<SourceRow> {
  const row = await findSource(db, workspaceId, id);
  if (!row) throw notFoundError('source');
  return row;
}

/** A source that may be changed over the API. Throws `not_found` and `forbidden`. */
async function findOwn({ db }: Pick<Parts, 'db'>, request: FastifyRequest, id: string): Promise<SourceRow> {
  await admitOwners(db, request);
  const row = await find({ db }, request.workspaceId, id);
  if (row.managed === 1)
    throw new ApiError(
      'forbidden',
      `The operator of the service added the source ${row.name}: only they can change it.`,
    );
  return row;
}

/** What can be walked through: roots, folders and files. */
function serveListings(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, sourceRoots, sourceBuckets } = dependencies;
  serveOperation(app, operations.listSourceRoots, async ({ query }) => ({
    data: await Promise.all(
      (query.path === undefined ? sourceRoots : [await within(sourceRoots, query.path)]).map(async (folder) => ({
        path: folder,
        folders: folder.startsWith('s3://')
          ? await listBucketFolders(sourceBuckets, folder, query.path !== undefined)
          : await listFolders(folder),
      })),
    ),
  }));

  serveOperation(app, operations.listSourceFolders, async ({ workspaceId, params, query }) => {
    const row = await find(dependencies, workspaceId, params.id);
    return { data: await readSourceFolders(db, row, query.path) };
  });

  serveOperation(app, operations.listSourceFiles, async ({ workspaceId, params, query }) => {
    const row = await find(dependencies, workspaceId, params.id);
    const { files, total } = await readSourceFiles(db, row, query);
    return { data: files, meta: toPageMeta(query, total) };
  });
}

/** A folder within the roots, without links. Throws `validation_error`, whether it is outside or not there. */
async function within(roots: string[], folder: string): Promise<string> {
  if (isInBucketRoots(roots, folder)) return folder.replace(/\/*$/, '');
  const real = (each: string) => lookUp(() => realpath(each)).catch(() => null);
  const wanted = path.isAbsolute(folder) ? await real(folder) : null;
  for (const root of roots) {
    const known = path.isAbsolute(root) ? await real(root) : null;
    if (wanted !== null && known !== null && isWithin(known, wanted)) return wanted;
  }
  throw validationError([{ path: 'query.path', message: 'must be within a root of sources' }]);
}

/** The folders in a folder, hidden ones and links left out; none where it cannot be read. */
async function listFolders(folder: string): Promise<{ path: string; name: string }[]> {
  if (!path.isAbsolute(folder)) return [];
  const entries = await lookUp(() => readdir(folder, { withFileTypes: true })).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => ({ path: path.join(folder, name), name }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .slice(0, maxFolders);
}

/** The folders in a folder of a bucket. @param isAsked whether it is the one that is asked for: then `validation_error` says why it cannot be read */
async function listBucketFolders(
  buckets: Dependencies['sourceBuckets'],
  folder: string,
  isAsked: boolean,
): Promise<{ path: string; name: string }[]> {
  const names = await buckets.listFolders(folder).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error;
    if (isAsked) throw validationError([{ path: 'query.path', message: `cannot be read: ${error.message}` }]);
    return [];
  });
  return names.map((name) => ({ path: `${folder.replace(/\/*$/, '')}/${name}`, name }));
}

function servePathMappings(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(app, operations.getPathMappings, async ({ workspaceId }) => ({
    data: { mappings: await readPathMappings(db, workspaceId) },
  }));

  serveOperation(app, operations.setPathMappings, async ({ workspaceId, body, request }) => {
    await admitOwners(db, request);
    await writePathMappings(db, workspaceId, body.mappings);
    return { data: body };
  });
}
