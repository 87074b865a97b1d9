import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { deleteUpload } from '../../../catalog/uploads.ts';
import { removeUploadFiles } from '../../../uploads/resumable/finish-upload.ts';
import { holdUpload } from '../../../uploads/resumable/hold-upload.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /uploads/:id`: whoever still writes to it ends first. */
export function serveDeleteUpload(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(app, operations.deleteUpload, async ({ workspaceId, params, request, signal }) => {
    await withoutSlot(request, () =>
      holdUpload(dependencies, workspaceId, params.id, signal, async ({ row }) => {
        // Files first: a crash in between leaves a row, which expires, and no file without one.
        await removeUploadFiles(dependencies, row);
        await deleteUpload(db, workspaceId, row.id);
      }),
    );
    return { data: undefined };
  });
}
