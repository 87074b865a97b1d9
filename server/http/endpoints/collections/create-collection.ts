import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { createGroup } from '../../../catalog/labels/item-groups.ts';
import { alreadyExistsError, countLimitError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createOnce } from '../../operations/idempotency.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCollection } from './collection.ts';

const operation = operations.createCollection;

/** `POST /collections`. */
export function serveCreateCollection(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operation, (input) =>
    createOnce(dependencies, operation, input, async (transaction) => {
      const row = await createGroup(transaction, 'collections', input.workspaceId, input.body.name);
      if (row === 'taken') throw alreadyExistsError('collection', input.body.name);
      if (row === 'full') throw countLimitError('collections');
      return toCollection({ ...dependencies, db: transaction }, input.request, row);
    }),
  );
}
