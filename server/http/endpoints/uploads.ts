import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { uploadFields, type UploadFields } from '../../../contract/media.ts';
import { operations } from '../../../contract/operations.ts';
import { type OpenUpload, type Upload, uploadMetadata } from '../../../contract/uploads.ts';
import type { StoredResponse } from '../../catalog/accounts/idempotency.ts';
import { readReserved } from '../../catalog/accounts/quota.ts';
import { findMedia } from '../../catalog/media/media-items.ts';
import { findUpload, type ListedUpload, listOpenUploads, type UploadRow } from '../../catalog/media/uploads.ts';
import { notFoundError, validationError } from '../../errors/api-error.ts';
import { beginUpload } from '../../uploads/resumable/begin-upload.ts';
import { discardUpload } from '../../uploads/resumable/discard-upload.ts';
import { finishUpload, throwRefusal } from '../../uploads/resumable/finish-upload.ts';
import { holdUpload } from '../../uploads/resumable/hold-upload.ts';
import { findPersonSignedIn } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { withoutSlot } from '../limits/concurrency-limit.ts';
import { findMisspelled } from '../operations/find-misnamed.ts';
import { withIdempotencyKey } from '../operations/idempotency.ts';
import { serveOperation, toPageMeta, validate } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { requireTusVersion } from '../protocol/tus.ts';
import { toMediaItem } from './media-item.ts';
import { findMissingLabels } from './media-uploads.ts';

/** A key of printable ASCII without comma, a space, and base64; the value may be left out. */
const pair = /^([!-+\--~]+)(?: ([A-Za-z0-9+/]*={0,2}))?$/;

/**
 * Reads `Upload-Metadata`. An empty value means: not chosen, as in forms.
 * Throws `validation_error`.
 */
function parseMetadata(header: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const text of header === '' ? [] : header.split(',')) {
    const [, key = '', value = ''] = pair.exec(text.trim()) ?? [];
    if (key === '' || values.has(key) || value.length % 4 !== 0) {
      throw validationError([
        {
          path: 'header.Upload-Metadata',
          message: 'must be pairs of a key, once, and a value in base64, with commas in between',
        },
      ]);
    }
    values.set(key, Buffer.from(value, 'base64').toString());
  }
  return Object.fromEntries([...values].filter(([, value]) => value !== ''));
}

/** A stored upload as the API shows it. */
function toUpload(row: UploadRow): Upload {
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
async function describeUpload(dependencies: Dependencies, request: FastifyRequest, row: UploadRow): Promise<Upload> {
  const { db, publicUrl } = dependencies;
  const media =
    row.duplicate === 1 && row.media_id !== null ? await findMedia(db, row.workspace_id, row.media_id) : undefined;
  if (!media) return toUpload(row);
  const item = await toMediaItem(dependencies, media, getBaseUrl(request, publicUrl));
  const missing = await findMissingLabels(db, row.workspace_id, item, JSON.parse(row.labels) as UploadFields);
  return { ...toUpload(row), ...(missing.length > 0 ? { not_applied: missing } : {}) };
}

/** A row of the list of open uploads as the API shows it. */
const toOpenUpload = (row: ListedUpload): OpenUpload => ({
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

const metadataPath = 'header.Upload-Metadata';

/** `POST /uploads`. */
function serveCreateUpload(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(
    app,
    operations.createUpload,
    ({ workspaceId, headers, request, reply }) =>
      withIdempotencyKey(dependencies, operations.createUpload, request, async (idempotent) => {
        const header = headers['Upload-Metadata'] ?? '';
        const length = headers['Upload-Length'];
        const earlier = idempotent.findStoredResponse([length, header]);
        const begun = earlier && (await findBegun(workspaceId, earlier));
        if (begun) void reply.header('Idempotency-Replayed', 'true');
        else if (earlier) await idempotent.forgetStoredResponse();
        const metadata = parseMetadata(header);
        // Clients send keys of their own, such as `filetype`; one that is nearly a label would lose it.
        const misspelled = findMisspelled(Object.keys(metadata), Object.keys(uploadFields.shape), metadataPath);
        if (misspelled.length > 0) throw validationError(misspelled);
        const upload = {
          length,
          header,
          metadata: validate(uploadMetadata, metadata, metadataPath),
          createdBy: await findPersonSignedIn(db, request, workspaceId),
        };
        const row =
          begun ??
          (await beginUpload(dependencies, workspaceId, upload, (transaction, made) =>
            idempotent.storeResponse(transaction, { status: 201, headers: {}, body: toUpload(made) }),
          ));
        sendUploadHeaders(reply, row);
        void reply.header('Location', `${basePath}/uploads/${row.id}`);
        // In tus only an answer to bytes has this header.
        void reply.removeHeader('Upload-Offset');
        return { data: await describeUpload(dependencies, request, row) };
      }),
    { onRequest: requireTusVersion },
  );

  /** The upload that an earlier request with the same key began. One that was discarded, refused or forgotten meanwhile is none to go on with. */
  async function findBegun(workspaceId: string, { body }: StoredResponse): Promise<UploadRow | undefined> {
    const row = await findUpload(db, workspaceId, (body as Upload).id);
    return row?.error === null ? row : undefined;
  }
}

/**
 * `GET /uploads/:id`, which only reads, and `HEAD`, with which a client asks where to go on: a request that still writes ends first, and an upload
 * whose end was interrupted by a failure is ended.
 */
function serveGetUpload(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  const { getUpload } = operations;
  serveOperation(
    app,
    getUpload,
    async ({ workspaceId, params, request, reply, signal }) => {
      const known = await findUpload(db, workspaceId, params.id);
      if (!known) throw notFoundError('upload');
      const row =
        known.ended_at === null
          ? await withoutSlot(request, () =>
              holdUpload(dependencies, workspaceId, params.id, signal, ({ row }) =>
                row.received === row.length ? finishUpload(dependencies, row) : Promise.resolve(row),
              ),
            )
          : known;
      throwRefusal(row);
      sendUploadHeaders(reply, row);
      void reply.header('Upload-Length', String(row.length));
      if (row.metadata !== '') void reply.header('Upload-Metadata', row.metadata);
      return { data: toUpload(row) };
    },
    { method: 'HEAD', onRequest: requireTusVersion, timeoutSeconds: null },
  );
  serveOperation(app, getUpload, async ({ workspaceId, params, request, reply }) => {
    const row = await findUpload(db, workspaceId, params.id);
    if (!row) throw notFoundError('upload');
    sendUploadHeaders(reply, row);
    void reply.header('Upload-Length', String(row.length));
    return { data: await describeUpload(dependencies, request, row) };
  });
}

/** The operations on uploads. */
export function serveUploads(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveCreateUpload(app, dependencies);

  serveOperation(app, operations.deleteUpload, async ({ workspaceId, params, request, signal }) => {
    await withoutSlot(request, () => discardUpload(dependencies, workspaceId, params.id, signal));
    return { data: undefined };
  });

  serveGetUpload(app, dependencies);

  serveOperation(app, operations.listUploads, async ({ workspaceId, query }) => {
    const reserved = await readReserved(db, workspaceId);
    const rows = await listOpenUploads(db, workspaceId, query);
    return {
      data: rows.map(toOpenUpload),
      meta: { ...toPageMeta(query, reserved.items), storage_bytes: reserved.bytes },
    };
  });
}
