import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toExport } from './export.ts';

/** `GET /exports/:id`. */
export function serveGetExport(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.getExport, async ({ workspaceId, params, request }) => {
    const found = await dependencies.exports.find(workspaceId, params.id);
    if (!found) throw notFoundError('export');
    return { data: toExport(found, dependencies, getBaseUrl(request, dependencies.publicUrl)) };
  });
}
