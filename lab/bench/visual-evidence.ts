import { relevance } from '@media-search/search-engine/ranking/calibration';
import { imageWeight } from '@media-search/search-engine/ranking/fuse';
import type { SearchHit } from '../../contract/search.ts';

/** The fusion of a search read backwards: from the scores of hits to the evidence of images and texts that they were made of. */

/** Standard score at which the relevance is a given one: the inverse of `relevance`, by halving. */
function scoreAt(wanted: number): number {
  let [low, high] = [-20, 20];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (relevance(middle) < wanted) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Standard score of the similarity of a hit that was found by its image alone. */
export const standardScoreOf = ({ score }: SearchHit): number => scoreAt(score / imageWeight);

/** The evidence that a hit's score was made of, each 0..1. */
export type Evidence = { visual: number; text: number };

/**
 * The evidence of each hit of a search. The standard score is linear in the similarity, so hits of the same query that were found by
 * their images alone tell that of all others. Throws when there are no two of different similarity.
 * @param alone hits for the query without any text, by falling score
 */
export function evidenceOf(hits: SearchHit[], alone: SearchHit[]): Map<SearchHit, Evidence> {
  const [first, last] = [alone[0], alone.at(-1)];
  if (!first || !last || first.signals.visual === last.signals.visual) throw new Error('Too few hits without a text.');
  const similarity = (hit: SearchHit) => hit.signals.visual ?? 0;
  const slope = (standardScoreOf(first) - standardScoreOf(last)) / (similarity(first) - similarity(last));
  return new Map(
    hits.map((hit) => {
      const visual = relevance(standardScoreOf(first) + slope * (similarity(hit) - similarity(first)));
      return [hit, { visual, text: Math.max(0, 1 - (1 - hit.score) / (1 - imageWeight * visual)) }];
    }),
  );
}
