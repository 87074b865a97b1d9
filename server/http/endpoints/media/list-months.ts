import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { countByMonth } from '../../../catalog/media/media-items.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `GET /media/months`. */
export function serveListMonths(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.listMonths, async ({ workspaceId, query }) => ({
    data: await countByMonth(db, workspaceId, query),
  }));
}
