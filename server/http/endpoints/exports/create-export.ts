import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import type { StoredResponse } from '../../../catalog/accounts/idempotency.ts';
import { inWorkspace } from '../../../catalog/transactions.ts';
import type { Export } from '../../../delivery/export/exports.ts';
import { planExport } from '../../../delivery/export/plan-export.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withIdempotencyKey } from '../../operations/idempotency.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toExport } from './export.ts';

const operation = operations.createExport;

/** `POST /exports`. */
export function serveCreateExport(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, exports, publicUrl } = dependencies;
  serveOperation(
    app,
    operation,
    ({ workspaceId, body, request, reply }) =>
      withIdempotencyKey(dependencies, operation, request, async (idempotent) => {
        const baseUrl = getBaseUrl(request, publicUrl);
        const earlier = idempotent.findStoredResponse(body);
        let begun = earlier && (await findBegun(workspaceId, earlier));
        if (begun) void reply.header('Idempotency-Replayed', 'true');
        else {
          if (earlier) await idempotent.forgetStoredResponse();
          const started = await exports.start({ ...(await planExport(db, workspaceId, body)), baseUrl });
          // The stored response names the export only: its state and its signed URL change. Where storing fails, no client learns of the export, so it is given up.
          const response = { status: 201, headers: {}, body: { id: started.id } };
          await inWorkspace(db, workspaceId, (transaction) => idempotent.storeResponse(transaction, response));
          begun = started;
        }
        void reply.header('Location', `${basePath}/exports/${begun.id}`);
        return { data: toExport(begun, dependencies, baseUrl) };
      }),
    // One that repeats a key is answered although all places are taken.
    {
      onRequest: async ({ workspaceId, headers }) => {
        if (headers['idempotency-key'] === undefined) await exports.checkRoom(workspaceId);
      },
    },
  );

  /** The export that an earlier request with the same key began. One that failed, was cancelled or has expired is none to wait for. */
  async function findBegun(workspaceId: string, { body }: StoredResponse): Promise<Export | undefined> {
    const found = await exports.find(workspaceId, (body as { id: string }).id);
    return found?.status === 'error' ? undefined : found;
  }
}
