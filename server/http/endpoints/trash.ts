import { smallPoster } from '@media-search/media/picture-sizes';
import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import { deleteMedia } from '../../catalog/media/media-items.ts';
import { listTrash, moveToTrash, readTrashTotals, removalTime, restoreWithStacks } from '../../catalog/media/trash.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { emptyTrash } from '../../uploads/trash-removal.ts';
import type { Dependencies } from '../dependencies.ts';
import { serveOperation, toPageMeta } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';

/** The operations on trash. */
export function serveTrash(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, noteHistory, publicUrl, removeFiles, secrets } = dependencies;
  serveOperation(app, operations.deleteFromTrash, async ({ workspaceId, params }) => {
    const now = new Date().toISOString();
    if (!(await deleteMedia(db, workspaceId, params.id, now))) throw notFoundError('item in the trash');
    await removeFiles(workspaceId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });

  serveOperation(
    app,
    operations.emptyTrash,
    async ({ workspaceId, signal }) => ({ data: await emptyTrash(dependencies, workspaceId, signal) }),
    // Some milliseconds for each of any number of items.
    { timeoutSeconds: null },
  );

  serveOperation(app, operations.listTrash, async ({ workspaceId, query, request }) => {
    const { items, bytes } = await readTrashTotals(db, workspaceId);
    const rows = await listTrash(db, workspaceId, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    const data = rows.map((row) => ({
      id: row.id,
      filename: row.filename,
      type: row.type,
      duration: row.duration,
      size: row.size,
      thumbnail: row.poster_file === null ? null : signAssetUrl(secrets, baseUrl, row, smallPoster(row.poster_file)),
      placeholder: row.placeholder,
      created_at: row.created_at,
      trashed_at: row.trashed_at,
      removed_at: removalTime(row),
    }));
    return { data, meta: { ...toPageMeta(query, items), storage_bytes: bytes } };
  });

  serveOperation(app, operations.moveToTrash, async ({ workspaceId, body }) => ({
    data: { ids: await moveToTrash(db, workspaceId, body.ids) },
  }));

  // An older copy of the catalog, put back later, has the items in the trash still: it is not to be taken for this one.
  serveOperation(app, operations.restoreFromTrash, async ({ workspaceId, body }) => {
    const ids = await restoreWithStacks(db, workspaceId, body.ids);
    await noteHistory();
    return { data: { ids } };
  });
}
