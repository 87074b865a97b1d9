import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import { alreadyExistsError } from '../../../api-error.ts';
import { createLabel } from '../../../catalog/labels.ts';
import { inWorkspace } from '../../../catalog/transactions.ts';
import type { Dependencies } from '../../dependencies.ts';
import { replay, withIdempotencyKey } from '../../operations/idempotency.ts';
import { type OperationResult, serveOperation } from '../../operations/serve-operation.ts';
import { toCreator } from './creator.ts';

const operation = operations.createCreator;

/** `POST /creators`. */
export function serveCreateCreator(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(app, operation, ({ workspaceId, body, request, reply }) =>
    withIdempotencyKey(dependencies, operation, request, async (idempotent) => {
      const earlier = idempotent.findStoredResponse(body);
      if (earlier)
        return replay<OperationResult<typeof operation>>(reply, { ...earlier, body: { data: earlier.body } });
      const { creator, headers } = await inWorkspace(db, workspaceId, async (transaction) => {
        const row = await createLabel(transaction, 'creators', workspaceId, body);
        if (!row) throw alreadyExistsError('creator', body.name);
        const created = { creator: toCreator(row), headers: { Location: `${basePath}/creators/${row.id}` } };
        await idempotent.storeResponse(transaction, { status: 201, headers: created.headers, body: created.creator });
        return created;
      });
      void reply.headers(headers);
      return { data: creator };
    }),
  );
}
