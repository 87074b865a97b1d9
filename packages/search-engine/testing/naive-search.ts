import type { SegmentSource } from '../../../contract/texts.ts';
import {
  analyseFilename,
  filenameTokens,
  findWords,
  fold,
  mayContinue,
  stemOf,
  tokensOf,
} from '../text/analyse-text.ts';
import type { TextQuery } from '../text/text-query.ts';
import { compareTerms, type IndexedTexts } from '../text/text-segment.ts';
import { holdsSource, type PostedSource, type SourceSet, sourceWeights } from '../text/text-sources.ts';

type Document = IndexedTexts & { isIndexed: boolean };
type Match = { slot: number; relevance: number; coverage: number; terms: string[] };

type Options = { labelled: number[][]; count: number; enough: number; selected: Set<number>; sources: SourceSet };

/** What `searchTexts` returns, computed text by text from its definition, without an index, in the same precision. For tests. */
export function searchNaively(
  documents: Document[],
  { terms, prefix }: TextQuery,
  { labelled, count, enough, selected, sources }: Options,
): { matches: Match[]; corrections: { from: string; to: string }[] } {
  const bags = documents.map((document) => toBag(document, sources));
  const indexed = bags.filter((_, slot) => documents[slot]?.isIndexed);
  const found = bags.flatMap((bag, slot) => (selected.has(slot) ? [{ bag, slot }] : []));
  const parts = terms.map((term, i) => {
    const mayBePrefix = i === terms.length - 1 && prefix !== null;
    const isLabel = (labelled[i] ?? []).length > 0;
    return resolve(term, indexed, isLabel ? null : { selected: found.map(({ bag }) => bag), mayBePrefix });
  });
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const matches = found.map(({ bag, slot }) => {
    const match = { slot, relevance: 0, coverage: 0, terms: [] as string[], phrases: 0 };
    for (const [i, part] of parts.entries()) {
      const isHeld = part.holds(bag);
      const isLabelled = labelled[i]?.includes(slot) === true;
      if (!isHeld && !isLabelled) continue;
      match.terms.push(part.term);
      if (isHeld && part.isPhrase) match.phrases += part.relevance(bag);
      if (isHeld && !part.isPhrase) match.relevance = Math.fround(match.relevance + part.relevance(bag));
      if (isLabelled) match.relevance = Math.fround(match.relevance + 1);
      match.coverage += (part.correction === null ? 1 : 0.5) * (part.weight / total);
    }
    return match;
  });
  const last = parts.at(-1);
  const complete = matches.filter((match) => match.terms.length > 0).length;
  if (prefix !== null && last && Math.min(complete, count) < Math.min(enough, count)) {
    const relevanceOf = relevanceOfPrefix(fold(prefix), indexed);
    for (const [i, { bag }] of found.entries()) {
      const match = matches[i] as (typeof matches)[number];
      const relevances = relevanceOf(bag);
      if (relevances.length === 0 || match.terms.includes(last.term)) continue;
      match.terms.push(last.term);
      // They are added up first, as one term.
      const added = relevances.reduce((sum, relevance) => Math.fround(sum + relevance), 0);
      match.relevance = Math.fround(match.relevance + added);
      match.coverage += (0.5 * last.weight) / total;
    }
  }
  const evidence = ({ coverage, relevance }: Match) => coverage * (0.85 + 0.1 * (relevance / (1 + relevance)));
  return {
    matches: matches
      .filter((match) => match.terms.length > 0)
      .map(({ phrases, ...match }) => ({ ...match, relevance: match.relevance + phrases }))
      .toSorted((a, b) => evidence(b) - evidence(a) || b.slot - a.slot)
      .slice(0, count),
    corrections: parts.flatMap(({ term, correction }) => (correction === null ? [] : [{ from: term, to: correction }])),
  };
}

/**
 * What a term of a query means among some texts.
 * @param correctable where a correction must be found; null if the term is not corrected
 */
function resolve(term: string, indexed: Bag[], correctable: { selected: Bag[]; mayBePrefix: boolean } | null) {
  const written = Array.from(findWords(term), ({ token }) => token);
  const [word = ''] = written;
  const isUnknown = written.length === 1 && indexed.every((bag) => weightOf(bag, word) === 0);
  const begins = () => indexed.some(({ tokens }) => tokens.some(({ token }) => mayContinue(word, token)));
  const correction =
    correctable && isUnknown && !(correctable.mayBePrefix && begins())
      ? (correct(word, indexed, correctable.selected) ?? null)
      : null;
  const words = correction === null ? written : [correction];
  const weights = (bag: Bag) => Math.min(...words.map((word) => weightOf(bag, word)));
  const weight = idf(indexed.filter((bag) => weights(bag) > 0).length, indexed);
  const average = averageLength(indexed);
  return {
    term,
    correction,
    weight,
    isPhrase: words.length > 1,
    holds: (bag: Bag) => weights(bag) > 0 && (words.length === 1 || holdsPhrase(bag, words)),
    relevance: (bag: Bag) => bm25(weight, weights(bag), bag, average),
  };
}

