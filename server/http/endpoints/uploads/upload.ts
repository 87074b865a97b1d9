import type { FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import type { UploadFields } from '../../../../contract/media.ts';
import type { OpenUpload, Upload } from '../../../../contract/uploads.ts';
import { findMedia } from '../../../catalog/media/media-items.ts';
import type { ListedUpload, UploadRow } from '../../../catalog/media/uploads.ts';
import type { Dependencies } from '../../dependencies.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toMediaItem } from '../media/media-item.ts';
import { findMissingLabels } from '../media/missing-labels.ts';

/** A stored upload as the API shows it. */
export function toUpload(row: UploadRow): Upload {
  const error = row.error === null ? null : (JSON.parse(row.error) as { code: string; message: string });
  return {
    id: row.id,
    offset: row.received,
    length: row.length,
    expires_at: row.expires_at,
    media_id: row.media_id,
    duplicate: row.duplicate === 1,
    error: error && { code: error.code, message: error.message },
  };
}

/** The same, with the labels of it that the item does not have which was there already. */
export async function describeUpload(
  dependencies: Dependencies,
  request: FastifyRequest,
  row: UploadRow,
): Promise<Upload> {
  const { db, publicUrl } = dependencies;
  const media =
    row.duplicate === 1 && row.media_id !== null ? await findMedia(db, row.workspace_id, row.media_id) : undefined;
  if (!media) return toUpload(row);
  const item = await toMediaItem(dependencies, media, getBaseUrl(request, publicUrl));
  const missing = await findMissingLabels(db, row.workspace_id, item, JSON.parse(row.labels) as UploadFields);
  return { ...toUpload(row), ...(missing.length > 0 ? { not_applied: missing } : {}) };
}

/** A row of the list of open uploads as the API shows it. */
export const toOpenUpload = (row: ListedUpload): OpenUpload => ({
  id: row.id,
  filename: row.filename,
  offset: row.received,
  length: row.length,
  sending: row.sending === 1,
  created_by: row.person,
  created_at: row.created_at,
  expires_at: row.expires_at,
});

/** Says in headers how far an upload has come. */
export function sendUploadHeaders(reply: FastifyReply, row: UploadRow): void {
  void reply.header('Upload-Offset', String(row.received)).header('Cache-Control', 'no-store');
  if (row.ended_at === null) void reply.header('Upload-Expires', new Date(row.expires_at).toUTCString());
  if (row.media_id !== null) void reply.header('Content-Location', `${basePath}/media/${row.media_id}`);
}
