import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findChunksById } from '../../../catalog/media/chunks.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toClip } from './search-hit.ts';

/** `GET /media/clips`. */
export function serveListClips(app: FastifyInstance, { db, secrets, publicUrl }: Dependencies): void {
  serveOperation(app, operations.listClips, async ({ workspaceId, query, request }) => {
    const ids = query.ids.split(',');
    const found = new Map((await findChunksById(db, workspaceId, ids)).map((chunk) => [chunk.id, chunk]));
    const baseUrl = getBaseUrl(request, publicUrl);
    return {
      data: ids.flatMap((id) => {
        const chunk = found.get(id);
        return chunk ? [toClip(chunk, workspaceId, secrets, baseUrl)] : [];
      }),
    };
  });
}
