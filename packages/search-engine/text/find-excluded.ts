import { findWords, stemOf } from './analyse-text.ts';
import { holdsPhrase, type ReadTexts } from './phrases.ts';
import { findPhraseCandidates, findSlot, findWord } from './term-postings.ts';
import type { TextSegment } from './text-segment.ts';
import type { SourceSet } from './text-sources.ts';

/**
 * Those of some slots whose texts of some sources hold an excluded word, in any form, or an excluded phrase.
 * @param excluded words and phrases, as the user wrote them
 */
export async function findExcluded(
  segments: TextSegment[],
  excluded: string[],
  slots: number[],
  readTexts: ReadTexts,
  wanted: SourceSet,
): Promise<Set<number>> {
  const found = new Set<number>();
  for (const term of excluded) {
    const tokens = Array.from(findWords(term), ({ token }) => token);
    const held = holdersOf(segments, tokens, slots, wanted);
    if (tokens.length === 1) {
      for (const slot of held) found.add(slot);
      continue;
    }
    const open = held.filter((slot) => !found.has(slot));
    const stems = tokens.map(stemOf);
    for (const [i, texts] of (await readTexts(open)).entries()) {
      // What cannot be read any more may hold it.
      if (!texts || holdsPhrase(texts, stems)) found.add(open[i] as number);
    }
  }
  return found;
}

/** The slots whose texts hold all of some words. */
function holdersOf(segments: TextSegment[], tokens: string[], slots: number[], wanted: SourceSet): number[] {
  const [first] = tokens;
  if (first === undefined) return [];
  const { postings } =
    tokens.length === 1 ? findWord(segments, first, wanted) : findPhraseCandidates(segments, tokens, wanted);
  return segments.flatMap(({ firstSlot, slotCount }, i) => {
    const holders = postings[i]?.slots ?? new Uint32Array();
    const own = slots.filter((slot) => slot >= firstSlot && slot < firstSlot + slotCount);
    return own.filter((slot) => findSlot(holders, slot - firstSlot) >= 0);
  });
}
