import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { createGroup } from '../../../catalog/labels/item-groups.ts';
import { alreadyExistsError, countLimitError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createOnce } from '../../operations/idempotency.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toTag } from './tag.ts';

const operation = operations.createTag;

/** `POST /tags`. */
export function serveCreateTag(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operation, (input) =>
    createOnce(dependencies, operation, input, async (transaction) => {
      const row = await createGroup(transaction, 'tags', input.workspaceId, input.body.name);
      if (row === 'taken') throw alreadyExistsError('tag', input.body.name);
      if (row === 'full') throw countLimitError('tags');
      return toTag(row);
    }),
  );
}
