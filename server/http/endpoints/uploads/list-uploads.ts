import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { readReserved } from '../../../catalog/accounts/quota.ts';
import { listOpenUploads } from '../../../catalog/media/uploads.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toOpenUpload } from './upload.ts';

/** `GET /uploads`. */
export function serveListUploads(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.listUploads, async ({ workspaceId, query }) => {
    const reserved = await readReserved(db, workspaceId);
    const rows = await listOpenUploads(db, workspaceId, query);
    return {
      data: rows.map(toOpenUpload),
      meta: { ...toPageMeta(query, reserved.items), storage_bytes: reserved.bytes },
    };
  });
}
