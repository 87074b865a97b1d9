import { mean } from '@media-search/search-engine/vectors';
import type { Judged } from './judged.ts';

/** Files by descending relevance, as a search returned them. */
export type Answer = Judged & { found: string[] };

/** Share of the queries with a right answer among the first ones. */
export const recallAt = (answers: Answer[], depth: number): number =>
  mean(answers.map(({ found, right }) => (found.slice(0, depth).some((file) => right.includes(file)) ? 1 : 0)));

/** Share of right answers among the first ten, or among as many as are right, where these are fewer; mean over the queries. */
export const precisionAt10 = (answers: Answer[]): number => mean(answers.map(precisionOf));

export function precisionOf({ found, right }: Answer): number {
  const depth = Math.min(10, right.length);
  return found.slice(0, depth).filter((file) => right.includes(file)).length / depth;
}

/** Mean of one over the rank of the first right answer. */
export const reciprocalRank = (answers: Answer[]): number =>
  mean(
    answers.map(({ found, right }) => {
      const first = found.findIndex((file) => right.includes(file));
      return first === -1 ? 0 : 1 / (first + 1);
    }),
  );

export const format = (value: number): string => value.toFixed(3);
