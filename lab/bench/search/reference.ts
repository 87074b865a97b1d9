import { imageWeight } from '@media-search/search-engine/ranking/fuse';
import { dot } from '@media-search/search-engine/vectors';
import { type Corpus, depth, type Filter, ownerAt, type Queries, type WordCount } from './corpus.ts';

/**
 * The exact order of a hybrid search: every vector compared, every text ranked by BM25, both fused by the rule that an engine documents.
 * Written here once more, plainly, so that no engine is measured by its own code.
 */

/** An exact reference for the first queries of a run. */
export type Reference = {
  count: number;
  /** Share of the exact nearest ten among those found first. */
  vectorRecall: (i: number, filter: Filter, found: number[]) => number;
  /** Share of the exact first ten by reciprocal rank fusion. Texts of equal relevance are ordered as the engine did. */
  overlapByRank: (words: WordCount, i: number, filter: Filter, found: number[]) => number;
  /** The same by our rule: independent evidence, the similarity judged by `relevances` (as the engine's method gives them). */
  overlapByEvidence: (words: WordCount, i: number, filter: Filter, found: number[], relevances: number[]) => number;
};

/** The relevance of each text by BM25, 0 where it holds no word, and the share of the query's weight that it holds. */
type TextMatches = { relevance: Float32Array; coverage: Float32Array };

const compared = 10;
/** Scores that differ by less are equal: as single floats, and as `relevances` are known. */
const tolerance = 1e-5;

/** Compares all vectors and texts with the first `count` queries. */
export function findExactly(corpus: Corpus, queries: Queries, count: number): Reference {
  const similarities = compareAll(
    corpus,
    queries.one.slice(0, count).map(({ vector }) => vector),
  );
  const texts = createTextReference(corpus, [
    ...new Set([...queries.one, ...queries.three].flatMap(({ words }) => words)),
  ]);
  const passes = (filter: Filter) => (place: number) => filter === null || ownerAt(place) === filter;
  const nearest = rememberLast((i: number, filter: Filter) =>
    bestOf(similarities[i] as Float32Array, passes(filter), depth),
  );
  const matches = rememberLast((words: WordCount, i: number) => texts(queries[words][i]?.words ?? []));
  return {
    count,
    vectorRecall: (i, filter, found) => share(nearest(i, filter).slice(0, compared), found),
    overlapByRank(words, i, filter, found) {
      const near = nearest(i, filter);
      const shown = new Map(found.map((place, rank) => [place, rank]));
      const said = bestWithEqual(matches(words, i).relevance, passes(filter), shown);
      const scores = new Map<number, number>();
      for (const list of [near, said]) {
        for (const [rank, place] of list.entries()) scores.set(place, (scores.get(place) ?? 0) + 1 / (61 + rank));
      }
      // Equal scores, as of the first of each list: in the engine's favour too.
      const right = [...scores].toSorted(
        ([a, one], [b, other]) => other - one || (shown.get(a) ?? Infinity) - (shown.get(b) ?? Infinity) || a - b,
      );
      return share(
        right.slice(0, compared).map(([place]) => place),
        found,
      );
    },
    overlapByEvidence(words, i, filter, found, relevances) {
      const similarity = similarities[i] as Float32Array;
      const { relevance, coverage } = matches(words, i);
      const scores = Float32Array.from(similarity, (value, place) => {
        const said = relevance[place] as number;
        const text = (coverage[place] as number) * (0.85 + 0.1 * (said / (1 + said)));
        const seen = interpolate(relevances, value);
        const evidence = 1 - (1 - imageWeight * seen) * (1 - text);
        // Weak hits stand behind all others: less than two deviations above the background, and less than a third of the words.
        const isWeak = (coverage[place] as number) < 1 / 3 && seen < 0.5;
        return isWeak ? evidence / 4 : 1 / 4 + (3 / 4) * evidence;
      });
      const right = bestOf(scores, passes(filter), compared);
      // What has the score of the last of them is as good. Scores are equal where both parts are certain, and differ in rounding.
      const least = (scores[right.at(-1) ?? -1] ?? Infinity) - tolerance;
      const isRight = (place: number) => passes(filter)(place) && (scores[place] as number) >= least;
      const shown = new Set(found.slice(0, compared));
      return right.length === 0 ? 1 : [...shown].filter(isRight).length / right.length;
    },
  };
}

