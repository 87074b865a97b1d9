import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { restoreLostMedia } from '../../../uploads/restore-lost-media.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { listLostItems } from './find-lost-media.ts';

/** A large file takes time: all of it is read for its checksum. */
const timeoutSeconds = 600;

/** `POST /manage/lost-media/:id/restore`. */
export function serveRestoreLostMedia(app: FastifyInstance, dependencies: Dependencies): void {
  serveMemberOperation(
    app,
    dependencies.db,
    dashboardOperations.restoreLostMedia,
    async ({ workspaceId, params }) => {
      const lost = (await listLostItems(dependencies, workspaceId)).find(({ id }) => id === params.id);
      if (!lost) throw notFoundError('lost file');
      const { row, duplicate } = await restoreLostMedia(dependencies, workspaceId, lost);
      dependencies.onStored();
      return { data: { id: row.id, duplicate } };
    },
    { timeoutSeconds },
  );
}
