import { blockOf, blockSize, placeOf, type PostingBlock } from '../../catalog/postgres/posting-block.ts';
import { stemOf } from '../text/analyse-text.ts';
import { compareTerms, type TextSegment } from '../text/text-segment.ts';

/** A term with those of its postings that were read. */
export type LoadedTerm = {
  term: string;
  /** In how many chunks it occurs. */
  frequency: number;
  /** Whether all of its postings were read. */
  isWhole: boolean;
  blocks: Map<number, PostingBlock>;
};

/** The texts of a workspace, as far as a query asks for them: its slots are the chunks that hold one of some terms, by ascending number. */
export type SmallSegment = {
  segment: TextSegment;
  /** The number of the chunk in each slot. */
  numbers: Float64Array;
  /** The slot of a chunk; undefined where it is not among them. */
  slotOf: (number: number) => number | undefined;
};

/**
 * An index of some terms alone, by which the engine ranks as by one of all texts: it reads the postings of a query's terms, the lengths of texts that hold
 * them, and the totals of the workspace, and nothing else.
 * @param labelled chunks that are found by something else than their texts
 */
export function buildSmallSegment(
  loaded: LoadedTerm[],
  labelled: number[],
  totals: { documents: number; length: number },
): SmallSegment {
  const slots = assignSlots(loaded, labelled);
  const terms = loaded.filter(({ blocks }) => blocks.size > 0).sort((a, b) => compareTerms(a.term, b.term));
  const postings = placePostings(terms, slots);
  const { bytes: termBytes, offsets: termOffsets } = encodeAll(terms.map(({ term }) => term));
  return {
    segment: {
      firstSlot: 0,
      slotCount: slots.numbers.length,
      documentCount: totals.documents,
      totalLength: totals.length,
      termBytes,
      termOffsets,
      ...postings,
      ...listStems(terms, postings, slots.numbers.length, totals.documents),
    },
    ...slots,
  };
}

type Slots = Pick<SmallSegment, 'numbers' | 'slotOf'> & {
  /** The slot of each place in a block, counted from 1. */
  tables: Map<number, Uint32Array>;
};

function assignSlots(loaded: LoadedTerm[], labelled: number[]): Slots {
  const tables = new Map<number, Uint32Array>();
  const tableOf = (block: number): Uint32Array => {
    const known = tables.get(block) ?? new Uint32Array(blockSize);
    tables.set(block, known);
    return known;
  };
  for (const { blocks } of loaded) {
    for (const [block, { places }] of blocks) {
      const table = tableOf(block);
      for (const place of places) table[place] = 1;
    }
  }
  for (const number of labelled) tableOf(blockOf(number))[placeOf(number)] = 1;
  const numbers: number[] = [];
  for (const block of [...tables.keys()].sort((a, b) => a - b)) {
    const table = tables.get(block) as Uint32Array;
    for (let place = 0; place < blockSize; place++) {
      if (table[place] === 1) table[place] = numbers.push(block * blockSize + place);
    }
  }
  const slotOf = (number: number): number | undefined => {
    const slot = tables.get(blockOf(number))?.[placeOf(number)] ?? 0;
    return slot === 0 ? undefined : slot - 1;
  };
  return { numbers: Float64Array.from(numbers), slotOf, tables };
}

type Placed = Pick<TextSegment, 'lengths' | 'postingOffsets' | 'postingSlots' | 'postingWeights' | 'postingSources'>;

function placePostings(terms: LoadedTerm[], { numbers, tables }: Slots): Placed {
  const total = terms.reduce((sum, { blocks }) => sum + countPostings(blocks), 0);
  const lengths = new Uint16Array(numbers.length);
  const postingOffsets = new Uint32Array(terms.length + 1);
  const postingSlots = new Uint32Array(total);
  const postingWeights = new Uint8Array(total);
  const postingSources = new Uint8Array(total);
  let next = 0;
  for (const [i, { blocks }] of terms.entries()) {
    for (const block of [...blocks.keys()].sort((a, b) => a - b)) {
      const table = tables.get(block) as Uint32Array;
      const { places, lengths: own, weights, sources } = blocks.get(block) as PostingBlock;
      postingWeights.set(weights, next);
      postingSources.set(sources, next);
      for (let k = 0; k < places.length; k++) {
        const slot = (table[places[k] as number] as number) - 1;
        postingSlots[next++] = slot;
        lengths[slot] = own[k] as number;
      }
    }
    postingOffsets[i + 1] = next;
  }
  return { lengths, postingOffsets, postingSlots, postingWeights, postingSources };
}

const countPostings = (blocks: LoadedTerm['blocks']): number =>
  [...blocks.values()].reduce((sum, { places }) => sum + places.length, 0);

/** All stems, each with its terms, and in how many chunks they occur: those that were not read count too. */
function listStems(
  terms: LoadedTerm[],
  { postingOffsets, postingSlots }: Placed,
  slotCount: number,
  documents: number,
): Pick<TextSegment, 'stemBytes' | 'stemOffsets' | 'stemTermOffsets' | 'stemTerms' | 'stemFrequencies'> {
  const members = Map.groupBy(terms.keys(), (term) => stemOf((terms[term] as LoadedTerm).term));
  const stems = [...members.keys()].sort(compareTerms);
  const stemTermOffsets = new Uint32Array(stems.length + 1);
  const stemTerms = new Uint32Array(terms.length);
  const stemFrequencies = new Uint32Array(stems.length);
  /** The last stem that was seen in each slot, counted from 1. */
  const seen = new Uint32Array(slotCount);
  for (const [i, stem] of stems.entries()) {
    const group = members.get(stem) as number[];
    stemTerms.set(group, stemTermOffsets[i]);
    stemTermOffsets[i + 1] = (stemTermOffsets[i] as number) + group.length;
    let [found, unread] = [0, 0];
    for (const term of group) {
      const [from, to] = [postingOffsets[term] as number, postingOffsets[term + 1] as number];
      unread += (terms[term] as LoadedTerm).frequency - (to - from);
      for (let p = from; p < to; p++) {
        const slot = postingSlots[p] as number;
        if (seen[slot] !== i + 1) found++;
        seen[slot] = i + 1;
      }
    }
    stemFrequencies[i] = Math.min(documents, found + unread);
  }
  const { bytes: stemBytes, offsets: stemOffsets } = encodeAll(stems);
  return { stemBytes, stemOffsets, stemTermOffsets, stemTerms, stemFrequencies };
}

/** Strings as UTF-8, one after the other. */
function encodeAll(strings: string[]): { bytes: Uint8Array; offsets: Uint32Array } {
  const encoded = strings.map((string) => Buffer.from(string));
  const offsets = new Uint32Array(strings.length + 1);
  for (const [i, { length }] of encoded.entries()) offsets[i + 1] = (offsets[i] as number) + length;
  return { bytes: new Uint8Array(Buffer.concat(encoded)), offsets };
}
