import { addRange, isIn, wordsFor } from '@media-search/search-engine/index/slot-set';
import type { FoundTexts, TextMatch } from '@media-search/search-engine/text/search-texts';

/**
 * Text search behind a filter that many chunks pass. Postings say nothing of items, and to look up each chunk that holds a common word takes a hundred times
 * as long as to rank them all. So all are ranked, the best few hundred are looked up, and the search is done again deeper while too few of them pass: the best that
 * pass are the same as if all had been looked up before, at any share. Only what decides about more than itself is looked up before: chunks with the
 * words of a phrase, whose texts are read, and those of words that may stand in for one with a typing error.
 */

/** Which chunks pass a filter, by their numbers. */
export type Passing = {
  /** About which share does, 0..1. */
  share(): Promise<number>;
  /** All that do, where they are few; otherwise null. */
  list(): Promise<ReadonlySet<number> | null>;
  /** Those of some that do. */
  find(numbers: ArrayLike<number>): Promise<{ has(number: number): boolean }>;
};

/** How many of the best matches are wanted; words that begin with the last one are looked for where fewer than `enough` match. */
export type Depth = { count: number; enough: number };

/** Searches all slots of which a bit is set. */
type Search = (selected: Uint32Array, depth: Depth) => Promise<FoundTexts>;

/** More are looked up than should be needed, because the share of the best may differ from that of all. */
const [margin, moreThanNeeded] = [1.25, 20];
/** The least share that a depth is reckoned by. */
const leastShare = 0.01;
const growth = 4;

type Asked = Depth & {
  /** The numbers of the slots. */
  numbers: Float64Array;
  /** The slot of a chunk; undefined where it has none. */
  slotOf: (number: number) => number | undefined;
  /** Whether a beginning of a word was asked for. */
  hasPrefix: boolean;
  /** Slots that are looked up before, where not all that pass are known. */
  listDecisive: () => Iterable<number>;
};

/** The best matches that pass. Its other answers are those of slots that pass or were not looked up. @param passing null: all do */
export async function searchPassing(passing: Passing | null, asked: Asked, search: Search): Promise<FoundTexts> {
  const { numbers, count, enough } = asked;
  const selected = new Uint32Array(wordsFor(numbers.length));
  const list = passing && (await passing.list());
  if (list) {
    select(selected, asked, list);
    return search(selected, { count, enough });
  }
  addRange(selected, 0, numbers.length);
  if (passing === null) return search(selected, { count, enough });
  const lookUp = openLookUp(passing, selected, numbers);
  await lookUp(asked.listDecisive());
  let depth = Math.ceil((margin * count) / Math.max(leastShare, await passing.share())) + moreThanNeeded;
  let isPrefixed = false;
  for (;;) {
    // Whether a beginning counts is decided by how many of all that pass match without it.
    const found = await search(selected, { count: depth, enough: isPrefixed ? depth : 0 });
    await lookUp(found.matches.map(({ slot }) => slot));
    const matches = found.matches.filter(({ slot }: TextMatch) => isIn(selected, slot));
    const isAll = found.matches.length < depth;
    if (!isAll && matches.length < count) depth *= growth;
    else if (asked.hasPrefix && !isPrefixed && matches.length < Math.min(enough, count)) isPrefixed = true;
    else return { ...found, matches: matches.slice(0, count) };
  }
}

/** Sets the bits of the slots that pass, looking up whichever are fewer. */
function select(selected: Uint32Array, { numbers, slotOf }: Asked, list: ReadonlySet<number>): void {
  const add = (slot: number) => {
    selected[slot >>> 5] = (selected[slot >>> 5] as number) | (1 << (slot & 31));
  };
  if (list.size < numbers.length) {
    for (const number of list) {
      const slot = slotOf(number);
      if (slot !== undefined) add(slot);
    }
  } else {
    for (let slot = 0; slot < numbers.length; slot++) if (list.has(numbers[slot] as number)) add(slot);
  }
}

/** Clears the bits of slots that do not pass. */
function leaveOut(
  selected: Uint32Array,
  slots: Iterable<number>,
  numbers: Float64Array,
  passing: { has(number: number): boolean },
): void {
  for (const slot of slots) {
    if (!passing.has(numbers[slot] as number))
      selected[slot >>> 5] = (selected[slot >>> 5] as number) & ~(1 << (slot & 31));
  }
}

/** Returns the function that looks up slots, each once, and clears the bits of those that do not pass. */
function openLookUp(passing: Passing, selected: Uint32Array, numbers: Float64Array) {
  const known = new Set<number>();
  return async (slots: Iterable<number>): Promise<void> => {
    const unknown = [...new Set(slots)].filter((slot) => !known.has(slot));
    if (unknown.length === 0) return;
    const found = await passing.find(unknown.map((slot) => numbers[slot] as number));
    for (const slot of unknown) known.add(slot);
    leaveOut(selected, unknown, numbers, found);
  };
}
