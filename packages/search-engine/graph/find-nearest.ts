import { type OpenIndex, readLinked } from '../index/index-memory.ts';
import { listSlots, type SlotSet } from '../index/slot-set.ts';
import { maxCompared } from '../index/vector-memory.ts';
import { findEntries } from './enter-graph.ts';
import { baseOf } from './layers.ts';
import { type GraphScratch, offer, type Pool, resetPool, searchGraph } from './search-graph.ts';

/** A slot and its similarity to a query: the cosine, -1..1 except for rounding. */
export type Neighbor = { slot: number; similarity: number };

/** Fewer candidates than this miss some of the nearest (`ef` in HNSW). */
const minCandidates = 64;
/**
 * Up to so many slots; beyond, candidates grow by the square root. Groups of vectors that are alike grow with the graph, and those of one group next to
 * the right one would take all places, so that no way leads on: of a million 64 candidates find 0.94 of the nearest, 128 find 0.99.
 */
const slotsOfMinCandidates = 250_000;

/**
 * Comparing a vector in the graph costs as much as comparing so many one after the other, because it is read from anywhere in memory and its
 * links as well.
 */
const graphCost = 6;
/** Vectors that are compared for each candidate of a search, about. */
const comparedPerCandidate = 16;

/**
 * The nearest of some slots, the nearest first. Where the selected ones are few enough, each is compared. Otherwise the graph is searched, and
 * when that visits as many as are selected, all are compared after all: twice the work at most (as Lucene does). Slots that are not in the graph
 * yet are always compared.
 * @param selected slots of live chunks that pass the filter
 */
export function findNearest(
  index: OpenIndex,
  scratch: GraphScratch,
  query: Float32Array,
  { selected, slotCount, count }: { selected: SlotSet; slotCount: number; count: number },
): Neighbor[] {
  const { vectors, header, embedded } = index;
  const { pool } = scratch;
  vectors.setQuery(query);
  const linked = Math.min(readLinked(header), slotCount);
  const least = minCandidates * Math.max(1, Math.sqrt(linked / slotsOfMinCandidates));
  const candidates = Math.max(Math.ceil(least), count);
  let compared = 0;
  if (selected.size > graphCost * comparedPerCandidate * candidates) {
    const passes = selected.size === slotCount ? null : selected.words;
    const entries = findEntries(index, scratch, { end: linked, passes });
    resetPool(pool, candidates);
    const maxExpanded = Math.ceil(selected.size / comparedPerCandidate);
    const finished = searchGraph(index, scratch, baseOf(index), { entries, end: linked, passes, maxExpanded });
    // A pool that is not full has not reached everything: behind a filter the graph may fall apart.
    const isComplete = finished && pool.size === candidates;
    if (isComplete) {
      compared = linked;
      // The graph is searched by a part of the bits; what is found is compared by all.
      const reached = pool.slots.slice(0, candidates);
      resetPool(pool, candidates);
      compareAll(index, pool, reached);
    }
  }
  if (compared === 0) resetPool(pool, candidates);
  if (compared < slotCount) compareFrom(index, pool, selected, compared);
  const found: Neighbor[] = [];
  for (let place = 0; place < pool.size && found.length < count; place++) {
    const slot = pool.slots[place] as number;
    if (embedded[slot] === 1) found.push({ slot, similarity: pool.similarities[place] as number });
  }
  return found;
}

/** Compares all selected slots from one on that have a vector. */
const compareFrom = (index: OpenIndex, pool: Pool, selected: SlotSet, from: number): void =>
  compareAll(index, pool, listSlots(selected, from));

/** Compares the query with those of some slots that have a vector, by all bits, and offers each. */
function compareAll(index: OpenIndex, pool: Pool, slots: ArrayLike<number>): void {
  const { embedded } = index;
  const { list } = index.vectors;
  let count = 0;
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] as number;
    if (embedded[slot] !== 1) continue;
    list[count] = slot;
    count += 1;
    if (count < maxCompared) continue;
    offerCompared(index, pool, count);
    count = 0;
  }
  offerCompared(index, pool, count);
}

function offerCompared({ vectors }: OpenIndex, pool: Pool, count: number): void {
  const { list, similarities } = vectors;
  vectors.compare(count);
  for (let i = 0; i < count; i++) offer(pool, list[i] as number, similarities[i] as number);
}
