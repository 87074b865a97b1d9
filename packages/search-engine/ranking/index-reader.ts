import { labelColumns, listColumns, numberColumns } from '../../../contract/fields.ts';
import { isInBox, isInCircle } from '../../../contract/positions.ts';
import { type IndexSnapshot, type OpenIndex, openIndex } from '../index/index-memory.ts';
import { holdsLabel } from '../index/item-lists.ts';
import { openPassages } from '../index/passage-memory.ts';
import { addRange, hasSlot, isIn, type SlotSet, withoutDeleted, wordsFor } from '../index/slot-set.ts';
import { maxCompared } from '../index/vector-memory.ts';
import { backgroundSize } from './calibration.ts';
import type { IndexFilter, NumberRange } from './search-tasks.ts';

/** Filters whose slots are kept until the index changes. */
const maxKeptFilters = 16;

/** A snapshot of an index as a search thread reads it. */
export type IndexReader = ReturnType<typeof readIndex>;

/** @param thread number of the calling thread */
export function readIndex(snapshot: IndexSnapshot, thread: number) {
  const { slotCount } = snapshot;
  const index = openIndex(snapshot.memory, thread);
  const selections = new Map<string, SlotSet>();
  let sampled: number[] | undefined;

  /** The slots of live chunks whose item passes a filter. */
  function select(filter: IndexFilter): SlotSet {
    const key = JSON.stringify(filter);
    const known = selections.get(key);
    if (known) return known;
    const selected = selectSlots(index, snapshot, filter);
    if (selections.size >= maxKeptFilters) selections.delete(selections.keys().next().value as string);
    selections.set(key, selected);
    return selected;
  }

  /** The slots of live chunks by their numbers; undefined for a number that is not there. */
  function findSlots(numbers: number[]): (number | undefined)[] {
    const slots = new Map<number, number | undefined>(numbers.map((number) => [number, undefined]));
    // Not by spreading them: an item may have more chunks than a call may have arguments.
    const least = numbers.reduce((a, b) => Math.min(a, b), Infinity);
    const most = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
    const live = select({});
    for (let slot = 0; slot < slotCount; slot++) {
      const number = index.numbers[slot] as number;
      if (number >= least && number <= most && slots.has(number) && hasSlot(live, slot)) slots.set(number, slot);
    }
    return numbers.map((number) => slots.get(number));
  }

  return {
    snapshot,
    index,
    passages: snapshot.passages && openPassages(snapshot.passages, thread),
    select,

    /** The slots of those of some chunks, by their numbers, that are live and whose item passes a filter. */
    selectOnly(numbers: number[], filter: IndexFilter): SlotSet {
      const { words } = select(filter);
      const only = new Uint32Array(words.length);
      let size = 0;
      for (const slot of findSlots(numbers)) {
        if (slot === undefined || !isIn(words, slot)) continue;
        addRange(only, slot, slot + 1);
        size += 1;
      }
      return { words: only, size };
    },

    /** Live slots with a vector, spread evenly over all: a sample that is the same for the same chunks. */
    sample: (): number[] => (sampled ??= spreadOver(index, select({}), slotCount)),

    findSlots,

    /** The cosines of a unit vector and the vectors of some slots, in their order; NaN for a slot without one. */
    compare(query: Float32Array, slots: ArrayLike<number>): Float64Array {
      index.vectors.setQuery(query);
      return compareSlots(index, slots);
    },

    /** The cosines of the vector of a slot and those of others. */
    compareSlot(slot: number, others: ArrayLike<number>): Float64Array {
      index.vectors.setQueryToSlot(slot);
      const cosines = compareSlots(index, others);
      return index.embedded[slot] === 1 ? cosines : cosines.fill(Number.NaN);
    },
  };
}

function selectSlots(index: OpenIndex, { slotCount, itemCount, deleted }: IndexSnapshot, filter: IndexFilter): SlotSet {
  const words = new Uint32Array(wordsFor(slotCount));
  const conditions = listConditions(index, filter);
  const { ranges } = index;
  if (conditions.length === 0) addRange(words, 0, slotCount);
  else {
    for (let item = 0; item < itemCount; item++) {
      if (conditions.every((isMet) => isMet(item))) {
        addRange(words, ranges[2 * item] as number, ranges[2 * item + 1] as number);
      }
    }
  }
  return withoutDeleted(words, deleted);
}

/** What a filter asks of an item, by its number. */
function listConditions(
  { labels, numbersOfItems, lists, listPlaces }: OpenIndex,
  filter: IndexFilter,
): ((item: number) => boolean)[] {
  const conditions: ((item: number) => boolean)[] = [];
  for (const name of labelColumns) {
    const [column, label] = [labels[name], filter[name]];
    if (typeof label === 'number') conditions.push((item) => column[item] === label);
    else if (label) conditions.push((item) => label.includes(column[item] as number));
  }
  for (const name of listColumns) {
    const [places, label] = [listPlaces[name], filter[name]];
    if (label !== undefined) conditions.push((item) => holdsLabel(lists, Atomics.load(places, item), label));
  }
  for (const name of numberColumns) {
    const [column, range] = [numbersOfItems[name], filter[name]];
    if (range) conditions.push(...rangeConditions(column, range));
  }
  const { latitude, longitude } = numbersOfItems;
  const { near, box } = filter;
  if (near) conditions.push((item) => isInCircle(near, latitude[item] as number, longitude[item] as number));
  if (box) conditions.push((item) => isInBox(box, latitude[item] as number, longitude[item] as number));
  return conditions;
}

/** NaN, where an item has no number, meets none of them. */
function rangeConditions(column: Float64Array, range: NumberRange): ((item: number) => boolean)[] {
  const conditions: ((item: number) => boolean)[] = [];
  const { after, before, min = after, max } = range;
  if (min !== undefined) conditions.push((item) => (column[item] as number) >= min);
  if (max !== undefined) conditions.push((item) => (column[item] as number) <= max);
  if (before !== undefined) conditions.push((item) => (column[item] as number) < before);
  return conditions;
}

function spreadOver({ embedded }: OpenIndex, live: SlotSet, slotCount: number): number[] {
  const slots: number[] = [];
  const step = Math.max(1, slotCount / backgroundSize);
  let next = 0;
  for (let slot = 0; slot < slotCount; slot++) {
    if (slot < Math.floor(next * step) || embedded[slot] !== 1 || !hasSlot(live, slot)) continue;
    slots.push(slot);
    // Behind a row of deleted slots it does not catch up with a row of neighbours.
    next = Math.max(next + 1, Math.floor(slot / step) + 1);
  }
  return slots;
}

function compareSlots({ vectors, embedded }: OpenIndex, slots: ArrayLike<number>): Float64Array {
  const { list, similarities } = vectors;
  const cosines = new Float64Array(slots.length);
  for (let first = 0; first < slots.length; first += maxCompared) {
    const count = Math.min(maxCompared, slots.length - first);
    for (let i = 0; i < count; i++) list[i] = slots[first + i] as number;
    vectors.compare(count);
    for (let i = 0; i < count; i++) {
      const hasVector = embedded[slots[first + i] as number] === 1;
      cosines[first + i] = hasVector ? (similarities[i] as number) : Number.NaN;
    }
  }
  return cosines;
}
