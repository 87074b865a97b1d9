import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import type { AssetStore } from '../../assets/asset-store.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryPool } from '../../query-workers/query-pool.ts';
import { addSamples } from '../../samples/add-samples.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';

export type SampleRouteDependencies = {
  db: Catalog;
  assets: AssetStore;
  queryPool: QueryPool;
  onStored: () => void;
};

/** Drawing all of them takes some seconds; a slow machine gets more. */
const timeoutSeconds = 180;

/** `POST /manage/samples`. */
export function serveSamples(app: FastifyInstance, dependencies: SampleRouteDependencies): void {
  serveMemberOperation(
    app,
    dependencies.db,
    dashboardOperations.loadSamples,
    async ({ workspaceId, signal }) => ({ data: { added: await addSamples(dependencies, workspaceId, signal) } }),
    { kind: 'heavy', timeoutSeconds },
  );
}
