import { evidenceOf } from '@media-search/search-engine/ranking/fuse';
import { dot } from '@media-search/search-engine/vectors';
import { type EngineHit, isFoundByText, isMeant } from '../hits.ts';

/** How many of the best hits are reranked. */
export const rerankDepth = 20;

/** How many are where the query names things that are recognised: reading these takes less than comparing views that must be decoded. */
export const thingDepth = 100;

/**
 * How alike a query and a chunk of which parts were embedded as well are, -1..1: half of it the whole, half what is most alike, so
 * that something small or short counts and does not hide what the chunk is about (MaxSim over multiple vectors, Khattab & Zaharia,
 * SIGIR 2020; measured in `lab/bench/rerank.ts`).
 * @param views unit vectors of moments or crops
 */
export function viewSimilarity(query: Float32Array, vector: Float32Array, views: Float32Array[]): number {
  const whole = dot(vector, query);
  return (whole + Math.max(whole, ...views.map((view) => dot(view, query)))) / 2;
}

/**
 * Whether a query is mostly about what is shown. For one that is about colours, light, texture or layout, the parts of a photograph say less than
 * the whole, and reranking by them finds less (`lab/bench/rerank.ts`).
 * @param query a unit vector
 * @param contentDimensions of the embedder
 */
export const isAboutContent = (query: Float32Array, contentDimensions: number | null): boolean => {
  if (contentDimensions === null) return true;
  const content = query.subarray(0, contentDimensions);
  return dot(content, content) >= 1 / 2;
};

/**
 * Sorts hits by their verdicts. A hit without a verdict keeps its place. Scores stay those of the places, so that they still fall down
 * the list and compare with those of other searches; the verdict is in `signals.rerank`.
 * @param verdicts how well each of the first hits fits the query, 0..1, or null where that is not known
 */
export function reorder(hits: EngineHit[], verdicts: (number | null)[]): EngineHit[] {
  const judged = hits.flatMap((hit, place) => {
    const verdict = verdicts[place];
    return verdict === null || verdict === undefined ? [] : [{ hit, place, verdict }];
  });
  const clear = judged.filter(({ hit }) => !hit.weak).length;
  // Words that were read in it count as much as before, and what they mean. What hardly means the same is better than nothing, but takes no clear place.
  const isSaid = (hit: EngineHit) => isFoundByText(hit) || (clear === 0 && isMeant(hit));
  const rerankScore = ({ hit, verdict }: (typeof judged)[number]) =>
    Math.max(verdict, isSaid(hit) ? evidenceOf(hit.score, hit.weak) : 0);
  const byVerdict = judged.toSorted((a, b) => rerankScore(b) - rerankScore(a) || a.place - b.place);
  const ordered = keepClearTexts(byVerdict, clear);
  const result = [...hits];
  for (const [i, { place }] of judged.entries()) {
    const { hit, verdict } = ordered[i] as (typeof judged)[number];
    const { score, weak } = hits[place] as EngineHit;
    result[place] = {
      ...hit,
      score,
      // Like the score, it stays at its position.
      weak,
      signals: { ...hit.signals, rerank: verdict },
    };
  }
  return result;
}

/**
 * A text that matches is never weak: such hits stay among the first, whose positions are clear, and the others with the best verdicts fill these up.
 * @param clear how many positions are
 */
function keepClearTexts<Judged extends { hit: EngineHit }>(ordered: Judged[], clear: number): Judged[] {
  const isKept = ({ hit }: Judged) => !hit.weak && isFoundByText(hit);
  let free = clear - ordered.filter(isKept).length;
  const first = ordered.filter((judged) => isKept(judged) || free-- > 0);
  return [...first, ...ordered.filter((judged) => !first.includes(judged))];
}
