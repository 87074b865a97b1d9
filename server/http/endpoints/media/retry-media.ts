import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import { retryMedia } from '../../../catalog/media/media-items.ts';
import { ApiError, notFoundError, quotaExceededError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toMediaItem } from './media-item.ts';

/** `POST /media/:id/retry`. */
export function serveRetryMedia(
  app: FastifyInstance,
  { db, secrets, recognised, publicUrl, onStored }: Dependencies,
): void {
  serveOperation(app, operations.retryMedia, async ({ workspaceId, params, request, reply }) => {
    const result = await retryMedia(db, workspaceId, params.id, recognised);
    if (!result) throw notFoundError('media item');
    const { row, retried, violation } = result;
    if (violation) throw quotaExceededError(violation);
    if (!retried) {
      throw new ApiError(
        'not_ready',
        `Only an item in status \`error\`, or one of which \`ocr\` or \`speech\` is \`failed\`, can be retried; this one is \`${row.status}\`.`,
      );
    }
    onStored();
    void reply.header('Location', `${basePath}/media/${row.id}`);
    return { data: await toMediaItem({ db, secrets, recognised }, row, getBaseUrl(request, publicUrl)) };
  });
}
