import { findWords, hasStem, stemOf } from '../text/analyse-text.ts';
import type { Correction } from '../text/text-query.ts';
import type { IndexedTexts } from '../text/text-segment.ts';
import type { ScoredSlot } from './score-candidates.ts';

/** Of a query's words, by their weight, this share is in a hit that says something about it: any line holds the most common ones. */
const minSaid = 0.5;

/** Whether a candidate holds enough of the query to say something about it. */
export const maySay = ({ text }: Pick<ScoredSlot, 'text'>): boolean => text !== null && text.coverage >= minSaid;

/**
 * Returns the function that says whether the second of two candidates, given by their places, says something about the query that the first one does not. Two
 * moments before a still camera look the same and are different hits where different things are said.
 * @param readTexts the texts of a slot; undefined where it is gone
 */
export function compareSpokenLines(
  scored: ScoredSlot[],
  corrections: Correction[],
  readTexts: (slot: number) => IndexedTexts | undefined,
): (kept: number, other: number) => boolean {
  const corrected = new Map(corrections.map(({ from, to }) => [from, to]));
  /** By place: each is compared with many others. */
  const lines = new Map<number, Set<string>>();
  const linesOf = (place: number): Set<string> => {
    const known = lines.get(place);
    if (known) return known;
    const candidate = scored[place] as ScoredSlot;
    const texts = maySay(candidate) ? readTexts(candidate.slot) : undefined;
    const terms = candidate.text?.terms.map((term) => corrected.get(term) ?? term) ?? [];
    const found = texts ? findSpokenLines(texts, terms) : new Set<string>();
    lines.set(place, found);
    return found;
  };
  return (kept, other) => {
    const known = linesOf(kept);
    return [...linesOf(other)].some((line) => !known.has(line));
  };
}

/** What is said in a chunk about a query: its lines of speech and subtitles that hold one of the terms. */
export function findSpokenLines(texts: IndexedTexts, terms: string[]): Set<string> {
  const stems = terms.flatMap((term) => Array.from(findWords(term), ({ token }) => stemOf(token)));
  const holdsTerm = (text: string) =>
    Array.from(findWords(text)).some(({ token }) => stems.some((stem) => hasStem(token, stem)));
  const spoken = texts.texts.filter(({ source }) => source === 'speech' || source === 'subtitle');
  return new Set(spoken.map(({ text }) => text).filter(holdsTerm));
}
