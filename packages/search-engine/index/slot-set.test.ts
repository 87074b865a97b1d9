import { expect, test } from 'vitest';
import { createRandom } from '../testing/random.ts';
import { addRange, countBits, hasSlot, listSlots, withoutDeleted, wordsFor } from './slot-set.ts';

test('bits are counted, the highest one as well', () => {
  for (const word of [0, 1, 0x80000000, 0xffffffff, 0x7fffffff, 0xaaaaaaaa, -1, 0x01010101]) {
    expect(countBits(word)).toBe((word >>> 0).toString(2).replaceAll('0', '').length);
  }
});

test('ranges, deletions and lists agree with sets of numbers, at every border of a word', () => {
  const random = createRandom(4);
  for (let round = 0; round < 300; round++) {
    const slotCount = 1 + random.below(200);
    const words = new Uint32Array(wordsFor(slotCount));
    const expected = new Set<number>();
    for (let range = random.below(5); range > 0; range--) {
      const first = random.below(slotCount);
      const end = first + random.below(slotCount - first + 1);
      addRange(words, first, end);
      for (let slot = first; slot < end; slot++) expected.add(slot);
    }
    // Memory for deletions grows ahead of the slots.
    const deleted = new Uint32Array(words.length + random.below(3));
    for (let slot = 0; slot < slotCount; slot++) {
      if (random.next() > 0.2) continue;
      deleted[slot >>> 5] = (deleted[slot >>> 5] as number) | (1 << (slot & 31));
      expected.delete(slot);
    }
    const set = withoutDeleted(words, deleted);
    expect(set.size).toBe(expected.size);
    const sorted = [...expected].sort((a, b) => a - b);
    for (const from of [0, 1, 31, 32, 33, random.below(slotCount), slotCount]) {
      expect([...listSlots(set, from)]).toEqual(sorted.filter((slot) => slot >= from));
    }
    for (let slot = 0; slot < slotCount; slot++) expect(hasSlot(set, slot)).toBe(expected.has(slot));
  }
});
