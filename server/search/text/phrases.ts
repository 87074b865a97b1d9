import { analyseFilename } from './analyse-filename.ts';
import { findWords, stemOf } from './analyse-text.ts';
import type { IndexedTexts } from './text-segment.ts';

/** Reads the texts of some slots, in their order; undefined for those that are gone. */
export type ReadTexts = (slots: number[]) => (IndexedTexts | undefined)[];

/** Whether the words of a phrase follow each other somewhere in the texts, in any form. */
export function holdsPhrase({ text, filename, tags }: IndexedTexts, stems: string[]): boolean {
  const { pieces, subwords } = analyseFilename(filename);
  return [findWords(text), pieces, subwords, findWords(tags)].some((words) =>
    holdsSequence(
      Array.from(words, ({ token }) => token),
      stems,
    ),
  );
}

function holdsSequence(tokens: string[], stems: string[]): boolean {
  return findSequences(tokens, stems).next().done !== true;
}

/** Where a sequence of stems starts among tokens. */
export function* findSequences(tokens: string[], stems: string[]): Generator<number> {
  const known = tokens.map(stemOf);
  for (let start = 0; start + stems.length <= known.length; start++) {
    if (stems.every((stem, i) => known[start + i] === stem)) yield start;
  }
}
