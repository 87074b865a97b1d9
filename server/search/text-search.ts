import { matchChunkTexts, rankChunkTexts, readChunkTexts } from '../catalog/chunk-texts.ts';
import { type ChunkFilter, searchLabels } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ChunkSelection } from './chunk-selection.ts';
import { allOf, anyOf, beginningWith, type TextQuery } from './text-query.ts';

/** How a text fits: its relevance, the terms that it holds, and what share of all they are worth, 0..1; rare terms are worth more. */
export type TextMatch = { relevance: number; terms: string[]; share: number };

/** So many of the newest chunks that hold a term are ranked at first; more when a filter leaves too few. */
const rankedAtOnce = 1000;

/** Matches that the catalog is asked about at once. */
const askedAtOnce = 400;

/**
 * Chunks whose texts hold some of the terms, with the terms each of them holds: those that hold most first, then the more relevant.
 * @param selection what may be found
 * @param count how many are given at most
 * @param enough from so many on none are looked for that are worth less
 * @param population chunks that there are; only what share of them holds a term matters
 * @param seen chunks that something else led to; they are given as well where their texts hold a term
 */
export async function searchTexts(
  db: Catalog,
  { terms, beginning }: TextQuery,
  selection: ChunkSelection,
  {
    workspaceId,
    filter,
    count,
    enough,
    population,
  }: { workspaceId: string; filter: ChunkFilter; count: number; enough: number; population: number },
  seen: number[],
): Promise<Map<number, TextMatch>> {
  const found = new Map<number, TextMatch>();
  if (terms.length === 0) return found;
  let worths = new Map<string, number>();
  for (let window = Math.max(rankedAtOnce, 2 * count); ; window *= 8) {
    const { matches, all, frequencies } = await matchTerms(db, terms, window, population, seen);
    worths = new Map([...frequencies].map(([term, frequency]) => [term, rarity(frequency, population)]));
    for (const [number, match] of await firstSelected(matches, selection, count)) found.set(number, match);
    for (const number of seen) {
      const match = matches.get(number);
      if (match) found.set(number, match);
    }
    if (found.size >= enough || all) break;
  }
  for (const term of terms) {
    for (const number of await searchLabels(db, workspaceId, term, filter, count)) enter(found, number, term, 1);
  }
  const worthOf = (some: string[]) => some.reduce((sum, term) => sum + (worths.get(term) ?? 0), 0);
  for (const match of found.values()) match.share = worthOf(match.terms) / worthOf(terms);
  // Worth less than whole words, it only matters where those do not fill the list.
  if (beginning && found.size < enough) {
    const { relevances } = await rankChunkTexts(db, beginningWith(beginning), rankedAtOnce);
    for (const number of found.keys()) if (found.get(number)?.terms.includes(beginning)) relevances.delete(number);
    const begun = new Map(
      [...relevances].map(([number, relevance]) => [number, { relevance, terms: [beginning], share: 0 }]),
    );
    for (const [number, { relevance }] of await firstSelected(begun, selection, count)) {
      enter(found, number, beginning, relevance);
      // The word may be another, so it is worth half.
      (found.get(number) as TextMatch).share += (0.5 * worthOf([beginning])) / worthOf(terms);
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
  seen: number[],
): Promise<{ matches: Map<number, TextMatch>; all: boolean; frequencies: Map<string, number> }> {
  const matches = new Map<number, TextMatch>();
  const frequencies = new Map<string, number>();
  const frequent: { term: string; ranked: Map<number, number> }[] = [];
  const led = new Set(seen);
  for (const term of terms) {
    const { relevances, all, share } = await rankChunkTexts(db, anyOf([term]), window);
    frequencies.set(term, all ? relevances.size : share * population);
    for (const [number, relevance] of relevances) enter(matches, number, term, relevance);
    if (all) for (const number of [...relevances.keys()].slice(0, askedAtOnce)) led.add(number);
    else frequent.push({ term, ranked: relevances });
  }
  const all = frequent.length === 0;
  // What something else led to, such as a rare word, need not be among the newest that hold a frequent one.
  for (const { term, ranked } of frequent) {
    const unknown = [...led].filter((number) => !ranked.has(number));
    for (const { number, relevance } of await matchSome(db, term, unknown)) enter(matches, number, term, relevance);
  }
  // Nor need what holds them all.
  if (!all && terms.length > 1) {
    const { relevances } = await rankChunkTexts(db, allOf(terms), window);
    for (const [number, relevance] of relevances) matches.set(number, { relevance, terms: [...terms], share: 0 });
  }
  return { matches, all, frequencies };
}

/** Those of some chunks whose texts hold a term. Most do not hold anything like it, which is told sooner than by the full-text index. */
async function matchSome(
  db: Catalog,
  term: string,
  numbers: number[],
): Promise<{ number: number; relevance: number }[]> {
  if (numbers.length === 0) return [];
  const start = startOf(term);
  const texts = await readChunkTexts(db, numbers);
  const likely = numbers.filter((number) => fold(texts.get(number) ?? '').includes(start));
  return likely.length > 0 ? matchChunkTexts(db, anyOf([term]), likely) : [];
}

/** What all words begin with that have the same stem as the first of a term: Porter's stemmer changes endings, never so much of the start. */
function startOf(term: string): string {
  const [word = ''] = /[\p{L}\p{N}]+/u.exec(fold(term)) ?? [];
  if (/\d/.test(word)) return word;
  return word.slice(0, word.length > 4 ? 3 : 2);
}

/** As the full-text index sees a text: without case and diacritics. */
const fold = (text: string): string => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

/**
 * What it says that a chunk holds a term which so many hold, above 0 (inverse document frequency as in BM25; Robertson & Zaragoza 2009).
 */
const rarity = (frequency: number, population: number): number =>
  Math.log(1 + (Math.max(0, population - frequency) + 0.5) / (frequency + 0.5));

function enter(matches: Map<number, TextMatch>, number: number, term: string, relevance: number): void {
  const match = matches.get(number) ?? { relevance: 0, terms: [], share: 0 };
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
  for (let first = 0; first < ranked.length && found.length < limit; first += askedAtOnce) {
    const some = ranked.slice(first, first + askedAtOnce);
    const selected = new Set(await selection.among(some.map(([number]) => number)));
    found.push(...some.filter(([number]) => selected.has(number)));
  }
  return found.slice(0, limit);
}
