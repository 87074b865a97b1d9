import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import type { ExportFormat, MediaExport } from '../../../contract/exports.ts';
import type { AssetStatus } from '../../assets/asset-store.ts';
import { addExport, cancelExport, deleteExport } from '../../catalog/exports/export-jobs.ts';
import {
  countProcessing,
  diedTwice,
  expireExcess,
  type ExportKey,
  type ExportRow,
  findExport,
  listExpiredExports,
  readExportRequest,
  setWanted,
  wantExport,
} from '../../catalog/exports/export-rows.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import { startJobRunner } from '../../jobs/job-runner.ts';
import { runEvery } from '../../platform/periodic.ts';
import {
  assetOf,
  type ExportFailure,
  type ExportSources,
  createExportWork,
  type StoredRequest,
} from './make-export.ts';
import type { FileRequest, ProducedFile } from './produce-file.ts';
import { streamZip } from './write-zip.ts';

/** Exports of a workspace that are processed at a time. */
const maxProcessing = 4;
/** Archives of a workspace that one process streams at a time. */
const maxArchives = 4;
/** Exports of a workspace that are kept. */
const maxKept = 50;
/** Bytes of all files that are kept; the oldest goes first. */
const maxKeptBytes = 8 * 2 ** 30;
const keptMs = 60 * 60 * 1000;
/** An export that no request has asked for in this time is given up while it is processed. Browsers run a hidden page once a minute. */
const abandonedMs = 120_000;

export type ExportRequest = Omit<FileRequest, 'format'> & { format: ExportFormat; filename: string };

export type Export = {
  id: string;
  request: Pick<ExportRequest, 'workspaceId' | 'format' | 'filename'>;
  status: MediaExport['status'];
  /** Share that is done, 0..1. */
  progress: number;
  error: ExportFailure | null;
  produced: Pick<ProducedFile, 'size' | 'lossless' | 'span'> | null;
  /** Milliseconds since 1970. */
  expiresAt: number;
};

/** A file that is ready. `read` streams it, or a range of it, both ends included. */
export type ExportFile = AssetStatus & { read(range?: { start: number; end: number }): Readable };

/** How often a download asks whether the file is there, though no notice came. */
const askMs = 1000;
/** How long an export goes on after a download hung up; any other one asks for it again within. */
const hangUpMs = 3 * askMs;
/** How often what has expired is removed. */
const sweepMs = 5000;

/** The exports of all workspaces. An identifier alone finds none: what is not of the workspace is `not_found`. */
export type Exports = ReturnType<typeof createExports>;

/**
 * Opens the exports. They are rows with jobs, so that each process that answers requests shows, sends and cancels them, whichever makes the file. An
 * archive, which has no file, is streamed by the process that is asked.
 */
export function createExports(sources: ExportSources) {
  const { db, log, pubsub } = sources;
  const { work, readOwn } = createExportWork(sources);
  const runner = startJobRunner(db, work, log);
  const sweep = runEvery(sweepMs, () => removeExpired(sources), 'the removal of old exports', log, { atOnce: false });
  // Perhaps it was cancelled.
  const unsubscribe = pubsub.subscribe('exports', (id) => runner.check(id));
  const cancel = async (key: ExportKey): Promise<void> => {
    await cancelExport(db, key);
    await pubsub.publish(db, 'exports', key.id);
    sweep.now();
  };
  const downloads = createDownloads(sources, cancel);

  return {
    /** Throws `throttled` where `start` would: asked before the body of a request, which may list thousands of moments, is read. */
    async checkRoom(workspaceId: string): Promise<void> {
      if ((await countProcessing(db, workspaceId)) >= maxProcessing) throw tooManyError();
    },

    /** Begins an export. Throws `throttled`. */
    async start(request: ExportRequest): Promise<Export> {
      const row = await storeExport(db, request);
      runner.look();
      return toExport(row);
    },

    /** Undefined when the workspace has no such export. A request that asks keeps it going. */
    async find(workspaceId: string, id: string): Promise<Export | undefined> {
      const key = { workspace_id: workspaceId, id };
      const row = await findExport(db, key);
      // A request that only looks does not keep going what the last download gave up.
      if (row?.status !== 'processing') return row && toExport(row);
      await wantExport(db, key, abandonedMs, hangUpMs);
      return toExport({ ...row, progress: (await readOwn(id)) ?? row.progress });
    },

    /**
     * Waits until an export is ready; null: it is an archive, which has no file. Throws what went wrong with it as an `ApiError`. When the signal
     * aborts and no other download waits, the export is given up.
     */
    async waitForFile(workspaceId: string, id: string, signal: AbortSignal): Promise<ExportFile | null> {
      const row = await downloads.wait({ workspace_id: workspaceId, id }, signal);
      return row.format === 'zip' ? null : openFile(sources, row);
    },

    streamArchive: createArchiveStreams(sources),

    /** Ends an export and removes its file. */
    cancel: (workspaceId: string, id: string): Promise<void> => cancel({ workspace_id: workspaceId, id }),

    async stop(): Promise<void> {
      downloads.stop();
      unsubscribe();
      await Promise.all([runner.stop(), sweep.stop()]);
      await sources.pool.stop();
    },
  };
}

