import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findUpload } from '../../../catalog/media/uploads.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { finishUpload, throwRefusal } from '../../../uploads/resumable/finish-upload.ts';
import { holdUpload } from '../../../uploads/resumable/hold-upload.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { requireTusVersion } from '../../protocol/tus.ts';
import { describeUpload, sendUploadHeaders, toUpload } from './upload.ts';

/**
 * `GET /uploads/:id`, which only reads, and `HEAD`, with which a client asks where to go on: a request that still writes ends first, and an upload
 * whose end was interrupted by a failure is ended.
 */
export function serveGetUpload(app: FastifyInstance, dependencies: Dependencies): void {
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
