import { analyseFilename } from './analyse-filename.ts';
import { hasStem, wordsOf } from './analyse-text.ts';
import type { IndexedTexts } from './text-segment.ts';

/** Reads the texts of some slots, in their order; undefined for those that are gone. */
export type ReadTexts = (slots: number[]) => (IndexedTexts | undefined)[];

/** Whether the words of a phrase, given by their stems, follow each other somewhere in the texts, in any form. */
export function holdsPhrase({ text, filename, tags }: IndexedTexts, stems: string[]): boolean {
  if (holdsSequence([...wordsOf(text)], stems) || holdsSequence([...wordsOf(tags)], stems)) return true;
  const { pieces, subwords } = analyseFilename(filename);
  return [pieces, subwords].some((words) =>
    holdsSequence(
      words.map(({ token }) => token),
      stems,
    ),
  );
}

const holdsSequence = (tokens: string[], stems: string[]): boolean =>
  tokens.some((_, start) => stems.every((stem, i) => hasStem(tokens[start + i], stem)));
