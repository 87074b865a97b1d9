import type { HeldPhrases } from './accumulator.ts';
import { holdsPhrase, type ReadTexts } from './phrases.ts';

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
