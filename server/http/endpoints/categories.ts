import type { FastifyInstance } from 'fastify';
import type { Category } from '../../../contract/categories.ts';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { operations } from '../../../contract/operations.ts';
import {
  createLabel,
  deleteLabel,
  findLabel,
  type LabelRow,
  listLabels,
  updateLabel,
} from '../../catalog/labels/labels.ts';
import { alreadyExistsError, notFoundError } from '../../errors/api-error.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { serveNamed } from '../operations/serve-named.ts';

/** A category as the API shows it. */
const toCategory = ({ id, name, description, media_count, created_at }: LabelRow): Category => ({
  id,
  name,
  description: description ?? '',
  media_count,
  created_at,
});

/** The operations on categories. */
export function serveCategories(app: FastifyInstance, { db }: Pick<Dependencies, 'db'>): void {
  serveNamed(
    app,
    { list: operations.listCategories, get: operations.getCategory },
    {
      noun: 'category',
      list: (workspaceId, query) => listLabels(db, 'categories', workspaceId, query),
      find: (workspaceId, id) => findLabel(db, 'categories', workspaceId, id),
      show: (rows) => rows.map(toCategory),
    },
  );
}

/** The operations on categories that the dashboard alone offers. */
export function manageCategories(app: FastifyInstance, { db }: Pick<Dependencies, 'db'>): void {
  serveMemberOperation(app, db, dashboardOperations.createCategory, async ({ workspaceId, body }) => {
    const row = await createLabel(db, 'categories', workspaceId, body);
    if (!row) throw alreadyExistsError('category', body.name);
    return { data: toCategory(row) };
  });

  serveMemberOperation(app, db, dashboardOperations.deleteCategory, async ({ workspaceId, params }) => {
    if (!(await deleteLabel(db, 'categories', workspaceId, params.id))) throw notFoundError('category');
    return { data: { id: params.id, deleted: true as const } };
  });

  serveMemberOperation(app, db, dashboardOperations.updateCategory, async ({ workspaceId, params, body }) => {
    const row = await updateLabel(db, 'categories', workspaceId, params.id, body);
    if (!row) throw notFoundError('category');
    if (row === 'taken') throw alreadyExistsError('category', body.name ?? '');
    return { data: toCategory(row) };
  });
}
