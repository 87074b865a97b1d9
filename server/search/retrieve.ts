import type { SearchContext } from './search-context.ts';
import { searchTexts, type TextMatch } from './text-search.ts';
import type { Neighbor } from './vector-index.ts';

/** The candidates from vectors and texts, before fusion. */
export type Candidates = { neighbors: Neighbor[]; texts: Map<number, TextMatch> };

/**
 * Finds chunks near the query's vector, and chunks whose texts hold its terms, among those that pass the filter.
 * @param depth the most candidates from each part
 * @param wanted how many hits are wanted
 */
export async function retrieve(context: SearchContext, depth: number, wanted: number): Promise<Candidates> {
  const { selectChunks, index, filter, timer, vector } = context;
  const { workspaceId, vectors } = index;
  const selection = await selectChunks(workspaceId, filter, depth, vectors);
  const neighbors = await timer.time('vector', () => (vector ? vectors.search(vector, depth, selection) : []));
  const candidates = neighbors.map(({ number }) => number);
  const texts = await timer.time('text', () =>
    searchTexts(context, selection, candidates, { count: depth, enough: Math.min(depth, wanted) }),
  );
  return { neighbors, texts };
}
