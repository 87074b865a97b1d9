import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Category } from '../../../contract/categories.ts';
import type { Creator } from '../../../contract/creators.ts';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import type { Operation } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import type { idParams } from '../../../contract/parameters.ts';
import {
  createLabel,
  deleteLabel,
  findLabel,
  type LabelKind,
  type LabelRow,
  listLabels,
  updateLabel,
} from '../../catalog/labels/labels.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { alreadyExistsError, notFoundError } from '../../errors/api-error.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOnce } from '../operations/idempotency.ts';
import { serveNamed } from '../operations/serve-named.ts';
import { serveOperation } from '../operations/serve-operation.ts';

/** Creators or categories: an item has at most one of each. */
type Labels<Item> = { kind: LabelKind; noun: string; toItem: (row: LabelRow) => Item };

const creators: Labels<Creator> = {
  kind: 'creators',
  noun: 'creator',
  toItem: ({ id, name, media_count, created_at }) => ({ id, name, media_count, created_at }),
};

const categories: Labels<Category> = {
  kind: 'categories',
  noun: 'category',
  toItem: ({ id, name, description, media_count, created_at }) => ({
    id,
    name,
    description: description ?? '',
    media_count,
    created_at,
  }),
};

/** The operations on creators and categories. */
export function serveLabels(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  const stored = <Item>({ kind, noun, toItem }: Labels<Item>) => ({
    noun,
    list: (workspaceId: string, query: Parameters<typeof listLabels>[3]) => listLabels(db, kind, workspaceId, query),
    find: (workspaceId: string, id: string) => findLabel(db, kind, workspaceId, id),
    show: (rows: LabelRow[]) => rows.map(toItem),
  });
  serveNamed(app, { list: operations.listCreators, get: operations.getCreator }, stored(creators));
  serveNamed(app, { list: operations.listCategories, get: operations.getCategory }, stored(categories));

  serveOperation(app, operations.createCreator, (input) =>
    createOnce(dependencies, operations.createCreator, input, async (transaction) => {
      const row = await createLabel(transaction, 'creators', input.workspaceId, input.body);
      if (!row) throw alreadyExistsError('creator', input.body.name);
      return creators.toItem(row);
    }),
  );
}

/** The operations on creators and categories that the dashboard alone offers. */
export function manageLabels(app: FastifyInstance, { db }: Pick<Dependencies, 'db'>): void {
  const { createCategory, updateCategory, deleteCategory, renameCreator, deleteCreator } = dashboardOperations;
  serveMemberOperation(app, db, createCategory, async ({ workspaceId, body }) => {
    const row = await createLabel(db, 'categories', workspaceId, body);
    if (!row) throw alreadyExistsError('category', body.name);
    return { data: categories.toItem(row) };
  });
  serveChanges(app, db, categories, { change: updateCategory, remove: deleteCategory });
  serveChanges(app, db, creators, { change: renameCreator, remove: deleteCreator });
}

type ById = Operation & { params: typeof idParams };

function serveChanges<Item, Changes extends Parameters<typeof updateLabel>[4]>(
  app: FastifyInstance,
  db: Catalog,
  { kind, noun, toItem }: Labels<Item>,
  {
    change,
    remove,
  }: {
    change: ById & { body: z.ZodType<Changes>; data: z.ZodType<Item> };
    remove: ById & { data: z.ZodType<{ id: string; deleted: true }> };
  },
): void {
  serveMemberOperation(app, db, remove, async ({ workspaceId, params }) => {
    if (!(await deleteLabel(db, kind, workspaceId, params.id))) throw notFoundError(noun);
    return { data: { id: params.id, deleted: true as const } };
  });

  serveMemberOperation(app, db, change, async ({ workspaceId, params, body }) => {
    const row = await updateLabel(db, kind, workspaceId, params.id, body);
    if (!row) throw notFoundError(noun);
    if (row === 'taken') throw alreadyExistsError(noun, body.name ?? '');
    return { data: toItem(row) };
  });
}
