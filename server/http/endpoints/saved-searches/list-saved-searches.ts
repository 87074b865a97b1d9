import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { listSavedSearches } from '../../../catalog/searches/saved-searches.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toSavedSearch } from './saved-search.ts';

/** `GET /saved-searches`. */
export function serveListSavedSearches(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.listSavedSearches, async ({ workspaceId, query }) => {
    const { rows, total } = await listSavedSearches(db, workspaceId, query);
    return { data: rows.map(toSavedSearch), meta: toPageMeta(query, total) };
  });
}
