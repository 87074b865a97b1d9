import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import { raceWithSignal } from '../../platform/abort-signals.ts';
import { runEvery } from '../../platform/periodic.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import {
  abandonedMs,
  cancelledError,
  createArchiveCounter,
  describeFailure,
  type Export,
  type ExportRequest,
  type Exports,
  keptMs,
  maxKept,
  maxKeptBytes,
  maxProcessing,
  tooManyError,
} from './exports.ts';
import { type FileRequest, type FileSources, type ProducedFile, produceFile } from './produce-file.ts';
import { streamZip } from './zip-archive.ts';

const sweepMs = 5000;

type Entry = Omit<Export, 'request'> & {
  request: ExportRequest;
  produced: ProducedFile | null;
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

type Sources = FileSources & { scratch: Scratch; log: FastifyBaseLogger };

/**
 * The exports where this process is the only one. They are known in memory only, and their files are in scratch folders, which are emptied at a
 * start.
 */
export function createMemoryExports(sources: Sources): Exports {
  const entries = new Map<string, Entry>();
  const archives = createArchiveCounter();
  const drop = (entry: Entry) => {
    entries.delete(entry.id);
    entry.aborting.abort(cancelledError());
    entry.remove();
  };
  const sweepAll = () => listStale(entries).forEach(drop);
  const sweep = runEvery(sweepMs, sweepAll, 'the removal of old exports', sources.log, { atOnce: false });

  return {
    async checkRoom(workspaceId) {
      listReplaced(entries, workspaceId);
    },

    async start(request) {
      listReplaced(entries, request.workspaceId).forEach(drop);
      const entry = createEntry(request);
      entries.set(entry.id, entry);
      const { format } = request;
      if (format === 'zip') entry.status = 'ready';
      else entry.done = process(sources, entry, { ...request, format }, () => listExcess(entries).forEach(drop));
      return describe(entry);
    },

    async find(workspaceId, id) {
      const entry = findOwn(entries, workspaceId, id);
      if (!entry) return undefined;
      entry.askedAt = Date.now();
      return describe(entry);
    },

    async waitForFile(workspaceId, id, signal) {
      const produced = await waitFor(requireOwn(entries, workspaceId, id), signal, drop);
      if (!produced) return null;
      const { file, size } = produced;
      const { mtime } = await stat(file);
      return { bytes: size, modifiedAt: mtime, read: (range) => createReadStream(file, range) };
    },

    async streamArchive(workspaceId, id, signal) {
      const { moments } = requireOwn(entries, workspaceId, id).request;
      const end = archives.begin(workspaceId);
      return streamZip(sources, workspaceId, moments, signal).once('close', end);
    },

    async cancel(workspaceId, id) {
      const entry = findOwn(entries, workspaceId, id);
      if (entry) drop(entry);
    },

    async stop() {
      await sweep.stop();
      const all = [...entries.values()];
      all.forEach(drop);
      await Promise.all(all.map(({ gone }) => gone));
      await sources.pool.stop();
    },
  };
}

function findOwn(entries: Map<string, Entry>, workspaceId: string, id: string): Entry | undefined {
  const entry = entries.get(id);
  return entry?.request.workspaceId === workspaceId ? entry : undefined;
}

/** Throws `not_found`. */
function requireOwn(entries: Map<string, Entry>, workspaceId: string, id: string): Entry {
  const entry = findOwn(entries, workspaceId, id);
  if (!entry) throw notFoundError('export');
  return entry;
}

const describe = async (entry: Entry): Promise<Export> => ({ ...entry, progress: await readProgress(entry) });

/** The ended exports of a workspace that make room for a new one, the oldest. Throws `throttled` when too many are in progress. */
function listReplaced(entries: Map<string, Entry>, workspaceId: string): Entry[] {
  const own = [...entries.values()].filter((entry) => entry.request.workspaceId === workspaceId);
  const ended = own.filter(({ status }) => status !== 'processing');
  if (own.length - ended.length >= maxProcessing) throw tooManyError();
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

async function readProgress(entry: Entry): Promise<number> {
  if (entry.status !== 'processing') return 1;
  const written = Number(await readFile(entry.progressFile, 'utf8').catch(() => '0'));
  // The last of it is writing the index.
  return Math.min(0.99, Math.max(entry.progress, Number.isFinite(written) ? written : 0));
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
  entry.gone = sources.scratch
    .withFolder(async (folder) => {
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
