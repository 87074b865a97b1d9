import { stemOf } from '@media-search/search-engine/text/analyse-text';
import { compareTerms, type TextSegment } from '@media-search/search-engine/text/text-segment';
import { blockOf, blockSize, placeOf, type PostingBlock } from '../../catalog/postgres/posting-block.ts';

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
  const terms = loaded.filter(({ blocks }) => blocks.size > 0).sort((a, b) => compareTerms(a.term, b.term));
  const { numbers, postings } = placePostings(terms, labelled);
  const { bytes: termBytes, offsets: termOffsets } = encodeAll(terms.map(({ term }) => term));
  return {
    numbers,
    slotOf: (number) => findNumber(numbers, number),
    segment: {
      firstSlot: 0,
      slotCount: numbers.length,
      documentCount: totals.documents,
      totalLength: totals.length,
      termBytes,
      termOffsets,
      ...postings,
      ...listStems(terms, postings, numbers.length, totals.documents),
    },
  };
}

/** The place of a number among ascending ones; undefined where it is not there. */
function findNumber(numbers: Float64Array, number: number): number | undefined {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === number ? low : undefined;
}

type Placed = Pick<TextSegment, 'lengths' | 'postingOffsets' | 'postingSlots' | 'postingWeights' | 'postingSources'>;

/** Gives each chunk a slot and puts the postings of each term in their order, block by block. */
function placePostings(terms: LoadedTerm[], labelled: number[]): { numbers: Float64Array; postings: Placed } {
  const postingOffsets = new Uint32Array(terms.length + 1);
  for (const [i, { blocks }] of terms.entries()) {
    postingOffsets[i + 1] = (postingOffsets[i] as number) + countPostings(blocks);
  }
  const total = postingOffsets[terms.length] as number;
  const postingSlots = new Uint32Array(total);
  const postingWeights = new Uint8Array(total);
  const postingSources = new Uint8Array(total);
  const numbers = new Float64Array(total + labelled.length);
  const lengths = new Uint16Array(total + labelled.length);
  const next = postingOffsets.slice();
  const slotAt = new Uint32Array(blockSize);
  let count = 0;
  for (const { block, held, labelledPlaces } of listBlocks(terms, labelled)) {
    const places = joinPlaces([...held.map(({ postings }) => postings.places), labelledPlaces]);
    for (let i = 0; i < places.length; i++) {
      slotAt[places[i] as number] = count;
      numbers[count++] = block * blockSize + (places[i] as number);
    }
    for (const { term, postings } of held) {
      const { places, lengths: own, weights, sources } = postings;
      const first = next[term] as number;
      postingWeights.set(weights, first);
      postingSources.set(sources, first);
      for (let k = 0; k < places.length; k++) {
        const slot = slotAt[places[k] as number] as number;
        postingSlots[first + k] = slot;
        lengths[slot] = own[k] as number;
      }
      next[term] = first + places.length;
    }
  }
  return {
    numbers: numbers.subarray(0, count),
    postings: { lengths: lengths.subarray(0, count), postingOffsets, postingSlots, postingWeights, postingSources },
  };
}

/** What is held in a block of chunk numbers, by the places of terms. */
type HeldBlock = { block: number; held: { term: number; postings: PostingBlock }[]; labelledPlaces: number[] };

/** The blocks that hold anything, by ascending number. */
function listBlocks(terms: LoadedTerm[], labelled: number[]): HeldBlock[] {
  const found = new Map<number, HeldBlock>();
  const blockAt = (block: number): HeldBlock => {
    const known = found.get(block) ?? { block, held: [], labelledPlaces: [] };
    found.set(block, known);
    return known;
  };
  for (const [term, { blocks }] of terms.entries()) {
    for (const [block, postings] of blocks) blockAt(block).held.push({ term, postings });
  }
  for (const number of labelled) blockAt(blockOf(number)).labelledPlaces.push(placeOf(number));
  return [...found.values()].sort((a, b) => a.block - b.block);
}

/** More places than this are found by looking at all of a block, fewer are sorted. */
const maxSorted = 128;

/** Which places are held, and a list of them: of one block at a time. */
const [isHeld, joined] = [new Uint8Array(blockSize), new Uint16Array(blockSize)];

/** The places of some lists, each once and in order; until the next call. */
function joinPlaces(lists: ArrayLike<number>[]): Uint16Array {
  let size = 0;
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) {
      const place = list[i] as number;
      if (isHeld[place] === 0) joined[size++] = place;
      isHeld[place] = 1;
    }
  }
  const places = joined.subarray(0, size);
  if (size <= maxSorted) {
    places.sort();
    for (const place of places) isHeld[place] = 0;
    return places;
  }
  for (let place = 0, i = 0; i < size; place++) {
    if (isHeld[place] === 0) continue;
    joined[i++] = place;
    isHeld[place] = 0;
  }
  return places;
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
      // A term is in a chunk once.
      if (group.length === 1) found = to - from;
      else
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
