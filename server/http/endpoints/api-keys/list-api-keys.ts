import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { listApiKeys } from '../../../catalog/accounts/api-keys.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toApiKey } from './api-key.ts';

/** `GET /manage/api-keys`. */
export function serveListApiKeys(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listApiKeys, async ({ workspaceId }) => ({
    data: (await listApiKeys(db, workspaceId)).map(toApiKey),
  }));
}
