import type { SegmentSource } from '../../../contract/texts.ts';
import { analyseFilename } from './analyse-filename.ts';
import { stemOf, type Word, wordsOf } from './analyse-text.ts';
import type { IndexedTexts } from './text-segment.ts';
import { holdsSource, type SourceSet } from './text-sources.ts';

/** Reads the texts of some slots, in their order; undefined for those that are gone. */
export type ReadTexts = (slots: number[]) => (IndexedTexts | undefined)[];

/** Letters that one search reads at most: it takes some tenths of a second to split them into words, and the next search waits. */
const maxLetters = 2_000_000;
/** Texts read at once. */
const batchSize = 500;

/**
 * Reads the texts of some sources, each once a search, for all its phrases and exclusions together, and no more than two million letters. Texts beyond are taken for
 * gone: they hold no phrase, and are left out where a phrase is excluded.
 */
export function createTextReader(read: ReadTexts, wanted: SourceSet): ReadTexts {
  const known = new Map<number, IndexedTexts | undefined>();
  let letters = 0;
  return (slots) => {
    const missing = slots.filter((slot) => !known.has(slot));
    for (let first = 0; first < missing.length && letters < maxLetters; first += batchSize) {
      const some = missing.slice(first, first + batchSize);
      for (const [i, texts] of read(some).entries()) {
        known.set(some[i] as number, texts && limitTo(texts, wanted));
        if (texts) letters += countLetters(texts);
      }
    }
    return slots.map((slot) => known.get(slot));
  };
}

const countLetters = ({ texts, filename, tags }: IndexedTexts): number =>
  texts.reduce((sum, { text }) => sum + text.length, filename.length + tags.length);

/** What some sources hold of texts. */
const limitTo = ({ texts, filename, tags }: IndexedTexts, wanted: SourceSet): IndexedTexts => ({
  texts: texts.filter(({ source }) => holdsSource(wanted, source)),
  filename: holdsSource(wanted, 'filename') ? filename : '',
  tags: holdsSource(wanted, 'tag') ? tags : '',
});

/** Of texts that were compared with a phrase, the stems of their words, by text. */
const analysed = new WeakMap<IndexedTexts, string[][]>();

/** Whether the words of a phrase, given by their stems, follow each other somewhere in the texts, in any form. */
export function holdsPhrase(texts: IndexedTexts, stems: string[]): boolean {
  const sequences = analysed.get(texts) ?? analyse(texts);
  analysed.set(texts, sequences);
  return sequences.some((words) => words.some((_, start) => stems.every((stem, i) => words[start + i] === stem)));
}

function analyse({ texts, filename, tags }: IndexedTexts): string[][] {
  const { pieces, subwords } = analyseFilename(filename);
  const tokensOf = (words: Word[]) => words.map(({ token }) => token);
  return [
    ...joinSpoken(texts).map((text) => [...wordsOf(text)]),
    [...wordsOf(tags)],
    tokensOf(pieces),
    tokensOf(subwords),
  ].map((tokens) => tokens.map(stemOf));
}

/**
 * A sentence that is spoken goes on in the next line of its track, past those of other languages between them; chapters and words in the
 * picture stand for themselves.
 */
function joinSpoken(texts: IndexedTexts['texts']): string[] {
  const linesOf = (source: SegmentSource) => texts.filter((text) => text.source === source);
  const textsOf = (lines: IndexedTexts['texts']) => lines.map(({ text }) => text);
  const tracks = [linesOf('speech'), ...Map.groupBy(linesOf('subtitle'), ({ track }) => track).values()];
  return [
    ...tracks.map((lines) => textsOf(lines).join('\n')),
    ...textsOf(linesOf('chapter')),
    ...textsOf(linesOf('ocr')),
  ];
}
