import type { FastifyBaseLogger } from 'fastify';
import type { Storage } from './open-storage.ts';
import type { SearchServices } from './start-search.ts';

export type WorkspaceUpdates = ReturnType<typeof createWorkspaceUpdates>;

/** What a workspace needs after its items were indexed, and at a start. Failures are logged and never thrown. */
export function createWorkspaceUpdates(
  { embedding, search, highlights, stopping }: SearchServices,
  { db, notices }: Storage,
  log: FastifyBaseLogger,
) {
  const switchEmbedder = async (workspaceId: string) => {
    try {
      if (await embedding.switchWhenEmbedded(workspaceId)) await notices.publish(db, 'workspace', workspaceId);
    } catch (error) {
      log.error({ err: error }, 'the embedder was not changed');
    }
  };
  return {
    switchEmbedder,

    /** Switches to the target embedder once everything is embedded with it; then brings the search index and the rankings up to date. */
    async update(workspaceId: string): Promise<void> {
      await switchEmbedder(workspaceId);
      await search.warm(workspaceId).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'search index not built');
      });
      await highlights.refreshRankings(workspaceId).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'rankings of highlights not refreshed');
      });
    },
  };
}
