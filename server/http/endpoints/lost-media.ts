import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { expiresAt, type LostItem } from '../../assets/lost-and-found.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { restoreLostMedia } from '../../uploads/restore-lost-media.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';

/** The files of a workspace in lost+found. */
async function listLostItems({ lostAndFound }: Dependencies, workspaceId: string): Promise<LostItem[]> {
  return (await lostAndFound.list()).filter((lost) => lost.workspace_id === workspaceId);
}

/** `GET /manage/lost-media`. */
function serveListLostMedia(app: FastifyInstance, dependencies: Dependencies): void {
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

/** A large file takes time: all of it is read for its checksum. */
const timeoutSeconds = 600;

/** The operations on files in lost+found. */
export function serveLostMedia(app: FastifyInstance, dependencies: Dependencies): void {
  serveListLostMedia(app, dependencies);

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
