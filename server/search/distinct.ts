import { deduplicate } from './deduplicate.ts';
import { fuseCandidates } from './fuse.ts';
import type { EngineHit, HitOptions } from './hits.ts';
import { retrieve } from './retrieve.ts';
import type { SearchContext } from './search-context.ts';
import type { WorkspaceIndex } from './workspace-index.ts';

/** Candidates from vectors and from texts for a number of hits. Fewer are hardly faster. */
const candidateDepth = (count: number): number => Math.max(100, 5 * count);

/** The search for distinct hits ends at this depth: deeper candidates are not relevant. */
const maxDepth = 5000;

/** The best hits of a search. With `dedupe` it reads more candidates until there are enough distinct hits, or no more candidates. */
export async function selectHits(context: SearchContext, { count, dedupe }: HitOptions): Promise<EngineHit[]> {
  const { timer, index } = context;
  const find = async (depth: number, wanted: number) => {
    const candidates = await retrieve(context, depth, wanted);
    return timer.time('fuse', () => fuseCandidates(context, candidates, wanted));
  };
  if (!dedupe) return (await find(candidateDepth(count), count)).slice(0, count);
  for (let depth = candidateDepth(count); ; depth *= 4) {
    const hits = await find(depth, Infinity);
    const distinct = await timer.time('dedupe', () => keepDistinct(index, hits, { count, dedupe }));
    if (distinct.length === count || hits.length < depth || depth > maxDepth) return distinct;
  }
}

/** Keeps the first of hits that show the same event; without `dedupe` only of those that are copies of one another. */
export async function keepDistinct(
  { vectors, readThresholds }: WorkspaceIndex,
  hits: EngineHit[],
  { count, dedupe }: HitOptions,
): Promise<EngineHit[]> {
  const thresholds = await readThresholds();
  const similarity = await vectors.pairs(hits.map(({ chunk }) => chunk.number));
  return deduplicate(hits, similarity, dedupe ? thresholds : { ...thresholds, continuation: Infinity }, count);
}
