import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { ErrorCode } from '../../contract/errors.ts';
import type { ExportFormat, MediaExport } from '../../contract/exports.ts';
import { raceWithSignal } from '../abort-signals.ts';
import { ApiError } from '../api-error.ts';
import { hasErrorCode } from '../storage/system-errors.ts';
import { type FileRequest, type FileSources, type ProducedFile, produceFile } from './produce-file.ts';
import { streamZip } from './zip-archive.ts';

/** Exports of a workspace that are processed at a time, and archives of it that are read. */
const maxProcessing = 4;
const maxArchives = 4;
/** Exports of a workspace that are kept. */
const maxKept = 50;
/** Bytes of all files that are kept; the oldest goes first. */
const maxKeptBytes = 8 * 2 ** 30;
const keptMs = 60 * 60 * 1000;
/** An export that nobody has asked for in this time is given up while it is processed. Browsers run a hidden page once a minute. */
const abandonedMs = 120_000;
const sweepMs = 5000;

export type ExportRequest = Omit<FileRequest, 'format'> & { format: ExportFormat; filename: string };

export type Export = {
  id: string;
  request: ExportRequest;
  status: MediaExport['status'];
  error: { code: ErrorCode; message: string } | null;
  produced: ProducedFile | null;
  expiresAt: number;
};

type Entry = Export & {
  progress: number;
  progressFile: string;
  aborting: AbortController;
  /** Settles when it is no longer processed. */
  done: Promise<void>;
  /** Removes its file; `gone` settles when it is. */
  remove: () => void;
  gone: Promise<void>;
  askedAt: number;
  /** Downloads that wait for it. */
  waiting: number;
};

type Sources = FileSources & { log: FastifyBaseLogger };

export type Exports = ReturnType<typeof createExports>;

/**
 * The exports of all workspaces. Their files are in scratch folders, which are emptied at a start.
 * Single process: they are known in memory only, so a restart forgets them, and a second process would not know those of the first.
 */
export function createExports(sources: Sources) {
  const entries = new Map<string, Entry>();
  const archives = createArchiveCounter();
  const drop = (entry: Entry) => {
    entries.delete(entry.id);
    entry.aborting.abort(new ApiError('not_found', 'This export was cancelled.'));
    entry.remove();
  };
  const sweep = setInterval(() => listStale(entries).forEach(drop), sweepMs);
  sweep.unref();

  return {
    /** Begins an export. Throws `throttled`. */
    start(request: ExportRequest): Export {
      listReplaced(entries, request.workspaceId).forEach(drop);
      const entry = createEntry(request);
      entries.set(entry.id, entry);
      const { format } = request;
      if (format === 'zip') entry.status = 'ready';
      else entry.done = process(sources, entry, { ...request, format }, () => listExcess(entries).forEach(drop));
      return entry;
    },

    /** Undefined when the workspace has no such export. Who asks keeps it going. */
    find(workspaceId: string, id: string): Export | undefined {
      const entry = entries.get(id);
      if (entry?.request.workspaceId !== workspaceId) return undefined;
      entry.askedAt = Date.now();
      return entry;
    },

    /** Share that is done, 0..1. */
    readProgress({ id }: Export): Promise<number> {
      return readProgressOf(entries.get(id));
    },

    /**
     * Waits until an export is ready. Throws what went wrong with it as an `ApiError`. When the signal aborts and nobody else waits, the
     * export is given up.
     */
    async waitUntilReady({ id }: Export, signal: AbortSignal): Promise<ProducedFile | null> {
      const entry = entries.get(id);
      if (!entry) throw new ApiError('not_found', 'There is no such export.');
      return waitFor(entry, signal, drop);
    },

    /** Streams an archive. Throws `throttled`. */
    streamArchive({ request: { workspaceId, moments } }: Export, signal: AbortSignal): Readable {
      const end = archives.begin(workspaceId);
      return streamZip(sources, workspaceId, moments, signal).once('close', end);
    },

    /** Ends an export and removes its file. */
    cancel({ id }: Export): void {
      const entry = entries.get(id);
      if (entry) drop(entry);
    },

    async stop(): Promise<void> {
      clearInterval(sweep);
      const all = [...entries.values()];
      all.forEach(drop);
      await Promise.all(all.map(({ gone }) => gone));
      await sources.pool.stop();
    },
  };
}

/** The ended exports of a workspace that make room for a new one, the oldest. Throws `throttled` when too many are in progress. */
function listReplaced(entries: Map<string, Entry>, workspaceId: string): Entry[] {
  const own = [...entries.values()].filter((entry) => entry.request.workspaceId === workspaceId);
  const ended = own.filter(({ status }) => status !== 'processing');
  if (own.length - ended.length >= maxProcessing) {
    throw throttled(`This workspace has ${maxProcessing} exports in progress`, 5);
  }
  return ended.slice(0, Math.max(0, own.length - maxKept + 1));
}

