import { backgroundOf, standardScore } from './calibration.ts';
import { embedText } from './embed-text.ts';
import type { SearchContext } from './search-context.ts';

/** Chunks whose texts hold what is excluded, at most; the best of them. */
const maxExcluded = 100_000;
/** What is excluded is compared with images for the first few phrases only: each is embedded. The others count in texts. */
const maxComparedPhrases = 10;
/** From this standard score on, an image counts as showing what is excluded. */
const minExcludedScore = 2;

/** The chunks that show or say what the query excludes: of the whole workspace by their texts, of some by their vectors. */
export async function findExcluded(context: SearchContext, numbers: number[]): Promise<Set<number>> {
  const { texts, index, text } = context;
  const { workspaceId, embedder, vectors } = index;
  if (text.excluded.length === 0) return new Set();
  const { relevances } = await texts.rank(workspaceId, { any: text.excluded }, maxExcluded);
  const excluded = new Set(relevances.keys());
  const queries: Float32Array[] = [];
  for (const phrase of text.excluded.slice(0, maxComparedPhrases)) {
    const { vector } = await embedText(embedder, phrase);
    if (vector) queries.push(vector);
  }
  if (queries.length === 0) return excluded;
  const compared = await vectors.compare(queries, numbers);
  for (const [i, query] of queries.entries()) {
    const background = await backgroundOf(vectors, query, embedder);
    for (const { number, similarity } of compared[i] ?? []) {
      if (standardScore(similarity, background) >= minExcludedScore) excluded.add(number);
    }
  }
  return excluded;
}
