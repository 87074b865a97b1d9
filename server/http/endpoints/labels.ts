import type { FastifyInstance } from 'fastify';
import type { Creator } from '../../../contract/creators.ts';
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
import { createOnce } from '../operations/idempotency.ts';
import { serveNamed } from '../operations/serve-named.ts';
import { serveOperation } from '../operations/serve-operation.ts';

/** A creator as the API shows it. */
const toCreator = ({ id, name, media_count, created_at }: LabelRow): Creator => ({
  id,
  name,
  media_count,
  created_at,
});

/** The operations on creators. */
export function serveCreators(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveNamed(
    app,
    { list: operations.listCreators, get: operations.getCreator },
    {
      noun: 'creator',
      list: (workspaceId, query) => listLabels(db, 'creators', workspaceId, query),
      find: (workspaceId, id) => findLabel(db, 'creators', workspaceId, id),
      show: (rows) => rows.map(toCreator),
    },
  );

  serveOperation(app, operations.createCreator, (input) =>
    createOnce(dependencies, operations.createCreator, input, async (transaction) => {
      const row = await createLabel(transaction, 'creators', input.workspaceId, input.body);
      if (!row) throw alreadyExistsError('creator', input.body.name);
      return toCreator(row);
    }),
  );
}

/** The operations on creators that the dashboard alone offers. */
export function manageCreators(app: FastifyInstance, { db }: Pick<Dependencies, 'db'>): void {
  serveMemberOperation(app, db, dashboardOperations.deleteCreator, async ({ workspaceId, params }) => {
    if (!(await deleteLabel(db, 'creators', workspaceId, params.id))) throw notFoundError('creator');
    return { data: { id: params.id, deleted: true as const } };
  });

  serveMemberOperation(app, db, dashboardOperations.renameCreator, async ({ workspaceId, params, body }) => {
    const row = await updateLabel(db, 'creators', workspaceId, params.id, body);
    if (!row) throw notFoundError('creator');
    if (row === 'taken') throw alreadyExistsError('creator', body.name);
    return { data: toCreator(row) };
  });
}
