import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import type { Category } from '../../../contract/categories.ts';
import type { Creator } from '../../../contract/creators.ts';
import { operations } from '../../../contract/operations.ts';
import { ApiError, notFoundError } from '../../api-error.ts';
import { createLabel, findLabel, type LabelRow, listLabels } from '../../catalog/labels.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { replayHeaders, withIdempotencyKey } from '../operations/idempotency.ts';
import { toPageMeta } from '../operations/pagination.ts';
import { serveOperation } from '../operations/serve-operation.ts';

export const toCreator = ({ id, name, media_count, created_at }: LabelRow): Creator => ({
  id,
  name,
  media_count,
  created_at,
});

export const toCategory = ({ id, name, description, media_count, created_at }: LabelRow): Category => ({
  id,
  name,
  description: description ?? '',
  media_count,
  created_at,
});

export const alreadyExistsError = (what: string, name: string): ApiError =>
  new ApiError('already_exists', `There is a ${what} named ${name} already.`);

/** `GET` and `POST /creators`, `GET /creators/:id`, `GET /categories`, `GET /categories/:id`. */
export function serveCreatorsAndCategories(app: FastifyInstance, { db }: { db: Catalog }): void {
  serveOperation(app, operations.listCreators, async ({ workspaceId, query }) => {
    const { rows, total } = await listLabels(db, 'creators', workspaceId, query);
    return { data: rows.map(toCreator), meta: toPageMeta(query, total) };
  });

  serveOperation(app, operations.createCreator, ({ workspaceId, body, request, reply }) =>
    withIdempotencyKey(db, operations.createCreator, request, async (repetition) => {
      const kept = repetition.findStoredResponse(body);
      if (kept) {
        replayHeaders(reply, kept);
        return { status: kept.status, data: kept.body as Creator };
      }
      const created = await db.transaction().execute(async (transaction) => {
        const row = await createLabel(transaction, 'creators', workspaceId, body);
        if (!row) throw alreadyExistsError('creator', body.name);
        const headers = { Location: `${basePath}/creators/${row.id}` };
        await repetition.storeResponse(transaction, { status: 201, headers, body: toCreator(row) });
        return { row, headers };
      });
      void reply.headers(created.headers);
      return { data: toCreator(created.row) };
    }),
  );

  serveOperation(app, operations.getCreator, async ({ workspaceId, params }) => {
    const row = await findLabel(db, 'creators', workspaceId, params.id);
    if (!row) throw notFoundError('creator');
    return { data: toCreator(row) };
  });

  serveOperation(app, operations.listCategories, async ({ workspaceId, query }) => {
    const { rows, total } = await listLabels(db, 'categories', workspaceId, query);
    return { data: rows.map(toCategory), meta: toPageMeta(query, total) };
  });

  serveOperation(app, operations.getCategory, async ({ workspaceId, params }) => {
    const row = await findLabel(db, 'categories', workspaceId, params.id);
    if (!row) throw notFoundError('category');
    return { data: toCategory(row) };
  });
}
