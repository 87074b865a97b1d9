import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findLabel } from '../../../catalog/labels/labels.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCategory } from './category.ts';

/** `GET /categories/:id`. */
export function serveGetCategory(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.getCategory, async ({ workspaceId, params }) => {
    const row = await findLabel(db, 'categories', workspaceId, params.id);
    if (!row) throw notFoundError('category');
    return { data: toCategory(row) };
  });
}
