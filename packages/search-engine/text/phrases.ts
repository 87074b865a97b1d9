import type { SegmentSource } from '../../../contract/texts.ts';
import type { HeldPhrases } from './accumulator.ts';
import { analyseFilename, stemOf, type Word, wordsOf } from './analyse-text.ts';
import type { IndexedTexts } from './text-segment.ts';
import { holdsSource, type SourceSet } from './text-sources.ts';

type Texts = (IndexedTexts | undefined)[];

/** Reads the texts of some slots, in their order; undefined for those that are gone. It returns a promise where they are in a database that answers later. */
export type ReadTexts = (slots: number[]) => Texts | Promise<Texts>;

/** Letters that one search reads at most: it takes some tenths of a second to split them into words, and the next search waits. */
const maxLetters = 2_000_000;
/** Texts read at once. */
const batchSize = 500;

/**
 * The texts of some sources that a search has read, for all its phrases and exclusions together, of no more than two million letters. Texts beyond are taken for
 * gone: they hold no phrase, and are left out where a phrase is excluded.
 * @returns numbers stand for texts, and are read once
 */
function createTextCache(wanted: SourceSet) {
  const known = new Map<number, IndexedTexts | undefined>();
  let letters = 0;
  return {
    /** Those of some numbers that have to be read next, a batch at once; none when all are known or no more may be read. */
    nextMissing(numbers: number[]): number[] {
      return letters < maxLetters ? numbers.filter((number) => !known.has(number)).slice(0, batchSize) : [];
    },

    add(numbers: number[], read: Texts): void {
      for (const [i, texts] of read.entries()) {
        known.set(numbers[i] as number, texts && limitTo(texts, wanted));
        if (texts) letters += countLetters(texts);
      }
    },

    get: (number: number): IndexedTexts | undefined => known.get(number),
  };
}

/** Reads the texts of some sources, each once a search. */
export function createTextLoader(read: ReadTexts, wanted: SourceSet): (numbers: number[]) => Promise<Texts> {
  const cache = createTextCache(wanted);
  return async (numbers) => {
    for (let missing = cache.nextMissing(numbers); missing.length > 0; missing = cache.nextMissing(numbers)) {
      cache.add(missing, await read(missing));
    }
    return numbers.map((number) => cache.get(number));
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

/** A phrase of a query, whose words were found in slots, in whatever order. */
export type PhraseTerm = {
  bit: number;
  stems: string[];
  /** What the phrase counts in a slot whose texts hold its words, 0 in others. */
  relevanceOf: (slot: number) => number;
  /** Slots that hold the phrase whatever their texts say. */
  labelled: Set<number>;
};

/** As many of the best candidates are compared with phrases at most; the others count as if they did not hold them. */
const maxChecked = 10_000;

/** Finds out which slots hold a phrase, not only its words. Only texts that can be among the best are read. */
export function createPhraseCheck(readTexts: ReadTexts, phrases: PhraseTerm[]) {
  const checked = new Set<number>();
  /** The slots with the words of each phrase, but not the phrase. */
  const apart = phrases.map(() => new Set<number>());
  let isExhausted = false;

  const isApart = (slot: number, i: number): boolean =>
    apart[i]?.has(slot) === true || (isExhausted && !checked.has(slot));

  const held: HeldPhrases = {
    bits: phrases.reduce((mask, { bit }) => mask | bit, 0),
    known(slot, mask) {
      let known = mask;
      for (const [i, { bit, labelled }] of phrases.entries()) {
        if (isApart(slot, i) && !labelled.has(slot)) known &= ~bit;
      }
      return known;
    },
    relevanceOf: (slot) =>
      phrases.reduce((sum, { relevanceOf }, i) => (isApart(slot, i) ? sum : sum + relevanceOf(slot)), 0),
  };

  async function read(slots: number[]): Promise<void> {
    if (slots.length === 0) return;
    for (const [i, texts] of (await readTexts(slots)).entries()) {
      const slot = slots[i] as number;
      checked.add(slot);
      for (const [k, { stems }] of phrases.entries()) {
        if (!texts || !holdsPhrase(texts, stems)) apart[k]?.add(slot);
      }
    }
  }

  return {
    held,

    /**
     * Reads the texts of those of some slots that may hold a phrase, by their terms, and were not read yet.
     * @returns whether there were any
     */
    async verify(slots: { slot: number; mask: number }[]): Promise<boolean> {
      const open = slots.filter(({ slot, mask }) => (mask & held.bits) !== 0 && !checked.has(slot));
      await read(open.map(({ slot }) => slot));
      return open.length > 0;
    },

    /**
     * The best slots, all of them checked.
     * @param select returns a number of the best by what is known
     */
    async selectBest<T extends { slot: number; mask: number }>(
      count: number,
      select: (count: number) => T[],
    ): Promise<T[]> {
      const isOpen = ({ slot, mask }: T) => !isExhausted && (mask & held.bits) !== 0 && !checked.has(slot);
      for (let depth = count; ; depth *= 4) {
        const best = select(depth);
        if (!best.slice(0, count).some(isOpen)) return best.slice(0, count);
        const open = best.filter(isOpen).slice(0, Math.max(0, maxChecked - checked.size));
        if (open.length === 0) isExhausted = true;
        else await read(open.map(({ slot }) => slot));
      }
    },
  };
}
