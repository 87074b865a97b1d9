import { searchChunksByLabel } from '../catalog/chunks.ts';
import type { ChunkSelection } from './chunk-selection.ts';
import type { SearchContext } from './search-context.ts';

/** How a text matches: its relevance, the terms that it holds, and their share of the query by weight, 0..1; rare terms weigh more. */
export type TextMatch = { relevance: number; terms: string[]; coverage: number };

/** How many of the newest chunks with a term are ranked first; more when a filter leaves too few. */
const rankWindow = 1000;

/** Matches that are compared with the selection at once. */
const selectionBatch = 400;

/**
 * Chunks whose texts hold some of the query's terms: those that hold most first, then the more relevant.
 * @param selection what may be found
 * @param candidates chunks that vectors found; they are also returned if their texts hold a term
 * @param count how many are returned at most
 * @param enough once this many are found, weaker matches are not searched
 */
export async function searchTexts(
  context: SearchContext,
  selection: ChunkSelection,
  candidates: number[],
  { count, enough }: { count: number; enough: number },
): Promise<Map<number, TextMatch>> {
  const { db, index, filter, text } = context;
  const { terms, prefix } = text;
  const found = new Map<number, TextMatch>();
  if (terms.length === 0) return found;
  const population = await index.vectors.size();
  let idfs = new Map<string, number>();
  for (let window = Math.max(rankWindow, 2 * count); ; window *= 8) {
    const { matches, isComplete, frequencies } = await matchTerms(context, window, population, candidates);
    idfs = new Map([...frequencies].map(([term, frequency]) => [term, idf(frequency, population)]));
    for (const [number, match] of await firstSelected(matches, selection, count)) found.set(number, match);
    for (const number of candidates) {
      const match = matches.get(number);
      if (match) found.set(number, match);
    }
    if (found.size >= enough || isComplete) break;
  }
  for (const term of terms) {
    const labelled = await searchChunksByLabel(db, index.workspaceId, term, filter, count);
    for (const number of labelled) addMatch(found, number, term, 1);
  }
  const sumIdf = (some: string[]) => some.reduce((sum, term) => sum + (idfs.get(term) ?? 0), 0);
  for (const match of found.values()) match.coverage = sumIdf(match.terms) / sumIdf(terms);
  // A prefix weighs less than a complete word, so it only matters if complete words do not fill the list.
  if (prefix !== null && found.size < enough) {
    // The user may mean another word, so it weighs half.
    await addPrefixMatches(context, prefix, found, selection, {
      count,
      coverage: (0.5 * sumIdf([prefix])) / sumIdf(terms),
    });
  }
  return found;
}

/** Adds chunks whose texts hold a word that begins with the last one of the query, which may still be being typed. */
async function addPrefixMatches(
  { texts, index }: SearchContext,
  prefix: string,
  found: Map<number, TextMatch>,
  selection: ChunkSelection,
  { count, coverage }: { count: number; coverage: number },
): Promise<void> {
  const { relevances } = await texts.rank(index.workspaceId, { prefix }, rankWindow);
  for (const [number, { terms }] of found) if (terms.includes(prefix)) relevances.delete(number);
  const matches = new Map(
    [...relevances].map(([number, relevance]) => [number, { relevance, terms: [prefix], coverage: 0 }]),
  );
  for (const [number, { relevance }] of await firstSelected(matches, selection, count)) {
    addMatch(found, number, prefix, relevance).coverage += coverage;
  }
}

/** The ranked chunks that hold some of the terms, whether these are all, and how many chunks hold each term. */
async function matchTerms(
  { texts, index: { workspaceId }, text: { terms } }: SearchContext,
  window: number,
  population: number,
  candidates: number[],
): Promise<{ matches: Map<number, TextMatch>; isComplete: boolean; frequencies: Map<string, number> }> {
  const matches = new Map<number, TextMatch>();
  const frequencies = new Map<string, number>();
  const frequent: { term: string; ranked: Map<number, number> }[] = [];
  const leads = new Set(candidates);
  for (const term of terms) {
    const { relevances, isComplete, matchedFraction } = await texts.rank(workspaceId, { any: [term] }, window);
    frequencies.set(term, isComplete ? relevances.size : matchedFraction * population);
    for (const [number, relevance] of relevances) addMatch(matches, number, term, relevance);
    if (isComplete) for (const number of [...relevances.keys()].slice(0, selectionBatch)) leads.add(number);
    else frequent.push({ term, ranked: relevances });
  }
  const isComplete = frequent.length === 0;
  // Chunks that a rare word or a vector found need not be among the newest chunks with a frequent word.
  for (const { term, ranked } of frequent) {
    const unranked = [...leads].filter((number) => !ranked.has(number));
    const matched = await texts.match(workspaceId, { any: [term] }, unranked);
    for (const [number, relevance] of matched) addMatch(matches, number, term, relevance);
  }
  // The same goes for chunks that hold all terms.
  if (!isComplete && terms.length > 1) {
    const { relevances } = await texts.rank(workspaceId, { all: terms }, window);
    for (const [number, relevance] of relevances) matches.set(number, { relevance, terms: [...terms], coverage: 0 });
  }
  return { matches, isComplete, frequencies };
}

/** Inverse document frequency as in BM25, above 0 (Robertson & Zaragoza 2009): how significant it is that a text holds a term. */
const idf = (frequency: number, population: number): number =>
  Math.log(1 + (Math.max(0, population - frequency) + 0.5) / (frequency + 0.5));

function addMatch(matches: Map<number, TextMatch>, number: number, term: string, relevance: number): TextMatch {
  const match = matches.get(number) ?? { relevance: 0, terms: [], coverage: 0 };
  if (!match.terms.includes(term)) match.terms.push(term);
  match.relevance += relevance;
  matches.set(number, match);
  return match;
}

/** The best of some matches that are selected, at most `limit`. */
async function firstSelected(
  matches: Map<number, TextMatch>,
  selection: ChunkSelection,
  limit: number,
): Promise<[number, TextMatch][]> {
  const ranked = [...matches].toSorted(
    ([a, left], [b, right]) => right.terms.length - left.terms.length || right.relevance - left.relevance || b - a,
  );
  const found: [number, TextMatch][] = [];
  for (let first = 0; first < ranked.length && found.length < limit; first += selectionBatch) {
    const some = ranked.slice(first, first + selectionBatch);
    const selected = new Set(await selection.filter(some.map(([number]) => number)));
    found.push(...some.filter(([number]) => selected.has(number)));
  }
  return found.slice(0, limit);
}
