import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { restoreFromTrash } from '../../../catalog/trash.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `POST /trash/restore`. */
export function serveRestoreFromTrash(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.restoreFromTrash, async ({ workspaceId, body }) => ({
    data: { ids: await restoreFromTrash(db, workspaceId, body.ids) },
  }));
}
