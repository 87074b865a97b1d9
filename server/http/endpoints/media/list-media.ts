import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { listMedia } from '../../../catalog/media/media-items.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toMediaItems } from './media-item.ts';

/** `GET /media`. */
export function serveListMedia(app: FastifyInstance, { db, secrets, recognised, publicUrl }: Dependencies): void {
  serveOperation(app, operations.listMedia, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listMedia(db, workspaceId, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    return { data: await toMediaItems({ db, secrets, recognised }, rows, baseUrl), meta: toPageMeta(query, total) };
  });
}
