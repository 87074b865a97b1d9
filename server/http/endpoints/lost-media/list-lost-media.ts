import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { expiresAt } from '../../../assets/lost-and-found.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { listLostItems } from './find-lost-media.ts';

/** `GET /manage/lost-media`. */
export function serveListLostMedia(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.listLostMedia, async ({ workspaceId }) => ({
    data: (await listLostItems(dependencies, workspaceId)).map((lost) => ({
      id: lost.id,
      filename: lost.filename,
      size: lost.size,
      reason: lost.reason,
      found_at: lost.found_at,
      removed_at: expiresAt(lost),
    })),
  }));
}
