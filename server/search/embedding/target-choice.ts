import type { EmbedderReference } from '@media-search/models/embedder';
import { hasModelFiles, locateModel } from '@media-search/models/load-embedder';
import type { FastifyBaseLogger } from 'fastify';
import { findEmbedder, readTargetEmbedder, setTargetEmbedder } from '../../catalog/embedders.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { modelDirectory } from '../../platform/storage/data-directory.ts';
import { chooseEmbedder, type EmbedderChoice, type Trials } from './choose-embedder.ts';

/** Where the target embedder comes from. */
export type TargetChoice = {
  /** Chooses it, and stores it in the catalog. */
  choose(trials: Trials): Promise<EmbedderChoice>;
  /** An embedder of the catalog as this machine loads it. */
  find(id: string): Promise<EmbedderReference | null>;
};

type Parts = {
  db: Catalog;
  dataDirectory: string;
  /** `auto`, `builtin`, `descriptors`, the name of a preset or a folder. */
  setting: string;
  log: Pick<FastifyBaseLogger, 'error'>;
};

const namesOfEmbedders = {
  builtin: 'The built-in embedder is',
  descriptors: 'The descriptors are',
  semantic: 'The model is',
};

/** The settings of this process, which is the only one, decide at each start. */
export const createOwnTarget = (parts: Parts): TargetChoice => ({
  async choose(trials) {
    const chosen = await chooseEmbedder(parts, trials);
    const { problem, reference } = chosen;
    if (problem !== null) parts.log.error(`${problem} ${namesOfEmbedders[reference.kind]} used instead.`);
    await setTargetEmbedder(parts.db, reference);
    return chosen;
  },
  find: (id) => findEmbedder(parts.db, id),
});

/**
 * The catalog decides, for all processes: settings that differ would have them embed everything in turns. A first start chooses by its
 * settings, `admin model use` later. A process without the model's files says so.
 * @param atStart does what one process at a time may do at its start
 */
export function createSharedTarget(
  parts: Parts,
  atStart: <Result>(work: () => Promise<Result>) => Promise<Result>,
): TargetChoice {
  const models = modelDirectory(parts.dataDirectory);
  return {
    async choose(trials) {
      const target = await readTargetEmbedder(parts.db);
      if (!target) {
        return atStart(async () => {
          const isFirst = (await readTargetEmbedder(parts.db)) === null;
          return isFirst ? createOwnTarget(parts).choose(trials) : this.choose(trials);
        });
      }
      const reference = locateModel(target, models);
      const problem = hasModelFiles(reference)
        ? null
        : `The model ${reference.id} is missing on this machine; copy its folder into ${models}, or run admin model pull.`;
      if (problem !== null) parts.log.error(problem);
      return { reference, missing: null, problem };
    },
    async find(id) {
      const reference = await findEmbedder(parts.db, id);
      return reference && locateModel(reference, models);
    },
  };
}
