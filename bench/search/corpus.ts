import type { VectorSource } from '../vectors.ts';

/** What is searched: vectors, texts, and whose clips they are; all by place. */
export type Corpus = {
  dimensions: number;
  vectors: Float32Array[];
  texts: string[];
  /** `one` of a hundred, `most` of half of the rest, else `none`. */
  owners: ('one' | 'most' | 'none')[];
};

export type Query = { vector: Float32Array; text: string };

/** Something that searches. It finds places of the corpus, the best first. */
export type Engine = {
  name: string;
  /** What building its indexes took, seconds. */
  buildSeconds: number;
  hybrid: (query: Query, owner: 'one' | 'most' | null) => Promise<number[]>;
  vector: (query: Query) => Promise<number[]>;
  close: () => Promise<void>;
};

/** Hits asked for. */
export const wanted = 20;

/** Words occur as in a language: the k-th most frequent one k times as seldom as the first (Zipf). */
const vocabulary = 5000;

export function makeCorpus({ dimensions, random, vectorAt }: VectorSource, count: number): Corpus {
  const vectors = Array.from({ length: count }, (_, place) => vectorAt(place));
  const word = () => `w${Math.floor(vocabulary ** random())}`;
  const texts = vectors.map(() => Array.from({ length: 8 }, word).join(' '));
  // Ten chunks an item, and an item has one owner.
  const owners = vectors.map((_, place) => {
    const item = Math.floor(place / 10);
    return item % 100 === 0 ? 'one' : item % 2 === 0 ? 'most' : 'none';
  });
  return { dimensions, vectors, texts, owners };
}

export const makeQueries = ({ near }: VectorSource, count: number): Query[] =>
  Array.from({ length: count }, (_, i) => ({ vector: near(i * 37), text: `w${20 + ((i * 13) % 480)}` }));

/** Reciprocal rank fusion, for those that leave it to their users. */
export function fuseByRank(...lists: number[][]): number[] {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [rank, place] of list.entries()) scores.set(place, (scores.get(place) ?? 0) + 1 / (60 + rank + 1));
  }
  return [...scores]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, wanted)
    .map(([place]) => place);
}
