/** A set of slots: a bit for each. */
export type SlotSet = { words: Uint32Array; size: number };

export const wordsFor = (slots: number): number => Math.ceil(slots / 32);

/** Whether the bit of a slot is set in some words; not in words that are missing. */
export const isIn = (words: Uint32Array, slot: number): boolean =>
  (((words[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1;

export const hasSlot = ({ words }: Pick<SlotSet, 'words'>, slot: number): boolean => isIn(words, slot);

/** Adds the slots from `first` to before `end`. */
export function addRange(words: Uint32Array, first: number, end: number): void {
  for (let slot = first; slot < end;) {
    const word = slot >>> 5;
    if (slot % 32 === 0 && slot + 32 <= end) {
      words[word] = 0xffffffff;
      slot += 32;
    } else {
      words[word] = (words[word] as number) | (1 << (slot & 31));
      slot += 1;
    }
  }
}

/** The slots in some words that are not among the deleted ones. */
export function withoutDeleted(words: Uint32Array, deleted: Uint32Array): SlotSet {
  let size = 0;
  for (let i = 0; i < words.length; i++) {
    const word = (words[i] as number) & ~(deleted[i] as number);
    words[i] = word;
    size += countBits(word);
  }
  return { words, size };
}

/** The slots of a set from one on, in ascending order. */
export function listSlots({ words, size }: SlotSet, from: number): Int32Array {
  const slots = new Int32Array(size);
  let count = 0;
  for (let i = from >>> 5; i < words.length; i++) {
    let word = words[i] as number;
    if (32 * i < from) word &= -1 << (from & 31);
    for (; word !== 0; word &= word - 1) {
      slots[count] = 32 * i + (31 - Math.clz32(word & -word));
      count += 1;
    }
  }
  return slots.subarray(0, count);
}

/** How many bits of 32 are set (Warren, Hacker's Delight, 5-1). */
export function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
