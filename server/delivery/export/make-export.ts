import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { ErrorCode } from '../../../contract/errors.ts';
import { type DerivedAsset, exported } from '../../assets/asset-store.ts';
import { completeExport, reportExport } from '../../catalog/exports/export-jobs.ts';
import { type ExportKey, readExportRequest } from '../../catalog/exports/export-rows.ts';
import type { ClaimedJob } from '../../catalog/queue/job-queue.ts';
import { ApiError } from '../../errors/api-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import { LeaseLostError } from '../../jobs/job-errors.ts';
import type { LaneWork } from '../../jobs/job-runner.ts';
import type { PubSub } from '../../messaging/pubsub/pubsub.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import { type FileRequest, type FileSources, produceFile } from './produce-file.ts';

/** Exports that a process makes at a time. Those that cut wait for the processes that do; lists are written meanwhile. */
const slots = 8;
/** How often it looks for an export that another process was asked for, or was making when it ended. */
const lookMs = 1000;
/** How often the progress is stored with the lease, for other processes to show. */
const shownMs = 1000;
/** How often the lease is renewed where there are none: in SQLite requests wait for what is written. */
const aloneMs = 10_000;

export type ExportSources = FileSources & {
  scratch: Scratch;
  log: FastifyBaseLogger;
  pubsub: PubSub;
  /** Whether other processes serve downloads too. */
  isShared: boolean;
};

/** What a row holds of a request. */
export type StoredRequest = Pick<FileRequest, 'moments' | 'title' | 'machine' | 'baseUrl'>;

/** The file of an attempt. Each has its own, so that one that was taken for dead cannot touch that of the next. */
export const assetOf = (key: ExportKey & { format: string }, attempt: number): DerivedAsset =>
  exported(key, `${attempt}.${key.format}`);

export type ExportFailure = { code: ErrorCode; message: string };

/** How jobs of exports are done, and how far those are that this process makes. */
export function createExportWork(sources: ExportSources) {
  const progress = new Map<string, () => Promise<number>>();
  const readOwn = async (id: string): Promise<number | undefined> => progress.get(id)?.();
  const work: LaneWork<'export'> = {
    kind: 'export',
    slots,
    lookMs,
    renewMs: sources.isShared ? shownMs : aloneMs,
    renew: async (job) => reportExport(sources.db, job, (await readOwn(job.id)) ?? 0),
    run: (job, signal) =>
      makeExport(sources, job, signal, (read) => progress.set(job.id, read)).finally(() => progress.delete(job.id)),
  };
  return { work, readOwn };
}

/** Makes the file of an export and stores it, or what went wrong. Throws what the database throws, and the signal's reason. */
async function makeExport(
  sources: ExportSources,
  job: ClaimedJob<'export'>,
  signal: AbortSignal,
  onBegin: (readProgress: () => Promise<number>) => void,
): Promise<void> {
  const { db, assets, scratch, log, pubsub } = sources;
  const row = await readExportRequest(db, job);
  if (!row) throw new LeaseLostError();
  const request = { ...(JSON.parse(row.request) as StoredRequest), workspaceId: job.workspace_id };
  const format = row.format as FileRequest['format'];
  const asset = assetOf({ ...job, format }, row.attempts);
  const result = await scratch
    .withFolder(async (folder) => {
      let shown = 0;
      const progressFile = path.join(folder, 'progress');
      onBegin(() => readProgress(progressFile, shown));
      const progress = { signal, progressFile, onProgress: (fraction: number) => void (shown = fraction) };
      const { file, size, lossless, span } = await produceFile(sources, { ...request, format }, folder, progress);
      await assets.putDerived(file, asset, { signal });
      return { status: 'ready', error: null, produced: JSON.stringify({ lossless, span }), size } as const;
    })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      const failure = describeFailure(error);
      if (failure.code === 'internal_error') log.error({ err: error }, 'export failed');
      return { status: 'error', error: JSON.stringify(failure), produced: null, size: 0 } as const;
    });
  if (await completeExport(db, job, result)) await pubsub.publish(db, 'exports', job.id);
  else await assets.removeDerived(asset);
}

async function readProgress(file: string, shown: number): Promise<number> {
  const written = Number(await readFile(file, 'utf8').catch(() => '0'));
  // The last of it is writing the index.
  return Math.min(0.99, Math.max(shown, Number.isFinite(written) ? written : 0));
}

function describeFailure(error: unknown): ExportFailure {
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
