import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { ExportMoment } from '../../../contract/exports.ts';
import { type DerivedAsset, exported } from '../../assets/asset-store.ts';
import {
  beatExport,
  deleteExport,
  endExport,
  expireExcess,
  type ExportRow,
  listExpiredExports,
  readExportRequest,
  releaseExport,
  takeUpExports,
} from '../../catalog/export-rows.ts';
import type { Notices } from '../../messaging/pubsub/pubsub.ts';
import { runEvery } from '../../platform/periodic.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import { cancelledError, describeFailure, diedTwice, maxKeptBytes } from './exports.ts';
import { type FileRequest, type FileSources, produceFile } from './produce-file.ts';

/** How often an attempt says that it is alive. */
const beatMs = 1000;
/** How long an owner that was not heard of is taken for alive. */
const silentMs = 15_000;
/** An export that kills the process that makes it must not kill all: it is taken up once. */
const maxDeaths = 1;
const sweepMs = 5000;

export type AttemptSources = FileSources & { scratch: Scratch; log: FastifyBaseLogger; notices: Notices };

/** What a row holds of a request. */
export type StoredRequest = { moments: ExportMoment[]; title: string; baseUrl: string };

type Attempt = { row: ExportRow; aborting: AbortController; progress: () => Promise<number>; ended: Promise<void> };

/** The file of an attempt. Each has its own, so that one that was taken for dead cannot touch that of the next. */
export const assetOf = ({ workspace_id, id, format }: ExportRow, attempt: number): DerivedAsset =>
  exported({ workspace_id, id }, `${attempt}.${format}`);

/** The exports that this process makes. It takes up those of processes that died, and removes the files of those that expired. */
export function createAttempts(sources: AttemptSources) {
  const { db, log, notices } = sources;
  const owner = randomUUID();
  const attempts = new Map<string, Attempt>();

  function begin(row: ExportRow): void {
    const aborting = new AbortController();
    let progress = () => Promise.resolve(0);
    const attempt: Attempt = { row, aborting, progress: () => progress(), ended: Promise.resolve() };
    attempts.set(row.id, attempt);
    attempt.ended = make(sources, row, aborting.signal, (read) => void (progress = read))
      .then(() => expireExcess(db, maxKeptBytes))
      .catch((error: unknown) => log.error({ err: error }, 'the end of an export could not be stored'))
      .finally(() => {
        if (attempts.get(row.id) === attempt) attempts.delete(row.id);
      });
  }

  const beatAll = async (): Promise<void> => {
    for (const { row, aborting, progress } of attempts.values()) {
      if (await beatExport(db, row, await progress())) continue;
      // Before its failure is stored, which would keep it.
      await expireExcess(db, maxKeptBytes);
      aborting.abort(cancelledError());
    }
  };
  const beat = runEvery(beatMs, beatAll, 'the heartbeat of exports', log, { atOnce: false });
  const sweepAll = async (): Promise<void> => {
    for (const row of await takeUpExports(db, owner, JSON.stringify(diedTwice), { silentMs, maxDeaths })) begin(row);
    await expireExcess(db, maxKeptBytes);
    for (const row of await listExpiredExports(db)) await remove(sources, row);
  };
  const sweep = runEvery(sweepMs, sweepAll, 'the removal of old exports', log, { atOnce: false });
  const unsubscribe = notices.subscribe('exports', (id) => {
    // Perhaps it was cancelled.
    if (attempts.has(id)) beat.now();
  });

  return {
    owner,
    begin,
    /** Removes what has expired now. */
    sweep: () => sweep.now(),
    async stop(): Promise<void> {
      unsubscribe();
      await Promise.all([beat.stop(), sweep.stop()]);
      const all = [...attempts.values()];
      // Another process goes on with them at once.
      for (const { row } of all) await releaseExport(db, row).catch(() => undefined);
      for (const { aborting } of all) aborting.abort(cancelledError());
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

/** Makes the file of an export and stores it, or what went wrong. Throws what the database throws. */
async function make(
  sources: AttemptSources,
  row: ExportRow,
  signal: AbortSignal,
  onBegin: (readProgress: () => Promise<number>) => void,
): Promise<void> {
  const { db, assets, scratch, log, notices } = sources;
  const result = await scratch
    .withFolder(async (folder) => {
      let shown = 0;
      const progressFile = path.join(folder, 'progress');
      onBegin(() => readProgress(progressFile, shown));
      const request = await readRequest(sources, row);
      const progress = { signal, progressFile, onProgress: (fraction: number) => void (shown = fraction) };
      const { file, size, lossless, span } = await produceFile(sources, request, folder, progress);
      await assets.putDerived(file, assetOf(row, row.attempts), { signal });
      return { status: 'ready', error: null, produced: JSON.stringify({ lossless, span }), size } as const;
    })
    .catch((error: unknown) => {
      const failure = describeFailure(error);
      if (!signal.aborted && failure.code === 'internal_error') log.error({ err: error }, 'export failed');
      return { status: 'error', error: JSON.stringify(failure), produced: null, size: 0 } as const;
    });
  if (await endExport(db, row, result)) await notices.publish(db, 'exports', row.id);
  else await assets.removeDerived(assetOf(row, row.attempts));
}

async function readRequest({ db }: AttemptSources, { workspace_id, id, format }: ExportRow): Promise<FileRequest> {
  const request = await readExportRequest(db, workspace_id, id);
  if (request === undefined) throw cancelledError();
  const stored = JSON.parse(request) as StoredRequest;
  return { ...stored, workspaceId: workspace_id, format: format as FileRequest['format'] };
}

async function readProgress(file: string, shown: number): Promise<number> {
  const written = Number(await readFile(file, 'utf8').catch(() => '0'));
  // The last of it is writing the index.
  return Math.min(0.99, Math.max(shown, Number.isFinite(written) ? written : 0));
}

/** The row goes last, so that a process that is killed in between leaves no file that nothing names. */
async function remove({ db, assets }: AttemptSources, row: ExportRow): Promise<void> {
  for (let attempt = 1; attempt <= row.attempts; attempt++) await assets.removeDerived(assetOf(row, attempt));
  await deleteExport(db, row.workspace_id, row.id);
}