function relevanceOfPrefix(prefix: string, indexed: Bag[]): (bag: Bag) => number[] {
  const begins = (bag: Bag) => bag.tokens.filter(({ token }) => mayContinue(prefix, token));
  const occurrences = indexed.reduce((sum, bag) => sum + begins(bag).length, 0);
  const weight = idf(Math.min(indexed.length, occurrences), indexed);
  const average = averageLength(indexed);
  return (bag) => begins(bag).map((word) => bm25(weight, word.weight, bag, average));
}

const idf = (frequency: number, { length }: Bag[]) => Math.log(1 + (length - frequency + 0.5) / (frequency + 0.5));

const averageLength = (indexed: Bag[]): number => indexed.reduce((sum, { length }) => sum + length, 0) / indexed.length;

function bm25(idf: number, weight: number, { length }: Bag, average: number): number {
  return (idf * 2.2 * weight) / (weight + 1.2 * 0.25 + ((1.2 * 0.75) / average) * length);
}

type Bag = { tokens: { token: string; weight: number }[]; length: number; sequences: string[][] };

/** What a document holds in some sources: words count as often as they occur in all, if one of them is wanted. */
function toBag({ texts, filename, tags }: IndexedTexts, wanted: SourceSet): Bag {
  const { pieces, subwords } = analyseFilename(filename);
  const named = [pieces, subwords].map((words) => words.map(({ token }) => token));
  const ofSource = (source: SegmentSource) =>
    texts.filter((text) => text.source === source).map(({ text }) => [...tokensOf(text)]);
  const held: { source: PostedSource; tokens: string[]; sequences: string[][] }[] = [
    { source: 'filename', tokens: filenameTokens(filename), sequences: named },
    { source: 'tag', tokens: [...tokensOf(tags)], sequences: [[...tokensOf(tags)]] },
    ...(['subtitle', 'speech'] as const).map((source) => {
      const tokens = ofSource(source).flat();
      return { source, tokens, sequences: [tokens] };
    }),
    ...(['chapter', 'ocr'] as const).map((source) => {
      const sequences = ofSource(source);
      return { source, tokens: sequences.flat(), sequences };
    }),
  ];
  const isWanted = ({ source }: { source: PostedSource }) => holdsSource(wanted, source);
  const found = new Set(held.filter(isWanted).flatMap(({ tokens }) => tokens));
  const weights = new Map<string, number>();
  for (const { source, tokens } of held) {
    for (const token of tokens) weights.set(token, (weights.get(token) ?? 0) + sourceWeights[source]);
  }
  return {
    tokens: [...weights]
      .filter(([token]) => found.has(token))
      .map(([token, weight]) => ({ token, weight }))
      .toSorted((a, b) => compareTerms(a.token, b.token)),
    length: held.flatMap(({ tokens }) => tokens).length,
    sequences: held.filter(isWanted).flatMap(({ sequences }) => sequences),
  };
}

const weightOf = ({ tokens }: Bag, word: string): number =>
  tokens
    .filter(({ token }) => stemOf(token) === stemOf(word))
    .reduce((sum, { token, weight }) => sum + weight * (token === word ? 1 : 0.9), 0);

const holdsPhrase = ({ sequences }: Bag, words: string[]): boolean =>
  sequences.some((sequence) => ` ${sequence.map(stemOf).join(' ')} `.includes(` ${words.map(stemOf).join(' ')} `));

function correct(word: string, indexed: Bag[], selected: Bag[]): string | undefined {
  if (!/^\p{L}{5,}$/u.test(word)) return undefined;
  const frequencies = new Map<string, number>();
  for (const { token } of indexed.flatMap(({ tokens }) => tokens)) {
    if (token[0] === word[0] && distance(token, word) === 1) frequencies.set(token, (frequencies.get(token) ?? 0) + 1);
  }
  return [...frequencies]
    .toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    .find(([token]) => selected.some((bag) => weightOf(bag, token) > 0))?.[0];
}

/** Optimal string alignment distance, by its recurrence. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j));
  const at = (i: number, j: number) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const value = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwap ? at(i - 2, j - 2) + 1 : Infinity,
      );
      (rows[i] as number[])[j] = value;
    }
  }
  return at(a.length, b.length);
}
