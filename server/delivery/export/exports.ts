import type { Readable } from 'node:stream';
import type { ErrorCode } from '../../../contract/errors.ts';
import type { ExportFormat, MediaExport } from '../../../contract/exports.ts';
import type { AssetStatus } from '../../assets/asset-store.ts';
import { ApiError } from '../../errors/api-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import type { FileRequest, ProducedFile } from './produce-file.ts';

/** Exports of a workspace that are processed at a time. */
export const maxProcessing = 4;
/** Archives of a workspace that one process streams at a time. */
const maxArchives = 4;
/** Exports of a workspace that are kept. */
export const maxKept = 50;
/** Bytes of all files that are kept; the oldest goes first. */
export const maxKeptBytes = 8 * 2 ** 30;
export const keptMs = 60 * 60 * 1000;
/** An export that nobody has asked for in this time is given up while it is processed. Browsers run a hidden page once a minute. */
export const abandonedMs = 120_000;

export type ExportRequest = Omit<FileRequest, 'format'> & { format: ExportFormat; filename: string };

export type ExportFailure = { code: ErrorCode; message: string };

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

/** The exports of all workspaces. An identifier alone finds none: what is not of the workspace is `not_found`. */
export type Exports = {
  /** Throws `throttled` where `start` would: asked before the body of a request, which may list thousands of moments, is read. */
  checkRoom(workspaceId: string): Promise<void>;
  /** Begins an export. Throws `throttled`. */
  start(request: ExportRequest): Promise<Export>;
  /** Undefined when the workspace has no such export. Who asks keeps it going. */
  find(workspaceId: string, id: string): Promise<Export | undefined>;
  /**
   * Waits until an export is ready; null: it is an archive, which has no file. Throws what went wrong with it as an `ApiError`. When the signal
   * aborts and nobody else waits, the export is given up.
   */
  waitForFile(workspaceId: string, id: string, signal: AbortSignal): Promise<ExportFile | null>;
  /** Streams an archive. Throws `throttled`. */
  streamArchive(workspaceId: string, id: string, signal: AbortSignal): Promise<Readable>;
  /** Ends an export and removes its file. */
  cancel(workspaceId: string, id: string): Promise<void>;
  stop(): Promise<void>;
};

/** Of an export whose owners died. */
export const diedTwice: ExportFailure = {
  code: 'internal_error',
  message: 'The service was stopped while it made this export. Export it again.',
};

export const cancelledError = (): ApiError => new ApiError('not_found', 'This export was cancelled.');

export const tooManyError = (): ApiError => throttled(`This workspace has ${maxProcessing} exports in progress`, 5);

const throttled = (what: string, seconds: number): ApiError =>
  new ApiError('throttled', `${what}: try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** Counts the archives of each workspace that this process streams. */
export function createArchiveCounter() {
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

export function describeFailure(error: unknown): ExportFailure {
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
