import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { listShares } from '../../../catalog/shares/shares.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toShare } from './share.ts';

/** `GET /shares`. */
export function serveListShares(app: FastifyInstance, { db, secrets, publicUrl }: Dependencies): void {
  serveOperation(app, operations.listShares, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listShares(db, workspaceId, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    return { data: rows.map((row) => toShare(row, secrets, baseUrl)), meta: toPageMeta(query, total) };
  });
}
