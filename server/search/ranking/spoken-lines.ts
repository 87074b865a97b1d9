import { findWords, hasStem, stemOf } from '../text/analyse-text.ts';
import type { IndexedTexts } from '../text/text-segment.ts';

/**
 * What is said in a chunk about a query: its lines of speech and subtitles that hold one of the terms. Two moments before a still camera look the
 * same and are different hits where different things are said.
 */
export function findSpokenLines(texts: IndexedTexts, terms: string[]): Set<string> {
  const stems = terms.flatMap((term) => Array.from(findWords(term), ({ token }) => stemOf(token)));
  const holdsTerm = (text: string) =>
    Array.from(findWords(text)).some(({ token }) => stems.some((stem) => hasStem(token, stem)));
  const spoken = texts.texts.filter(({ source }) => source === 'speech' || source === 'subtitle');
  return new Set(spoken.map(({ text }) => text).filter(holdsTerm));
}
