import type { FastifyReply } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import type { OpenUpload, Upload } from '../../../../contract/uploads.ts';
import type { ListedUpload, UploadRow } from '../../../catalog/uploads.ts';

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
