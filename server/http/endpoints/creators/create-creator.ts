import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { createLabel } from '../../../catalog/labels/labels.ts';
import { alreadyExistsError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createOnce } from '../../operations/idempotency.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCreator } from './creator.ts';

const operation = operations.createCreator;

/** `POST /creators`. */
export function serveCreateCreator(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operation, (input) =>
    createOnce(dependencies, operation, input, async (transaction) => {
      const row = await createLabel(transaction, 'creators', input.workspaceId, input.body);
      if (!row) throw alreadyExistsError('creator', input.body.name);
      return toCreator(row);
    }),
  );
}
