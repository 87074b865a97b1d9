import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { notFoundError } from '../../api-error.ts';
import type { AssetStore } from '../../assets/asset-store.ts';
import { type LostAndFound, expiresAt } from '../../assets/lost-and-found.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { restoreLostMedia } from '../../uploads/restore-lost-media.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';

export type LostMediaDependencies = {
  db: Catalog;
  assets: AssetStore;
  lostAndFound: LostAndFound;
  /** Told after an item was stored. */
  onStored: () => void;
};

/** A large file is read once for its checksum. */
const timeoutSeconds = 600;

/** What a workspace has in lost+found, and its way back: `/manage/lost-media`. */
export function serveLostMedia(app: FastifyInstance, parts: LostMediaDependencies): void {
  const { db, lostAndFound } = parts;
  const listOf = async (workspaceId: string) =>
    (await lostAndFound.list()).filter((lost) => lost.workspace_id === workspaceId);

  serveMemberOperation(app, db, dashboardOperations.listLostMedia, async ({ workspaceId }) => ({
    data: (await listOf(workspaceId)).map((lost) => ({
      id: lost.id,
      filename: lost.filename,
      size: lost.size,
      reason: lost.reason,
      found_at: lost.found_at,
      removed_at: expiresAt(lost),
    })),
  }));

  serveMemberOperation(
    app,
    db,
    dashboardOperations.restoreLostMedia,
    async ({ workspaceId, params }) => {
      const lost = (await listOf(workspaceId)).find(({ id }) => id === params.id);
      if (!lost) throw notFoundError('lost file');
      const { row, duplicate } = await restoreLostMedia(parts, workspaceId, lost);
      parts.onStored();
      return { data: { id: row.id, duplicate } };
    },
    { timeoutSeconds },
  );
}
