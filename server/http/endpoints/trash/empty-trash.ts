import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { emptyTrash } from '../../../uploads/trash-removal.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /trash`. */
export function serveEmptyTrash(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(
    app,
    operations.emptyTrash,
    async ({ workspaceId, signal }) => ({ data: await emptyTrash(dependencies, workspaceId, signal) }),
    // Some milliseconds for each of any number of items.
    { timeoutSeconds: null },
  );
}
