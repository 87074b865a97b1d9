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
  serveOperation(app, operations.createExport, async ({ workspaceId, body, request, reply }) => {
    const baseUrl = getBaseUrl(request, publicUrl);
    const linkTo = (mediaId: string, start: number | null) =>
      `${baseUrl}/media/${mediaId}${start === null ? '' : `?t=${Math.round(start * 1000) / 1000}`}`;
    const entry = exports.start({ ...(await planExport(db, workspaceId, body)), linkTo });
    void reply.header('Location', `${basePath}/exports/${entry.id}`);
    return { data: await toExport(entry, dependencies, baseUrl) };
  });
}