/** Share of what should be among the first ten that is, 0..1; one where nothing should be. */
function share(right: number[], found: number[]): number {
  const first = new Set(found.slice(0, compared));
  return right.length === 0 ? 1 : right.filter((place) => first.has(place)).length / right.length;
}

/** Remembers the last result, because all engines are compared by one query before the next. */
function rememberLast<Args extends unknown[], Result>(compute: (...args: Args) => Result) {
  let last: { key: string; result: Result } | undefined;
  return (...args: Args): Result => {
    const key = args.join('/');
    if (last?.key !== key) last = { key, result: compute(...args) };
    return last.result;
  };
}

function compareAll(corpus: Corpus, vectors: Float32Array[]): Float32Array[] {
  const similarities = vectors.map(() => new Float32Array(corpus.size));
  for (let place = 0; place < corpus.size; place++) {
    const vector = corpus.vectorAt(place);
    for (const [i, query] of vectors.entries()) similarities[i]![place] = dot(vector, query);
  }
  return similarities;
}

/** The places of the highest similarities, the best first. */
function bestOf(similarities: Float32Array, passes: (place: number) => boolean, count: number): number[] {
  let best: number[] = [];
  let least = -Infinity;
  const shorten = () => {
    best = best.toSorted((a, b) => similarities[b]! - similarities[a]!).slice(0, count);
    least = best.length < count ? -Infinity : similarities[best.at(-1)!]!;
  };
  for (let place = 0; place < similarities.length; place++) {
    if (similarities[place]! <= least || !passes(place)) continue;
    best.push(place);
    if (best.length >= 4 * count) shorten();
  }
  shorten();
  return best;
}

/** The places of the highest relevances, equal ones in the order of `shown`. */
function bestWithEqual(
  relevance: Float32Array,
  passes: (place: number) => boolean,
  shown: Map<number, number>,
): number[] {
  const holds = (place: number) => relevance[place]! > 0 && passes(place);
  // Sums of float32 differ in their last digits.
  const least = (relevance[bestOf(relevance, holds, depth).at(-1) ?? -1] ?? Infinity) - 1e-5;
  const some: number[] = [];
  for (let place = 0; place < relevance.length; place++)
    if (relevance[place]! >= least && holds(place)) some.push(place);
  const rounded = (place: number) => Math.round(1e5 * relevance[place]!);
  return some
    .toSorted((a, b) => rounded(b) - rounded(a) || (shown.get(a) ?? Infinity) - (shown.get(b) ?? Infinity) || a - b)
    .slice(0, depth);
}

/** BM25 (k1 1.2, b 0.75, idf as in Lucene) over all texts that hold any of some words. */
function createTextReference({ size, textAt }: Corpus, words: string[]): (query: string[]) => TextMatches {
  const postings = new Map<string, number[]>(words.map((word) => [word, []]));
  const lengths = new Uint8Array(size);
  let total = 0;
  for (let place = 0; place < size; place++) {
    const tokens = textAt(place).split(' ');
    lengths[place] = tokens.length;
    total += tokens.length;
    for (const token of tokens) postings.get(token)?.push(place);
  }
  const average = total / size;
  return (query) => {
    // A text that holds a word several times is there as often.
    const held = query.map((word) => postings.get(word) ?? []);
    const idfs = held.map((places) => {
      const count = new Set(places).size;
      return Math.log(1 + (size - count + 0.5) / (count + 0.5));
    });
    const weight = idfs.reduce((sum, idf) => sum + idf, 0);
    const matches: TextMatches = { relevance: new Float32Array(size), coverage: new Float32Array(size) };
    for (const [k, places] of held.entries()) {
      const idf = idfs[k] as number;
      for (let first = 0, next = 0; first < places.length; first = next) {
        const place = places[first] as number;
        while (places[next] === place) next += 1;
        const frequency = next - first;
        const long = 1.2 * (0.25 + (0.75 * lengths[place]!) / average);
        matches.relevance[place]! += (idf * frequency * 2.2) / (frequency + long);
        matches.coverage[place]! += idf / weight;
      }
    }
    return matches;
  };
}

/** A function that is known at -1, -0.999, …, 1. */
function interpolate(values: number[], at: number): number {
  const place = Math.min(values.length - 1.000_001, Math.max(0, (at + 1) * 1000));
  const below = Math.floor(place);
  const part = place - below;
  return (1 - part) * (values[below] ?? 0) + part * (values[below + 1] ?? 0);
}
