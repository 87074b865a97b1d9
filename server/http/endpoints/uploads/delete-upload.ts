import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { discardUpload } from '../../../uploads/resumable/discard-upload.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /uploads/:id`. */
export function serveDeleteUpload(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.deleteUpload, async ({ workspaceId, params, request, signal }) => {
    await withoutSlot(request, () => discardUpload(dependencies, workspaceId, params.id, signal));
    return { data: undefined };
  });
}
