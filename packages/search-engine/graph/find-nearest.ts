import { type OpenIndex, readLinked } from '../index/index-memory.ts';
import { listSlots, type SlotSet } from '../index/slot-set.ts';
import { maxCompared } from '../index/vector-memory.ts';
import { findEntries } from './enter-graph.ts';
import { baseOf } from './layers.ts';
import { type GraphScratch, growingWith, offer, type Pool, resetPool, searchGraph } from './search-graph.ts';

/** A slot and its similarity to a query: the cosine, -1..1 except for rounding. */
export type Neighbor = { slot: number; similarity: number };

/** Fewer candidates than this miss some of the nearest (`ef` in HNSW). */
const minCandidates = 64;
/** Of more than so many, only the best by their high bytes are compared by all bits. */
const maxExact = 512;
/** So many more than are wanted are: of those that are as good as equally near, high bytes alone choose by chance. */
const spare = 32;
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
  const { vectors, header } = index;
  const { pool } = scratch;
  vectors.setQuery(query);
  const linked = Math.min(readLinked(header), slotCount);
  const candidates = Math.max(growingWith(linked, minCandidates), count);
  const isWorthGraph = selected.size > graphCost * comparedPerCandidate * candidates;
  const reached = isWorthGraph ? searchLinked(index, scratch, { selected, slotCount, linked, candidates }) : null;
  const compared = reached ? linked : 0;
  let rest = compared < slotCount ? listSlots(selected, compared) : new Int32Array();
  if (rest.length > maxExact) {
    resetPool(pool, candidates + spare);
    offerAll(index, pool, rest, 'estimate');
    rest = pool.slots.slice(0, pool.size);
  }
  // What was found by a part of the bits is compared by all.
  resetPool(pool, candidates);
  if (reached) offerAll(index, pool, reached, 'compare');
  offerAll(index, pool, rest, 'compare');
  const found: Neighbor[] = [];
  for (let place = 0; place < pool.size && found.length < count; place++) {
    found.push({ slot: pool.slots[place] as number, similarity: pool.similarities[place] as number });
  }
  return found;
}

/** The candidates that the graph leads to, as well as high bytes tell; null where that takes as long as comparing all, or does not reach enough. */
function searchLinked(
  index: OpenIndex,
  scratch: GraphScratch,
  {
    selected,
    slotCount,
    linked: end,
    candidates,
  }: { selected: SlotSet; slotCount: number; linked: number; candidates: number },
): Int32Array | null {
  const { pool } = scratch;
  const passes = selected.size === slotCount ? null : selected.words;
  const entries = findEntries(index, scratch, { end, passes });
  resetPool(pool, candidates);
  const maxExpanded = Math.ceil(selected.size / comparedPerCandidate);
  const finished = searchGraph(index, scratch, baseOf(index), { entries, end, passes, maxExpanded });
  // A pool that is not full has not reached everything: behind a filter the graph may fall apart.
  return finished && pool.size === candidates ? pool.slots.slice(0, candidates) : null;
}

/** Offers the similarities of the query and some slots that have a vector, by all bits or by the high bytes alone. */
function offerAll(
  { vectors, embedded }: OpenIndex,
  pool: Pool,
  slots: ArrayLike<number>,
  by: 'compare' | 'estimate',
): void {
  const { list, similarities } = vectors;
  for (let i = 0; i < slots.length;) {
    let count = 0;
    for (; i < slots.length && count < maxCompared; i++) {
      const slot = slots[i] as number;
      list[count] = slot;
      count += embedded[slot] === 1 ? 1 : 0;
    }
    vectors[by](count);
    for (let k = 0; k < count; k++) offer(pool, list[k] as number, similarities[k] as number);
  }
}
