import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { addSamples } from '../../../uploads/add-samples.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** Drawing all of them takes some seconds; a slow machine gets more. */
const timeoutSeconds = 180;

/** `POST /manage/samples`. */
export function serveLoadSamples(app: FastifyInstance, dependencies: Dependencies): void {
  serveMemberOperation(
    app,
    dependencies.db,
    dashboardOperations.loadSamples,
    async ({ workspaceId, signal }) => ({ data: { added: await addSamples(dependencies, workspaceId, signal) } }),
    { kind: 'heavy', timeoutSeconds },
  );
}
