import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import { planExport } from '../../../export/plan-export.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toExport } from './export.ts';

/** `POST /exports`. */
export function serveCreateExport(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, exports, publicUrl } = dependencies;
  serveOperation(
    app,
    operations.createExport,
    async ({ workspaceId, body, request, reply }) => {
      const baseUrl = getBaseUrl(request, publicUrl);
      const begun = await exports.start({ ...(await planExport(db, workspaceId, body)), baseUrl });
      void reply.header('Location', `${basePath}/exports/${begun.id}`);
      return { data: toExport(begun, dependencies, baseUrl) };
    },
    { onRequest: ({ workspaceId }) => exports.checkRoom(workspaceId) },
  );
}
