import type { FastifyBaseLogger } from 'fastify';
import { listWorkspaces } from '../catalog/accounts/workspaces.ts';
import type { IndexingService } from '../jobs/indexing-service.ts';
import type { SpeechService } from '../jobs/speech-service.ts';
import type { Leader } from '../messaging/leader/leader.ts';
import type { Storage } from './open-storage.ts';
import type { SearchServices } from './start-search.ts';

type Parts = Pick<SearchServices, 'embedding' | 'search'> & {
  storage: Storage;
  speech: SpeechService;
  updates: WorkspaceUpdates;
  /** The workers of this process; null when it has none. */
  indexing: IndexingService | null;
  leader: Leader;
  log: FastifyBaseLogger;
};

/**
 * Where this process is the whole service: brings each workspace up to date, and uses the models of the settings as soon as they are downloaded.
 * @param workspaces their identifiers
 */
export function followDownloads({ embedding, speech, updates, indexing }: Parts, workspaces: string[]): void {
  for (const id of workspaces) void updates.update(id);
  embedding.downloadMissing((target) => {
    indexing?.setTargetEmbedder(target);
    // Workspaces without any items have nothing to wait for.
    for (const id of workspaces) void updates.switchEmbedder(id);
  });
  speech.downloadMissing((model) => indexing?.setSpeechModel(model));
}

/** Where there are other processes: follows what they change. */
export function followProcesses(parts: Parts): void {
  const { embedding, storage, updates, indexing, leader, log } = parts;
  const { db, pubsub } = storage;
  const switchAll = async () => {
    for (const { id } of await listWorkspaces(db)) await updates.switchEmbedder(id);
  };
  const lookAgain = () => {
    const look = async () => {
      await embedding.lookAgain((target) => indexing?.setTargetEmbedder(target));
      // Workspaces without any items have nothing to wait for.
      if (leader.isLeading()) await switchAll();
    };
    look().catch((error: unknown) => log.error({ err: error }, 'a change of the model was not followed'));
  };
  pubsub.subscribe('models', lookAgain);
  pubsub.subscribe('workspace', (id) => embedding.forgetActive(id));
  pubsub.onGap(lookAgain);
  followItems(parts);
  // A process may have ended between the last job of a workspace and the change of its embedder.
  leader.whileLeading('changing embedders', async () => {
    await switchAll();
    return { stop: () => Promise.resolve() };
  });
}

/** Has the index of a workspace that is searched follow its changes before the next search waits for that. */
function followItems({ search, storage: { pubsub }, log }: Parts): void {
  const underWay = new Set<string>();
  pubsub.subscribe('events', (workspaceId) => {
    // Notices come for each event; what one does not find the next does, or the next search.
    if (underWay.has(workspaceId)) return;
    underWay.add(workspaceId);
    search
      .warm(workspaceId)
      .catch((error: unknown) => log.warn({ err: error }, 'a search index did not follow a change'))
      .finally(() => underWay.delete(workspaceId));
  });
}

export type WorkspaceUpdates = ReturnType<typeof createWorkspaceUpdates>;

/** What a workspace needs after its items were indexed, and at a start. Failures are logged and never thrown. */
export function createWorkspaceUpdates(
  { embedding, search, highlights, stopping }: SearchServices,
  { db, pubsub }: Storage,
  log: FastifyBaseLogger,
) {
  const switchEmbedder = async (workspaceId: string) => {
    try {
      if (await embedding.switchWhenEmbedded(workspaceId)) await pubsub.publish(db, 'workspace', workspaceId);
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
