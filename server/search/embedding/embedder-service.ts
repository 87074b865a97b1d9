import type { EmbedderReference } from '@media-search/models/embedder';
import { builtinReference } from '@media-search/models/load-embedder';
import type { FastifyBaseLogger } from 'fastify';
import { readActiveEmbedder, switchEmbedderWhenReady } from '../../catalog/embedders.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { type ModelDownload, startModelDownload } from '../../platform/model-download.ts';
import type { EmbedderChoice } from './choose-embedder.ts';
import type { TargetChoice } from './target-choice.ts';
import { createTextEmbedders, type QueryEmbedder } from './text-embedders.ts';

export type EmbedderService = Awaited<ReturnType<typeof startEmbedderService>>;

type Parts = {
  db: Catalog;
  dataDirectory: string;
  target: TargetChoice;
  /** Whether this process answers searches. */
  answers: boolean;
  /** Base URL of the hub that models are downloaded from. */
  hub: string;
  log: FastifyBaseLogger;
};

/**
 * The active embedder of each workspace, the target embedder, and the change from one to the other.
 * Never waits for the network.
 */
export async function startEmbedderService(parts: Parts) {
  const { db, log } = parts;
  const texts = createTextEmbedders();
  const embedders = createEmbedderCache(db, parts.target, texts);
  let choice = await choose(parts, texts, embedders);
  let download: ModelDownload | undefined;

  /** Looks again what the target is, and tells when it changed. */
  async function changeTarget(onChange: (target: EmbedderReference) => void): Promise<void> {
    const before = choice.reference.id;
    choice = await choose(parts, texts, embedders);
    embedders.forgetActive();
    if (choice.reference.id === before) return;
    log.info({ embedder: choice.reference.id }, 're-embedding everything with another embedder');
    onChange(choice.reference);
  }

  return {
    /** The target embedder. */
    target: (): EmbedderReference => choice.reference,
    /** Why the embedder that the settings ask for is not used, as a sentence; null when it is. */
    problem: (): string | null => choice.problem,
    /** Progress of the download of a model; null when there is none. */
    download: () => download?.progress() ?? null,

    /** Starts to download the configured model if it is missing. @param onTargetChange is called with each later target */
    downloadMissing(onTargetChange: (target: EmbedderReference) => void): void {
      if (!choice.missing) return;
      const onDone = () =>
        void changeTarget(onTargetChange).catch((error: unknown) =>
          log.error({ err: error }, 'could not switch to the downloaded model'),
        );
      download = startModelDownload(choice.missing, { ...parts, onDone });
    },

    /** To be called when another process may have changed the target. @param onChange is called with a target that is another */
    lookAgain: changeTarget,

    /** To be called when the active embedder of a workspace, or of all, may have changed. */
    forgetActive: (workspaceId?: string): void => embedders.forgetActive(workspaceId),

    /** The active embedder of a workspace. `isOutdated`: another process has made another one active. */
    getActiveEmbedder(workspaceId: string, isOutdated = false): Promise<QueryEmbedder> {
      if (isOutdated) embedders.forgetActive(workspaceId);
      return embedders.getActive(workspaceId, choice.reference);
    },

    /** Makes the target the active embedder of a workspace once all of it is embedded. @returns whether it changed */
    async switchWhenEmbedded(workspaceId: string): Promise<boolean> {
      const changed = await switchEmbedderWhenReady(db, workspaceId);
      if (changed) {
        embedders.forgetActive(workspaceId);
        log.info({ workspace: workspaceId, embedder: choice.reference.id }, 'workspace switched to another embedder');
      }
      return changed;
    },

    async stop(): Promise<void> {
      download?.stop();
      await texts.stop();
    },
  };
}

type TextEmbedders = ReturnType<typeof createTextEmbedders>;
type EmbedderCache = ReturnType<typeof createEmbedderCache>;

/** Chooses the target embedder and stores it in the catalog. */
async function choose(parts: Parts, texts: TextEmbedders, embedders: EmbedderCache): Promise<EmbedderChoice> {
  const chosen = await parts.target.choose(texts);
  // The weights are loaded now, so that the first search does not wait for them.
  if (!parts.answers) return chosen;
  embedders
    .get(chosen.reference)
    .embedText('warm')
    .catch((error: unknown) => parts.log.error({ err: error }, 'the embedder cannot be run'));
  return chosen;
}

/** Embedders in memory, by identifier, and the active one of each workspace. */
function createEmbedderCache(db: Catalog, choice: TargetChoice, texts: TextEmbedders) {
  const embedders = new Map<string, QueryEmbedder>();
  const active = new Map<string, QueryEmbedder>();
  /** How often it was said that something may have changed. */
  let changes = 0;

  function get(reference: EmbedderReference): QueryEmbedder {
    const known = embedders.get(reference.id) ?? texts.createQueryEmbedder(reference);
    embedders.set(reference.id, known);
    return known;
  }

  return {
    get,

    async getActive(workspaceId: string, target: EmbedderReference): Promise<QueryEmbedder> {
      const known = active.get(workspaceId);
      if (known) return known;
      const before = changes;
      const id = await readActiveEmbedder(db, workspaceId);
      const reference = id === null || id === target.id ? target : await choice.find(id);
      const embedder = get(reference ?? builtinReference);
      // What was read before a change is not kept beyond it.
      if (changes === before) active.set(workspaceId, embedder);
      return embedder;
    },

    /** Drops the cached active embedder of a workspace, or of all, so that it is read from the catalog again. */
    forgetActive(workspaceId?: string): void {
      changes += 1;
      if (workspaceId === undefined) active.clear();
      else active.delete(workspaceId);
    },
  };
}
