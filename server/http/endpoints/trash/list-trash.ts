import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { signAssetUrl } from '../../../assets/asset-urls.ts';
import { listTrash, readTrashTotals, removalTime } from '../../../catalog/media/trash.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';

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
