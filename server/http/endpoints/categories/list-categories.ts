import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { listLabels } from '../../../catalog/labels/labels.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCategory } from './category.ts';

/** `GET /categories`. */
export function serveListCategories(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.listCategories, async ({ workspaceId, query }) => {
    const { rows, total } = await listLabels(db, 'categories', workspaceId, query);
    return { data: rows.map(toCategory), meta: toPageMeta(query, total) };
  });
}
