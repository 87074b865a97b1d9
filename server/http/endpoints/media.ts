import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { operations } from '../../../contract/operations.ts';
import { quotaExceededError } from '../../catalog/accounts/quota.ts';
import {
  changeMedia,
  countByMonth,
  deleteMedia,
  findMedia,
  findMediaIdsByChecksum,
  listAspectRatios,
  listMedia,
  listIdsInOrder,
  retryMedia,
} from '../../catalog/media/media-items.ts';
import { ApiError, notFoundError, unknownLabelsError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';
import { serveOperation, toPageMeta } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { toMediaItem, toMediaItems } from './media-item.ts';

/** The operations on items. */
export function serveMedia(
  app: FastifyInstance,
  {
    db,
    onStored,
    publicUrl,
    recognised,
    removeFiles,
    secrets,
  }: Pick<Dependencies, 'db' | 'onStored' | 'publicUrl' | 'recognised' | 'removeFiles' | 'secrets'>,
): void {
  serveOperation(app, operations.checkMedia, async ({ workspaceId, body }) => {
    const ids = await findMediaIdsByChecksum(db, workspaceId, body.sha256);
    return { data: body.sha256.map((sha256) => ({ sha256, media_id: ids.get(sha256) ?? null })) };
  });

  serveOperation(app, operations.deleteMedia, async ({ workspaceId, params }) => {
    if (!(await deleteMedia(db, workspaceId, params.id))) throw notFoundError('media item');
    await removeFiles(workspaceId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });

  serveOperation(app, operations.getMedia, async ({ workspaceId, params, request }) => {
    const row = await findMedia(db, workspaceId, params.id);
    if (!row) throw notFoundError('media item');
    return { data: await toMediaItem({ db, secrets, recognised }, row, getBaseUrl(request, publicUrl)) };
  });

  serveOperation(app, operations.listMedia, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listMedia(db, workspaceId, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    return { data: await toMediaItems({ db, secrets, recognised }, rows, baseUrl), meta: toPageMeta(query, total) };
  });

  serveLists(app, db);

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

  serveOperation(app, operations.updateMedia, async ({ workspaceId, params, body, request }) => {
    const changed = await changeMedia(db, workspaceId, params.id, body);
    if (!changed) throw notFoundError('media item');
    if ('unknown' in changed) throw unknownLabelsError(changed.unknown);
    return { data: await toMediaItem({ db, secrets, recognised }, changed, getBaseUrl(request, publicUrl)) };
  });
}

/** What is told of all items of a filter, beside the items themselves. */
function serveLists(app: FastifyInstance, db: Dependencies['db']): void {
  serveOperation(app, operations.listMediaIds, async ({ workspaceId, query }) => ({
    data: await listIdsInOrder(db, workspaceId, query),
  }));

  serveOperation(app, operations.listAspectRatios, async ({ workspaceId, query }) => ({
    data: await listAspectRatios(db, workspaceId, query),
  }));

  serveOperation(app, operations.listMonths, async ({ workspaceId, query }) => ({
    data: await countByMonth(db, workspaceId, query),
  }));
}
