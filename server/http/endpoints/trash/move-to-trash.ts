import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { moveToTrash } from '../../../catalog/media/trash.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `POST /trash`. */
export function serveMoveToTrash(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.moveToTrash, async ({ workspaceId, body }) => ({
    data: { ids: await moveToTrash(db, workspaceId, body.ids) },
  }));
}
