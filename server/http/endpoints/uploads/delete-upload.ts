import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { discardUpload } from '../../../uploads/resumable/discard-upload.ts';
import { holdUpload } from '../../../uploads/resumable/hold-upload.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /uploads/:id`: whoever still writes to it ends first. */
export function serveDeleteUpload(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.deleteUpload, async ({ workspaceId, params, request, signal }) => {
    await withoutSlot(request, () =>
      holdUpload(dependencies, workspaceId, params.id, signal, ({ row }) => discardUpload(dependencies, row)),
    );
    return { data: undefined };
  });
}
