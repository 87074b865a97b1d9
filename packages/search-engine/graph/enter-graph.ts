import { type OpenIndex, upperEvery } from '../index/index-memory.ts';
import { upperOf, upperSlot } from './layers.ts';
import { type GraphScratch, resetPool, searchGraph } from './search-graph.ts';

/** Slots of the upper layer where its search begins: in so many places, in case some lead into a dead end. */
const spreadCount = 128;
/** So many of the nearest in the upper layer are where a search of the base begins. */
const entryCount = 16;
/** As many as two scenes have in the upper layer of a million: with fewer candidates one in four hundred searches ends in another scene. */
const candidateCount = 32;

type Where = {
  /** Slots from here on are skipped: they are being added at this moment. */
  end: number;
  /** Words of the slots that may be found; null: all. */
  passes: Uint32Array | null;
};

/**
 * Finds where a search of the base begins: the nearest slots of the upper layer, as well as the high bytes of vectors tell. Behind a filter these may be of a scene
 * that does not pass at all, so the nearest of those that pass are there as well. Uses the pool.
 */
export function findEntries(index: OpenIndex, scratch: GraphScratch, { passes, ...where }: Where): number[] {
  const { pool } = scratch;
  const search = (entries: number[], passing: Uint32Array | null): number[] => {
    resetPool(pool, candidateCount);
    searchGraph(index, scratch, upperOf(index), { ...where, entries, passes: passing, maxExpanded: Infinity });
    return Array.from(pool.slots.subarray(0, Math.min(entryCount, pool.size)));
  };
  const nearest = search(spreadOver(index, where.end), null);
  return passes === null ? nearest : [...nearest, ...search(nearest, passes)];
}

/** Slots of the upper layer that have a vector, in equal distances. */
function spreadOver({ embedded }: OpenIndex, end: number): number[] {
  const groups = Math.ceil(end / upperEvery);
  const count = Math.min(spreadCount, groups);
  const slots: number[] = [];
  for (let i = 0; i < count; i++) {
    const slot = upperSlot(Math.floor((i * groups) / count));
    if (slot < end && embedded[slot] === 1) slots.push(slot);
  }
  return slots;
}
