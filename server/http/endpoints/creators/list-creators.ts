import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { listLabels } from '../../../catalog/labels/labels.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCreator } from './creator.ts';

/** `GET /creators`. */
export function serveListCreators(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.listCreators, async ({ workspaceId, query }) => {
    const { rows, total } = await listLabels(db, 'creators', workspaceId, query);
    return { data: rows.map(toCreator), meta: toPageMeta(query, total) };
  });
}
