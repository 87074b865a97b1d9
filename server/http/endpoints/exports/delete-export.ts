import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /exports/:id`. */
export function serveDeleteExport(app: FastifyInstance, { exports }: Dependencies): void {
  serveOperation(app, operations.deleteExport, async ({ workspaceId, params }) => {
    const found = await exports.find(workspaceId, params.id);
    if (!found) throw notFoundError('export');
    await exports.cancel(workspaceId, found.id);
    return { data: { id: found.id, deleted: true as const } };
  });
}
