import type { FastifyBaseLogger } from 'fastify';
import { findEmbedder, readActiveEmbedder, setTargetEmbedder, switchEmbedderWhenReady } from '../catalog/embedders.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { EmbedderReference } from '../models/embedder.ts';
import { builtinReference } from '../models/load-embedder.ts';
import { chooseEmbedder, type EmbedderChoice } from './choose-embedder.ts';
import { type ModelDownload, startModelDownload } from './model-download.ts';
import { createTextEmbedders, type QueryEmbedder } from './text-embedders.ts';

export type EmbedderService = Awaited<ReturnType<typeof startEmbedderService>>;

/**
 * Which embedder answers in which workspace, which one everything is to be embedded with, and the change from the one to the
 * other. Never waits for the network.
 */
export async function startEmbedderService(parts: {
  db: Catalog;
  dataDirectory: string;
  /** `auto`, `builtin`, the name of a preset or a folder. */
  setting: string;
  hub: string;
  log: FastifyBaseLogger;
}) {
  const { db, log } = parts;
  const texts = createTextEmbedders();
  const embedders = new Map<string, QueryEmbedder>();
  /** By workspace; as read from the catalog. */
  const active = new Map<string, QueryEmbedder>();
  let onTargetChange: (target: EmbedderReference) => void = () => undefined;
  let choice = await choose();
  let download: ModelDownload | undefined;
  async function choose(): Promise<EmbedderChoice> {
    const chosen = await chooseEmbedder(parts, texts.tryModel);
    if (chosen.problem !== null) log.error(`${chosen.problem} The built-in embedder is used instead.`);
    await setTargetEmbedder(db, chosen.reference);
    // The weights are read now, so that the first to search does not wait for them.
    getEmbedder(chosen.reference)
      .embedText('warm')
      .catch((error: unknown) => log.error({ err: error }, 'the embedder cannot be run'));
    return chosen;
  }

  async function changeTarget(): Promise<void> {
    choice = await choose();
    active.clear();
    log.info({ embedder: choice.reference.id }, 'everything is being embedded anew');
    onTargetChange(choice.reference);
  }

  function getEmbedder(reference: EmbedderReference): QueryEmbedder {
    const known = embedders.get(reference.id) ?? texts.createQueryEmbedder(reference);
    embedders.set(reference.id, known);
    return known;
  }

  return {
    /** What everything is to be embedded with. */
    target: (): EmbedderReference => choice.reference,
    problem: (): string | null => choice.problem,
    download: () => download?.progress() ?? null,
    /** Begins to fetch a model that is wanted and not here. @param listener is called with each later target */
    downloadMissing(listener: (target: EmbedderReference) => void): void {
      onTargetChange = listener;
      if (!choice.missing) return;
      download = startModelDownload(choice.missing, {
        ...parts,
        onDone: () => void changeTarget().catch((error: unknown) => log.error({ err: error }, 'the model is not used')),
      });
    },

    /** The embedder whose vectors answer in a workspace. */
    async getActiveEmbedder(workspaceId: string): Promise<QueryEmbedder> {
      const known = active.get(workspaceId);
      if (known) return known;
      const id = await readActiveEmbedder(db, workspaceId);
      const reference = id === null || id === choice.reference.id ? choice.reference : await findEmbedder(db, id);
      const embedder = getEmbedder(reference ?? builtinReference);
      active.set(workspaceId, embedder);
      return embedder;
    },

    /** Lets the target answer in a workspace when all of it has been embedded. @returns whether it changed */
    async switchWhenEmbedded(workspaceId: string): Promise<boolean> {
      const changed = await switchEmbedderWhenReady(db, workspaceId);
      if (changed) {
        active.delete(workspaceId);
        log.info({ workspace: workspaceId, embedder: choice.reference.id }, 'another embedder answers');
      }
      return changed;
    },

    async stop(): Promise<void> {
      download?.stop();
      await texts.stop();
    },
  };
}
