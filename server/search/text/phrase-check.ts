import type { Accumulator } from './accumulator.ts';
import type { Coverage } from './coverage.ts';
import { holdsPhrase, type ReadTexts } from './phrases.ts';

/** A phrase of a query, whose words were found in the slots that have its bit, in whatever order. */
export type PhraseTerm = {
  bit: number;
  stems: string[];
  candidates: () => Iterable<number>;
  /** What the phrase counts in a slot whose texts hold its words, 0 in others. */
  relevanceOf: (slot: number) => number;
  /** Slots that hold the phrase whatever their texts say. */
  labelled: Set<number>;
};

/** As many of the best candidates are read at most to see whether they hold a phrase; the others count as if they did not. */
const maxRead = 10_000;

/** Takes phrases from the slots whose texts hold only their words. Only texts that can be among the best are read. */
export function createPhraseCheck(accumulator: Accumulator, readTexts: ReadTexts, phrases: PhraseTerm[]) {
  const bits = phrases.reduce((mask, { bit }) => mask | bit, 0);
  const checked = new Set<number>();
  /** The slots with the words of each phrase, but not the phrase. */
  const apart = phrases.map(() => new Set<number>());
  let isExhausted = false;

  function take(slot: number, i: number): void {
    const phrase = phrases[i];
    if (!phrase) return;
    apart[i]?.add(slot);
    if (!phrase.labelled.has(slot)) accumulator.remove(slot, phrase.bit);
  }

  const relevanceOf = (slot: number): number =>
    phrases.reduce((sum, phrase, i) => (apart[i]?.has(slot) ? sum : sum + phrase.relevanceOf(slot)), 0);

  const isOpen = (slot: number): boolean =>
    !isExhausted && (accumulator.maskOf(slot) & bits) !== 0 && !checked.has(slot);

  function verify(slots: number[]): void {
    const open = [...new Set(slots)].filter(isOpen);
    if (open.length === 0) return;
    const texts = readTexts(open);
    for (const [i, slot] of open.entries()) {
      checked.add(slot);
      const held = texts[i];
      for (const [k, { stems }] of phrases.entries()) if (!held || !holdsPhrase(held, stems)) take(slot, k);
    }
  }

  /** Gives up on all that were not read. */
  function exhaust(): void {
    for (const [i, phrase] of phrases.entries()) {
      for (const slot of phrase.candidates()) if (!checked.has(slot)) take(slot, i);
    }
    isExhausted = true;
  }

  return {
    /** Reads the texts of some slots. */
    verify,

    /** What the phrases of a slot count, as far as is known. */
    relevanceOf,

    /** The slots with the most evidence, the best first, all of them checked. */
    selectBest(count: number, coverage: Coverage): number[] {
      for (let depth = count; ; depth *= 2) {
        const best = accumulator.selectBest(depth, coverage, { bits, relevanceOf });
        if (!best.slice(0, count).some(isOpen)) return best.slice(0, count);
        const open = best.filter(isOpen).slice(0, maxRead - checked.size);
        if (open.length > 0) verify(open);
        else exhaust();
      }
    },
  };
}
