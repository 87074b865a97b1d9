import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findLabel } from '../../../catalog/labels/labels.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCreator } from './creator.ts';

/** `GET /creators/:id`. */
export function serveGetCreator(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.getCreator, async ({ workspaceId, params }) => {
    const row = await findLabel(db, 'creators', workspaceId, params.id);
    if (!row) throw notFoundError('creator');
    return { data: toCreator(row) };
  });
}
