import { dot } from '../../server/vectors.ts';
import { createRandom, type VectorSource } from '../vectors.ts';

/** What is searched, by place: vectors, texts and owners. Computed on demand. */
export type Corpus = {
  dimensions: number;
  size: number;
  vectorAt: (place: number) => Float32Array;
  textAt: (place: number) => string;
  /** `one` of a hundred, `most` of half of the rest, else `none`. */
  ownerAt: (place: number) => 'one' | 'most' | 'none';
};

export type Query = { vector: Float32Array; text: string };

/** A search engine. It returns places of its corpus, the best first. */
export type Engine = {
  name: string;
  corpus: Corpus;
  /** How long building its indexes took, in seconds. */
  buildSeconds: number;
  /** Size of its index in bytes, where it is not in the memory of this process. */
  memory?: number;
  hybrid: (query: Query, owner: 'one' | 'most' | null) => Promise<number[]>;
  vector: (query: Query) => Promise<number[]>;
  close: () => Promise<void>;
};

/** Hits per query. */
export const wanted = 20;

/** Words occur as in a language: the k-th most frequent one is k times rarer than the first (Zipf). */
const vocabulary = 5000;

export function makeCorpus({ dimensions, vectorAt }: VectorSource, size: number): Corpus {
  return {
    dimensions,
    size,
    vectorAt,
    textAt(place) {
      const random = createRandom('text', place);
      return Array.from({ length: 8 }, () => `w${Math.floor(vocabulary ** random())}`).join(' ');
    },
    // Ten chunks an item, and an item has one owner.
    ownerAt(place) {
      const item = Math.floor(place / 10);
      return item % 100 === 0 ? 'one' : item % 2 === 0 ? 'most' : 'none';
    },
  };
}

export const makeQueries = ({ near }: VectorSource, count: number): Query[] =>
  Array.from({ length: count }, (_, i) => ({ vector: near(i * 37), text: `w${20 + ((i * 13) % 480)}` }));

/** All places of a corpus, in portions. */
export function* portionsOfPlaces({ size }: Corpus, portion: number): Generator<number[]> {
  for (let first = 0; first < size; first += portion) {
    yield Array.from({ length: Math.min(portion, size - first) }, (_, i) => first + i);
  }
}

/** The nearest places of each query by comparing all. */
export function findExactly({ size, vectorAt }: Corpus, queries: Query[], count: number): number[][] {
  const nearest = queries.map((): { place: number; similarity: number }[] => []);
  for (let place = 0; place < size; place++) {
    const vector = vectorAt(place);
    for (const [i, query] of queries.entries()) {
      const found = nearest[i] as (typeof nearest)[number];
      const similarity = dot(vector, query.vector);
      if (found.length === count && similarity <= (found.at(-1)?.similarity ?? 0)) continue;
      found.push({ place, similarity });
      found.sort((a, b) => b.similarity - a.similarity);
      found.length = Math.min(found.length, count);
    }
  }
  return nearest.map((found) => found.map(({ place }) => place));
}

/** Reciprocal rank fusion, for engines without fusion. */
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
