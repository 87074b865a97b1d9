import { maxLinks, type OpenIndex } from '../index/index-memory.ts';
import { isIn } from '../index/slot-set.ts';
import { firstLink, type Layer } from './layers.ts';

/** The nearest slots that were found so far, the nearest first, and which of them were expanded. Reused between searches. */
export type Pool = {
  slots: Int32Array;
  similarities: Float32Array;
  expanded: Uint8Array;
  size: number;
  capacity: number;
};

/** Slots that a search has compared. Reused between searches: a slot is marked when it holds the number of this search. */
type Marks = { of: Uint8Array; current: number };

/** What one thread needs to search the graph. */
export type GraphScratch = { pool: Pool; marks: Marks };

export const createGraphScratch = (): GraphScratch => ({
  pool: {
    slots: new Int32Array(128),
    similarities: new Float32Array(128),
    expanded: new Uint8Array(128),
    size: 0,
    capacity: 0,
  },
  marks: { of: new Uint8Array(1024), current: 0 },
});

/** Up to so many slots a count of candidates stays as it is. */
const slotsOfFewCandidates = 250_000;

/**
 * How many candidates a search has in a graph of so many slots: beyond some, they grow by the square root. Groups of vectors that are alike grow with the graph, and
 * those of one group next to the right one would take all places, so that no way leads on.
 */
export const growingWith = (slots: number, count: number): number =>
  Math.ceil(count * Math.max(1, Math.sqrt(slots / slotsOfFewCandidates)));

/** Empties a pool for the nearest `capacity` slots. */
export function resetPool(pool: Pool, capacity: number): void {
  if (pool.slots.length < capacity) {
    pool.slots = new Int32Array(2 * capacity);
    pool.similarities = new Float32Array(2 * capacity);
    pool.expanded = new Uint8Array(2 * capacity);
  }
  pool.size = 0;
  pool.capacity = capacity;
}

/** Forgets which slots are marked. */
function resetMarks(marks: Marks, slotCount: number): void {
  if (marks.of.length < slotCount) {
    marks.of = new Uint8Array(Math.ceil(1.5 * slotCount));
    marks.current = 0;
  }
  marks.current += 1;
  if (marks.current === 256) {
    marks.of.fill(0);
    marks.current = 1;
  }
}

/** Inserts a slot where it belongs. @returns its place; `capacity` when it is farther than all of a full pool */
export function offer(pool: Pool, slot: number, similarity: number): number {
  const { slots, similarities, expanded, capacity } = pool;
  if (pool.size === capacity && similarity <= (similarities[capacity - 1] as number)) return capacity;
  let low = 0;
  let high = pool.size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((similarities[middle] as number) >= similarity) low = middle + 1;
    else high = middle;
  }
  if (pool.size < capacity) pool.size += 1;
  for (let place = pool.size - 1; place > low; place--) {
    slots[place] = slots[place - 1] as number;
    similarities[place] = similarities[place - 1] as number;
    expanded[place] = expanded[place - 1] as number;
  }
  slots[low] = slot;
  similarities[low] = similarity;
  expanded[low] = 0;
  return low;
}

/** Estimates how near the first `count` slots of the list are to the query and offers each. @returns the best place that one got */
function offerList({ vectors }: Pick<OpenIndex, 'vectors'>, pool: Pool, count: number): number {
  const { list, similarities } = vectors;
  vectors.estimate(count);
  let best = pool.capacity;
  for (let i = 0; i < count; i++) {
    const place = offer(pool, list[i] as number, similarities[i] as number);
    if (place < best) best = place;
  }
  return best;
}

/**
 * Finds the nearest slots in a layer of the graph, as well as the high bytes of vectors tell (`vectors.estimate`), by expanding the nearest that is not expanded yet until
 * all of the pool are: greedy search in a navigable graph (Malkov & Yashunin 2016).
 * @param entries slots of the layer to begin with; one that does not pass stands for those that it leads to
 * @param end slots from here on are skipped: they are being added at this moment
 * @param hidden a slot that is not found; -1: none
 * @param passes words of the slots that may be found; null: all. A link to one that may not is followed one step further (ACORN-1, Patel et al. 2024),
 *     so that behind a filter no more vectors are compared than without
 * @returns whether it came to an end within `maxExpanded` expansions. The result is in the pool
 */
export function searchGraph(
  index: Pick<OpenIndex, 'vectors'>,
  { pool, marks }: GraphScratch,
  layer: Layer,
  {
    entries,
    end,
    hidden = -1,
    passes,
    maxExpanded,
  }: { entries: ArrayLike<number>; end: number; hidden?: number; passes: Uint32Array | null; maxExpanded: number },
): boolean {
  const { list } = index.vectors;
  resetMarks(marks, end);
  const { of, current } = marks;
  if (hidden >= 0) of[hidden] = current;
  let count = 0;
  for (let i = 0; i < entries.length; i++) {
    const slot = entries[i] as number;
    if (of[slot] === current || (passes !== null && !isIn(passes, slot))) continue;
    of[slot] = current;
    list[count] = slot;
    count += 1;
  }
  offerList(index, pool, count);
  if (passes !== null) {
    for (let i = 0; i < entries.length; i++) {
      const slot = entries[i] as number;
      if (of[slot] === current || isIn(passes, slot)) continue;
      of[slot] = current;
      offerList(index, pool, collect(layer, slot, { of, current }, end, passes, list));
    }
  }
  let expansions = 0;
  for (let place = 0; place < pool.size;) {
    if (pool.expanded[place] === 1) {
      place += 1;
      continue;
    }
    expansions += 1;
    if (expansions > maxExpanded) return false;
    pool.expanded[place] = 1;
    count = collect(layer, pool.slots[place] as number, { of, current }, end, passes, list);
    place = Math.min(place + 1, offerList(index, pool, count));
  }
  return true;
}

/**
 * Lists the slots that a slot links to and that are not marked, and marks them. Behind a filter, links to slots that do not pass are followed one step
 * further until there are as many as a slot has links.
 * @returns how many
 */
function collect(
  layer: Layer,
  slot: number,
  { of, current }: Marks,
  end: number,
  passes: Uint32Array | null,
  list: Int32Array,
): number {
  const { links } = layer;
  let count = 0;
  const first = firstLink(layer, slot);
  const last = first + maxLinks;
  for (let at = first; at < last; at++) {
    const near = (links[at] as number) - 1;
    if (near < 0) break;
    if (near >= end || of[near] === current || (passes !== null && !isIn(passes, near))) continue;
    of[near] = current;
    list[count] = near;
    count += 1;
  }
  if (passes === null) return count;
  for (let at = first; at < last && count < maxLinks; at++) {
    const near = (links[at] as number) - 1;
    if (near < 0) break;
    if (near >= end || of[near] === current) continue;
    of[near] = current;
    const start = firstLink(layer, near);
    for (let next = start; next < start + maxLinks && count < maxLinks; next++) {
      const far = (links[next] as number) - 1;
      if (far < 0) break;
      if (far >= end || of[far] === current || !isIn(passes, far)) continue;
      of[far] = current;
      list[count] = far;
      count += 1;
    }
  }
  return count;
}
