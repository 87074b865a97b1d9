import { matchChunkTexts, rankChunkTexts, readChunkTexts } from '../catalog/chunk-texts.ts';
import { type ChunkFilter, searchChunksByLabel } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ChunkSelection } from './chunk-selection.ts';
import { allOf, anyOf, prefixOf, type TextQuery } from './text-query.ts';

/** How a text fits: its relevance, the terms that it holds, and what share of all they are worth, 0..1; rare terms are worth more. */
export type TextMatch = { relevance: number; terms: string[]; coverage: number };

/** So many of the newest chunks that hold a term are ranked at first; more when a filter leaves too few. */
const rankWindow = 1000;

/** Matches that the catalog is asked about at once. */
const selectionBatch = 400;

/**
 * Chunks whose texts hold some of the terms, with the terms each of them holds: those that hold most first, then the more relevant.
 * @param selection what may be found
 * @param count how many are given at most
 * @param enough from so many on none are looked for that are worth less
 * @param population chunks that there are; only what share of them holds a term matters
 * @param candidates chunks that something else led to; they are given as well where their texts hold a term
 */
export async function searchTexts(
  db: Catalog,
  { terms, prefix: beginning }: TextQuery,
  selection: ChunkSelection,
  {
    workspaceId,
    filter,
    count,
    enough,
    population,
  }: { workspaceId: string; filter: ChunkFilter; count: number; enough: number; population: number },
  candidates: number[],
): Promise<Map<number, TextMatch>> {
  const found = new Map<number, TextMatch>();
  if (terms.length === 0) return found;
  let idfs = new Map<string, number>();
  for (let window = Math.max(rankWindow, 2 * count); ; window *= 8) {
    const { matches, all, frequencies } = await matchTerms(db, terms, window, population, candidates);
    idfs = new Map([...frequencies].map(([term, frequency]) => [term, idf(frequency, population)]));
    for (const [number, match] of await firstSelected(matches, selection, count)) found.set(number, match);
    for (const number of candidates) {
      const match = matches.get(number);
      if (match) found.set(number, match);
    }
    if (found.size >= enough || all) break;
  }
  for (const term of terms) {
    for (const number of await searchChunksByLabel(db, workspaceId, term, filter, count))
      addMatch(found, number, term, 1);
  }
  const sumIdf = (some: string[]) => some.reduce((sum, term) => sum + (idfs.get(term) ?? 0), 0);
  for (const match of found.values()) match.coverage = sumIdf(match.terms) / sumIdf(terms);
  // Worth less than whole words, it only matters where those do not fill the list.
  if (beginning && found.size < enough) {
    const { relevances } = await rankChunkTexts(db, prefixOf(beginning), rankWindow);
    for (const number of found.keys()) if (found.get(number)?.terms.includes(beginning)) relevances.delete(number);
    const prefixMatches = new Map(
      [...relevances].map(([number, relevance]) => [number, { relevance, terms: [beginning], coverage: 0 }]),
    );
    for (const [number, { relevance }] of await firstSelected(prefixMatches, selection, count)) {
      addMatch(found, number, beginning, relevance);
      // The word may be another, so it is worth half.
      (found.get(number) as TextMatch).coverage += (0.5 * sumIdf([beginning])) / sumIdf(terms);
    }
  }
  return found;
}

/** The chunks of all workspaces that hold some of the terms, as far as they were ranked, whether these are all, and how many hold each. */
async function matchTerms(
  db: Catalog,
  terms: string[],
  window: number,
  population: number,
  candidates: number[],
): Promise<{ matches: Map<number, TextMatch>; all: boolean; frequencies: Map<string, number> }> {
  const matches = new Map<number, TextMatch>();
  const frequencies = new Map<string, number>();
  const frequent: { term: string; ranked: Map<number, number> }[] = [];
  const leads = new Set(candidates);
  for (const term of terms) {
    const { relevances, isComplete: all, matchedFraction: share } = await rankChunkTexts(db, anyOf([term]), window);
    frequencies.set(term, all ? relevances.size : share * population);
    for (const [number, relevance] of relevances) addMatch(matches, number, term, relevance);
    if (all) for (const number of [...relevances.keys()].slice(0, selectionBatch)) leads.add(number);
    else frequent.push({ term, ranked: relevances });
  }
  const all = frequent.length === 0;
  // What something else led to, such as a rare word, need not be among the newest that hold a frequent one.
  for (const { term, ranked } of frequent) {
    const unknown = [...leads].filter((number) => !ranked.has(number));
    for (const { number, relevance } of await matchAmong(db, term, unknown)) addMatch(matches, number, term, relevance);
  }
  // Nor need what holds them all.
  if (!all && terms.length > 1) {
    const { relevances } = await rankChunkTexts(db, allOf(terms), window);
    for (const [number, relevance] of relevances) matches.set(number, { relevance, terms: [...terms], coverage: 0 });
  }
  return { matches, all, frequencies };
}

/** Those of some chunks whose texts hold a term. Most do not hold anything like it, which is told sooner than by the full-text index. */
async function matchAmong(
  db: Catalog,
  term: string,
  numbers: number[],
): Promise<{ number: number; relevance: number }[]> {
  if (numbers.length === 0) return [];
  const start = stemPrefix(term);
  const texts = await readChunkTexts(db, numbers);
  const likely = numbers.filter((number) => fold(texts.get(number) ?? '').includes(start));
  return likely.length > 0 ? matchChunkTexts(db, anyOf([term]), likely) : [];
}

/** What all words begin with that have the same stem as the first of a term: Porter's stemmer changes endings, never so much of the start. */
function stemPrefix(term: string): string {
  const [word = ''] = /[\p{L}\p{N}]+/u.exec(fold(term)) ?? [];
  if (/\d/.test(word)) return word;
  return word.slice(0, word.length > 4 ? 3 : 2);
}

/** As the full-text index sees a text: without case and diacritics. */
const fold = (text: string): string => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

/**
 * What it says that a chunk holds a term which so many hold, above 0 (inverse document frequency as in BM25; Robertson & Zaragoza 2009).
 */
const idf = (frequency: number, population: number): number =>
  Math.log(1 + (Math.max(0, population - frequency) + 0.5) / (frequency + 0.5));

function addMatch(matches: Map<number, TextMatch>, number: number, term: string, relevance: number): void {
  const match = matches.get(number) ?? { relevance: 0, terms: [], coverage: 0 };
  if (!match.terms.includes(term)) match.terms.push(term);
  match.relevance += relevance;
  matches.set(number, match);
}

/** The best of some matches that may be found, at most `limit`. */
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
