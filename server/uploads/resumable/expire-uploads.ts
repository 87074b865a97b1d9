import { deleteUpload, findOpenUploads, listExpiredUploads } from '../../catalog/media/uploads.ts';
import { removeUploadFiles, type RemovalParts } from './finish-upload.ts';

/** Rows read at once. */
const pageSize = 100;
/** Files that are younger may be of an upload that began a moment ago, milliseconds. */
const minAgeMs = 3_600_000;

/**
 * Removes uploads that have expired, their files first: a crash in between leaves a row, which is expired still. Then files of uploads that have
 * no row, or have ended. It does no harm when two processes do it.
 */
export async function removeExpiredUploads(parts: RemovalParts, signal: AbortSignal): Promise<void> {
  const { db, partialFiles } = parts;
  for (;;) {
    const expired = await listExpiredUploads(db, pageSize);
    for (const row of expired) {
      signal.throwIfAborted();
      await removeUploadFiles(parts, row);
      await deleteUpload(db, row.workspace_id, row.id);
    }
    if (expired.length < pageSize) break;
  }
  const isOpen = await findOpenUploads(db);
  for await (const { changedAt, ...owner } of partialFiles.list()) {
    signal.throwIfAborted();
    if (isOpen(owner) || Date.now() - changedAt.getTime() < minAgeMs) continue;
    await partialFiles.removeUnlisted(owner);
  }
}
