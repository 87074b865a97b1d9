import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Operation } from '../../../contract/operation.ts';
import type { idParams, pageMeta } from '../../../contract/parameters.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { serveOperation, toPageMeta } from './serve-operation.ts';

type ById = Operation & { params: typeof idParams };

/** How things with a name are stored and shown. */
type Named<Row, Item, Query> = {
  /** Such as `tag`. */
  noun: string;
  list: (workspaceId: string, query: Query) => Promise<{ rows: Row[]; total: number }>;
  find: (workspaceId: string, id: string) => Promise<Row | undefined>;
  /** Rows as the API shows them. */
  show: (rows: Row[], request: FastifyRequest) => Item[] | Promise<Item[]>;
};

/** Serves the list of things with a name, and each of them by its identifier. Throws `not_found`. */
export function serveNamed<Row, Item, Query extends { page: number; per_page: number }>(
  app: FastifyInstance,
  operations: {
    list: Operation & { query: z.ZodObject & z.ZodType<Query>; data: z.ZodType<Item[]>; meta: typeof pageMeta };
    get: ById & { data: z.ZodType<Item> };
  },
  { noun, list, find, show }: Named<Row, Item, Query>,
): void {
  serveOperation(app, operations.list, async ({ workspaceId, query, request }) => {
    const { rows, total } = await list(workspaceId, query);
    return { data: await show(rows, request), meta: toPageMeta(query, total) };
  });

  serveOperation(app, operations.get, async ({ workspaceId, params, request }) => {
    const row = await find(workspaceId, params.id);
    if (!row) throw notFoundError(noun);
    const [item] = await show([row], request);
    return { data: item as Item };
  });
}

/** Serves the deletion of a thing with a name. Throws `not_found`. */
export function serveDeletion(
  app: FastifyInstance,
  operation: ById & { data: z.ZodType<{ id: string; deleted: true }> },
  noun: string,
  remove: (workspaceId: string, id: string) => Promise<boolean>,
): void {
  serveOperation(app, operation, async ({ workspaceId, params }) => {
    if (!(await remove(workspaceId, params.id))) throw notFoundError(noun);
    return { data: { id: params.id, deleted: true as const } };
  });
}
