import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import { deleteMedia } from '../../catalog/media/media-items.ts';
import { listTrash, moveToTrash, readTrashTotals, removalTime, restoreFromTrash } from '../../catalog/media/trash.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { emptyTrash } from '../../uploads/trash-removal.ts';
import type { Dependencies } from '../dependencies.ts';
import { toPageMeta } from '../operations/pagination.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/base-url.ts';

/** `DELETE /trash/:id`. */
export function serveDeleteFromTrash(app: FastifyInstance, { db, removeFiles }: Dependencies): void {
  serveOperation(app, operations.deleteFromTrash, async ({ workspaceId, params }) => {
    const now = new Date().toISOString();
    if (!(await deleteMedia(db, workspaceId, params.id, now))) throw notFoundError('item in the trash');
    await removeFiles(workspaceId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}

/** `DELETE /trash`. */
export function serveEmptyTrash(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(
    app,
    operations.emptyTrash,
    async ({ workspaceId, signal }) => ({ data: await emptyTrash(dependencies, workspaceId, signal) }),
    // Some milliseconds for each of any number of items.
    { timeoutSeconds: null },
  );
}

/** `GET /trash`. */
export function serveListTrash(app: FastifyInstance, { db, secrets, publicUrl }: Dependencies): void {
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
      thumbnail: row.poster_file === null ? null : signAssetUrl(secrets, baseUrl, row, row.poster_file),
      placeholder: row.placeholder,
      created_at: row.created_at,
      trashed_at: row.trashed_at,
      removed_at: removalTime(row),
    }));
    return { data, meta: { ...toPageMeta(query, items), storage_bytes: bytes } };
  });
}

/** `POST /trash`. */
export function serveMoveToTrash(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.moveToTrash, async ({ workspaceId, body }) => ({
    data: { ids: await moveToTrash(db, workspaceId, body.ids) },
  }));
}

/** `POST /trash/restore`. An older copy of the catalog, put back later, has the items in the trash still: it is not to be taken for this one. */
export function serveRestoreFromTrash(app: FastifyInstance, { db, noteHistory }: Dependencies): void {
  serveOperation(app, operations.restoreFromTrash, async ({ workspaceId, body }) => {
    const ids = await restoreFromTrash(db, workspaceId, body.ids);
    await noteHistory();
    return { data: { ids } };
  });
}