/** Stores an export with its job. Throws `throttled`. */
async function storeExport(
  db: Catalog,
  { workspaceId, format, filename, moments, title, machine, baseUrl }: ExportRequest,
): Promise<ExportRow> {
  const row = await addExport(
    db,
    {
      workspace_id: workspaceId,
      id: randomUUID(),
      format,
      filename,
      request: JSON.stringify({ moments, title, machine, baseUrl } satisfies StoredRequest),
      status: format === 'zip' ? 'ready' : 'processing',
    },
    { maxProcessing, maxKept, keptMs, wantedMs: abandonedMs },
  );
  if (!row) throw tooManyError();
  return row;
}

/** The row goes last, so that a process that is killed in between leaves no file that nothing names. */
async function removeExpired({ db, assets }: ExportSources): Promise<void> {
  await expireExcess(db, maxKeptBytes);
  for (const row of await listExpiredExports(db)) {
    for (let attempt = 1; attempt <= row.attempts; attempt++) await assets.removeDerived(assetOf(row, attempt));
    await deleteExport(db, row);
  }
}

/** Downloads that wait for an export. Notices may be missed, so they ask now and then. */
function createDownloads({ db, pubsub, isShared }: ExportSources, cancel: (key: ExportKey) => Promise<void>) {
  const advances = new EventEmitter().setMaxListeners(0);
  const unsubscribe = pubsub.subscribe('exports', (id) => void advances.emit(id));

  async function waitUntilReady(key: ExportKey, signal: AbortSignal): Promise<ExportRow> {
    for (;;) {
      const ending = AbortSignal.any([signal, AbortSignal.timeout(askMs)]);
      const advanced = once(advances, key.id, { signal: ending }).catch(() => undefined);
      const row = await findExport(db, key);
      if (!row) throw notFoundError('export');
      if (row.status === 'error') throw toError(row);
      if (row.status === 'ready') return row;
      await wantExport(db, key, abandonedMs);
      await advanced;
      signal.throwIfAborted();
    }
  }

  /** Ends an export whose download hung up, unless another one waits for it, here or at another process. */
  async function giveUp(key: ExportKey): Promise<void> {
    if (isShared || advances.listenerCount(key.id) > 0) await setWanted(db, key, hangUpMs);
    else await cancel(key);
  }

  return {
    stop: unsubscribe,
    /** Waits until an export is ready. Throws what went wrong with it, and the signal's reason when that aborts. */
    wait: (key: ExportKey, signal: AbortSignal): Promise<ExportRow> =>
      waitUntilReady(key, signal).catch(async (error: unknown) => {
        if (signal.aborted && error === signal.reason) await giveUp(key);
        throw error;
      }),
  };
}

/** The file of an export that is ready, wherever it was made. */
async function openFile({ assets }: ExportSources, row: ExportRow): Promise<ExportFile> {
  const asset = assetOf(row, row.attempts);
  const status = await assets.stat(asset);
  if (!status) throw notFoundError('file any more: export it again');
  return { ...status, read: (range) => assets.read(asset, range) };
}

function toExport(row: ExportRow): Export {
  const { id, workspace_id: workspaceId, format, filename, status, progress, error, produced, size, expires_at } = row;
  return {
    id,
    request: { workspaceId, format: format as ExportFormat, filename },
    status,
    progress: status === 'processing' ? progress : 1,
    error: error === null ? null : (JSON.parse(error) as ExportFailure),
    produced: produced === null ? null : { size, ...(JSON.parse(produced) as Pick<Produced, 'lossless' | 'span'>) },
    expiresAt: Date.parse(expires_at),
  };
}

type Produced = NonNullable<Export['produced']>;

function toError({ error }: ExportRow): ApiError {
  const { code, message } = error === null ? diedTwice : (JSON.parse(error) as ExportFailure);
  return new ApiError(code, message);
}

const tooManyError = (): ApiError => throttled(`This workspace has ${maxProcessing} exports in progress`, 5);

const throttled = (what: string, seconds: number): ApiError =>
  new ApiError('throttled', `${what}: try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** Streams archives, so many of a workspace at a time. Throws `throttled`. */
function createArchiveStreams(sources: ExportSources) {
  const counts = new Map<string, number>();

  /** Returns what ends it. Throws `throttled`. */
  function begin(workspaceId: string): () => void {
    const running = counts.get(workspaceId) ?? 0;
    if (running >= maxArchives) throw throttled(`This workspace downloads ${maxArchives} archives already`, 30);
    counts.set(workspaceId, running + 1);
    return () => {
      const left = (counts.get(workspaceId) ?? 1) - 1;
      if (left > 0) counts.set(workspaceId, left);
      else counts.delete(workspaceId);
    };
  }

  return async (workspaceId: string, id: string, signal: AbortSignal): Promise<Readable> => {
    const row = await readExportRequest(sources.db, { workspace_id: workspaceId, id });
    if (!row) throw notFoundError('export');
    const { moments } = JSON.parse(row.request) as StoredRequest;
    const end = begin(workspaceId);
    return streamZip(sources, workspaceId, moments, signal).once('close', end);
  };
}
