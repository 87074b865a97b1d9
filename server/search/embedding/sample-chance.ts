import { leastSizeForWords } from '@media-search/search-engine/ranking/calibration';
import type { SampledChance } from '@media-search/search-engine/ranking/score-traits';
import { LRUCache } from 'lru-cache';
import { readMediaUsage } from '../../catalog/media/media-totals.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { type ConceptVectorStore, readConceptVectors } from '../highlights/concept-vectors.ts';
import type { Ranker } from '../ranker.ts';
import type { QueryEmbedder } from './text-embedders.ts';

/** Workspaces whose sample is kept, and how long one counts before the next search has it taken again, milliseconds. */
const [maxKept, keptMs] = [1000, 60_000];

type Parts = {
  db: Catalog;
  ranker: Pick<Ranker, 'sampleChance'>;
  /** The vectors of words that nobody picked for any workspace: those of concepts. */
  words: ConceptVectorStore;
  /** Called when a sample could not be taken; searches go on without it. */
  onProblem: (error: unknown) => void;
};

/** Adds to the embedder of a workspace what was sampled there, if anything was yet. */
export type WithChance = (workspaceId: string, embedder: QueryEmbedder) => QueryEmbedder;

/**
 * Samples what words have by chance, for each workspace and each embedder whose margins are taken from a sample: by them a search says that nothing fits, and which hits
 * are weak. A search never waits for it: the first one starts it, and those that follow have it.
 */
export function createChanceSampler({ db, ranker, words, onProblem }: Parts): WithChance {
  const kept = new LRUCache<string, { chance: SampledChance | undefined }, Parameters<WithChance>>({
    max: maxKept,
    ttl: keptMs,
    // What is old counts until there is something newer.
    allowStale: true,
    noDeleteOnStaleGet: true,
    async fetchMethod(_key, before, { context: [workspaceId, embedder] }) {
      try {
        return { chance: await sample(workspaceId, embedder) };
      } catch (error) {
        onProblem(error);
        return { chance: before?.chance };
      }
    },
  });

  async function sample(workspaceId: string, embedder: QueryEmbedder): Promise<SampledChance | undefined> {
    // Most workspaces of tests and trials: for them no words are embedded.
    if ((await readMediaUsage(db, workspaceId)).chunks < leastSizeForWords) return undefined;
    const { file } = await words.read(embedder);
    const found = file === null ? null : await readConceptVectors(file);
    if (!found) return undefined;
    const { dimensions } = embedder;
    const vectors = found.names.map((_, i) => found.values.slice(i * dimensions, (i + 1) * dimensions));
    const chance = await ranker.sampleChance(workspaceId, embedder, vectors);
    // Null: another embedder is active by now.
    return chance === null || chance === 'unknown' ? undefined : chance;
  }

  return (workspaceId, embedder) => {
    if (!embedder.samplesChance) return embedder;
    const key = JSON.stringify([workspaceId, embedder.id]);
    void kept.fetch(key, { context: [workspaceId, embedder] });
    const known = kept.get(key);
    return known?.chance ? { ...embedder, chance: known.chance } : embedder;
  };
}