async function waitFor(entry: Entry, signal: AbortSignal, drop: (entry: Entry) => void): Promise<ProducedFile | null> {
  entry.waiting += 1;
  try {
    await raceWithSignal(signal, entry.done);
  } finally {
    entry.waiting -= 1;
    entry.askedAt = Date.now();
    if (signal.aborted && entry.waiting === 0 && entry.status === 'processing') drop(entry);
  }
  if (entry.error) throw new ApiError(entry.error.code, entry.error.message);
  return entry.produced;
}

async function readProgressOf(entry: Entry | undefined): Promise<number> {
  if (entry?.status !== 'processing') return 1;
  const written = Number(await readFile(entry.progressFile, 'utf8').catch(() => '0'));
  // The last of it is writing the index.
  return Math.min(0.99, Math.max(entry.progress, Number.isFinite(written) ? written : 0));
}

const throttled = (what: string, seconds: number): ApiError =>
  new ApiError('throttled', `${what}: try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** Counts the archives of each workspace that are read. */
function createArchiveCounter() {
  const counts = new Map<string, number>();
  return {
    /** Returns what ends it. Throws `throttled`. */
    begin(workspaceId: string): () => void {
      const running = counts.get(workspaceId) ?? 0;
      if (running >= maxArchives) throw throttled(`This workspace downloads ${maxArchives} archives already`, 30);
      counts.set(workspaceId, running + 1);
      return () => {
        const left = (counts.get(workspaceId) ?? 1) - 1;
        if (left > 0) counts.set(workspaceId, left);
        else counts.delete(workspaceId);
      };
    },
  };
}

/** Exports that nobody asks for, and those whose time is over. */
function listStale(entries: Map<string, Entry>): Entry[] {
  const now = Date.now();
  return [...entries.values()].filter(
    ({ status, waiting, askedAt, expiresAt }) =>
      now > expiresAt || (status === 'processing' && waiting === 0 && now - askedAt > abandonedMs),
  );
}

/** The oldest files, as long as there are too many bytes. The newest, which somebody waits for, stays whatever its size. */
function listExcess(entries: Map<string, Entry>): Entry[] {
  const ready = [...entries.values()].filter(({ produced }) => produced !== null);
  let bytes = ready.reduce((sum, { produced }) => sum + (produced?.size ?? 0), 0);
  return ready.slice(0, -1).filter(({ produced }) => {
    const isExcess = bytes > maxKeptBytes;
    if (isExcess) bytes -= produced?.size ?? 0;
    return isExcess;
  });
}

function createEntry(request: ExportRequest): Entry {
  const now = Date.now();
  return {
    id: randomUUID(),
    request,
    status: 'processing',
    error: null,
    produced: null,
    expiresAt: now + keptMs,
    progress: 0,
    progressFile: '',
    aborting: new AbortController(),
    done: Promise.resolve(),
    remove: () => undefined,
    gone: Promise.resolve(),
    askedAt: now,
    waiting: 0,
  };
}

/** Makes the file of an export. It stays until it is removed. Never throws. */
function process(sources: Sources, entry: Entry, request: FileRequest, onReady: () => void): Promise<void> {
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const { promise: removed, resolve: remove } = Promise.withResolvers<void>();
  entry.remove = remove;
  const { signal } = entry.aborting;
  const fail = (error: unknown) => {
    if (entry.status === 'ready') return;
    entry.status = 'error';
    entry.error = describeFailure(error);
    if (!signal.aborted && entry.error.code === 'internal_error') sources.log.error({ err: error }, 'export failed');
    end();
  };
  entry.gone = sources.assets
    .withScratchFolder(async (folder) => {
      entry.progressFile = path.join(folder, 'progress');
      const progress = {
        signal,
        progressFile: entry.progressFile,
        onProgress: (fraction: number) => void (entry.progress = fraction),
      };
      entry.produced = await produceFile(sources, request, folder, progress);
      entry.status = 'ready';
      onReady();
      end();
      await removed;
    })
    .catch(fail);
  return done;
}

function describeFailure(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  if (error instanceof Error && error.name === 'UnreadableMediaError') {
    return { code: 'unreadable_media', message: error.message };
  }
  if (error instanceof Error && error.name === 'CrashError') {
    return { code: 'unreadable_media', message: 'This part of the video cannot be decoded.' };
  }
  if (error instanceof Error && error.name === 'BusyError') {
    return { code: 'throttled', message: 'Too many exports are waiting. Try again in a minute.' };
  }
  if (hasErrorCode(error, 'ENOSPC') || hasErrorCode(error, 'EDQUOT')) {
    return { code: 'insufficient_storage', message: 'The disk of this service has no room for the export.' };
  }
  return { code: 'internal_error', message: 'Something went wrong on our side.' };
}
