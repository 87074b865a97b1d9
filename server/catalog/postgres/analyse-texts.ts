import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildTextSegment } from '@media-search/search-engine/text/build-segment';
import { type IndexedTexts, readTerm, termCount } from '@media-search/search-engine/text/text-segment';
import type { Posting } from './posting-block.ts';

/** A chunk with the texts by which it is found. */
export type ChunkWithTexts = IndexedTexts & { number: number };

/** What the texts of chunks say: the postings of each term by ascending number, and the tokens of all. */
export type AnalysedTexts = { postings: Map<string, Posting[]>; length: number };

/**
 * Splits the texts of chunks into terms, by the code that indexes them in memory where the catalog is in SQLite: so both rank alike.
 * Others have their turn every few milliseconds.
 * @param chunks by ascending number
 */
export async function analyseTexts(chunks: ChunkWithTexts[]): Promise<AnalysedTexts> {
  const steps = buildTextSegment(0, chunks);
  let step = steps.next();
  while (step.done !== true) {
    await nextTurn();
    step = steps.next();
  }
  const segment = step.value;
  const postings = new Map<string, Posting[]>();
  for (let term = 0; term < termCount(segment); term++) {
    const found: Posting[] = [];
    const end = segment.postingOffsets[term + 1] as number;
    for (let i = segment.postingOffsets[term] as number; i < end; i++) {
      const slot = segment.postingSlots[i] as number;
      found.push({
        number: (chunks[slot] as ChunkWithTexts).number,
        length: segment.lengths[slot] as number,
        weight: segment.postingWeights[i] as number,
        sources: segment.postingSources[i] as number,
      });
    }
    postings.set(readTerm(segment, term), found);
  }
  return { postings, length: segment.totalLength };
}
