import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { listGroups } from '../../../catalog/labels/item-groups.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toTag } from './tag.ts';

/** `GET /tags`. */
export function serveListTags(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.listTags, async ({ workspaceId, query }) => {
    const { rows, total } = await listGroups(db, 'tags', workspaceId, query);
    return { data: rows.map(toTag), meta: toPageMeta(query, total) };
  });
}
