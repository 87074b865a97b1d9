import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { ExportFormat } from '../../../contract/exports.ts';
import {
  addExport,
  countProcessing,
  expireExport,
  type ExportRow,
  findExport,
  loseInterest,
  readExportRequest,
  wantExport,
} from '../../catalog/export-rows.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import type { Notices } from '../../messaging/pubsub/pubsub.ts';
import { assetOf, type AttemptSources, createAttempts, type StoredRequest } from './export-attempts.ts';
import {
  abandonedMs,
  createArchiveCounter,
  diedTwice,
  type Export,
  type ExportFailure,
  type ExportFile,
  type Exports,
  keptMs,
  maxKept,
  maxProcessing,
  tooManyError,
} from './exports.ts';
import { streamZip } from './zip-archive.ts';

/** How often a download asks whether the file is there, though no notice came. */
const askMs = 1000;
/** How long an export goes on after somebody hung up; whoever else waits asks for it again within. */
const hangUpMs = 3 * askMs;

/**
 * The exports where several processes serve requests. One of them makes the file, and all see how far it is and send it; an archive, which has no
 * file, is streamed by whoever is asked. What a process was making when it died is taken up by another.
 */
export function createStoredExports(sources: AttemptSources): Exports {
  const { db, notices } = sources;
  const archives = createArchiveCounter();
  const attempts = createAttempts(sources);
  const advances = createAdvances(notices);

  return {
    async checkRoom(workspaceId) {
      if ((await countProcessing(db, workspaceId)) >= maxProcessing) throw tooManyError();
    },

    async start({ workspaceId, format, filename, moments, title, baseUrl }) {
      const isArchive = format === 'zip';
      const row = await addExport(
        db,
        {
          workspace_id: workspaceId,
          id: randomUUID(),
          format,
          filename,
          request: JSON.stringify({ moments, title, baseUrl } satisfies StoredRequest),
          status: isArchive ? 'ready' : 'processing',
          owner: attempts.owner,
        },
        { maxProcessing, maxKept, keptMs, wantedMs: abandonedMs },
      );
      if (!row) throw tooManyError();
      if (!isArchive) attempts.begin(row);
      return toExport(row);
    },

    async find(workspaceId, id) {
      const row = await findExport(db, workspaceId, id);
      // Who only looks does not keep going what the last download gave up.
      if (row?.status === 'processing') await wantExport(db, workspaceId, id, abandonedMs, hangUpMs);
      return row && toExport(row);
    },

    async waitForFile(workspaceId, id, signal) {
      const row = await waitUntilReady(db, advances, { workspaceId, id }, signal);
      return row.format === 'zip' ? null : openFile(sources, row);
    },

    async streamArchive(workspaceId, id, signal) {
      const request = await readExportRequest(db, workspaceId, id);
      if (request === undefined) throw notFoundError('export');
      const { moments } = JSON.parse(request) as StoredRequest;
      const end = archives.begin(workspaceId);
      return streamZip(sources, workspaceId, moments, signal).once('close', end);
    },

    async cancel(workspaceId, id) {
      await expireExport(db, workspaceId, id);
      await notices.publish(db, 'exports', id);
      attempts.sweep();
    },

    async stop() {
      advances.stop();
      await attempts.stop();
      await sources.pool.stop();
    },
  };
}

/** Throws what went wrong with the export, and the signal's reason when that aborts. */
async function waitUntilReady(
  db: Catalog,
  advances: Advances,
  { workspaceId, id }: { workspaceId: string; id: string },
  signal: AbortSignal,
): Promise<ExportRow> {
  for (;;) {
    const advanced = advances.wait(id, signal);
    const row = await findExport(db, workspaceId, id);
    if (!row) throw notFoundError('export');
    if (row.status === 'error') throw toError(row);
    if (row.status === 'ready') return row;
    await wantExport(db, workspaceId, id, abandonedMs);
    await advanced;
    if (!signal.aborted) continue;
    await loseInterest(db, workspaceId, id, hangUpMs);
    signal.throwIfAborted();
  }
}

type Advances = ReturnType<typeof createAdvances>;

/** Where downloads wait for notices, which may be missed. */
function createAdvances(notices: Notices) {
  const events = new EventEmitter().setMaxListeners(0);
  const unsubscribe = notices.subscribe('exports', (id) => void events.emit(id));
  return {
    stop: unsubscribe,
    /** Waits until an export has advanced, the signal aborts, or it is time to ask anyway. Begin to wait before asking how far it is. */
    async wait(id: string, signal: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, askMs);
      const end = () => resolve();
      events.once(id, end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      await promise;
      clearTimeout(timer);
      events.off(id, end);
      signal.removeEventListener('abort', end);
    },
  };
}

/** The file of an export that is ready, wherever it was made. */
async function openFile({ assets }: AttemptSources, row: ExportRow): Promise<ExportFile> {
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
    expiresAt: expires_at.getTime(),
  };
}

type Produced = NonNullable<Export['produced']>;

function toError({ error }: ExportRow): ApiError {
  const { code, message } = error === null ? diedTwice : (JSON.parse(error) as ExportFailure);
  return new ApiError(code, message);
}
