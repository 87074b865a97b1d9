import { countGroups, type OpenIndex } from '../index/index-memory.ts';
import { isIn } from '../index/slot-set.ts';
import { upperOf, upperSlot } from './layers.ts';
import { type GraphScratch, growingWith, resetPool, searchGraph } from './search-graph.ts';

/** Slots of the upper layer where its search begins: in so many places, in case some lead into a dead end. */
const spreadCount = 128;
/** So many of the nearest in the upper layer are where a search of the base begins. */
const entryCount = 16;
/** So many of them that pass are enough to begin with. */
const enoughPassing = 4;

type Where = {
  /** Slots from here on are skipped: they are being added at this moment. */
  end: number;
  /** Words of the slots that may be found; null: all. */
  passes: Uint32Array | null;
};

/**
 * Finds where a search of the base begins: the nearest slots of the upper layer, as well as the high bytes of vectors tell. Behind a filter these may be of a scene
 * that does not pass at all: then the nearest of those that pass are there as well. Uses the pool.
 */
export function findEntries(index: OpenIndex, scratch: GraphScratch, { end, passes }: Where): number[] {
  const { pool } = scratch;
  const search = (entries: number[], passing: Uint32Array | null): number[] => {
    resetPool(pool, growingWith(end, entryCount));
    searchGraph(index, scratch, upperOf(index), { entries, end, passes: passing, maxExpanded: Infinity });
    return Array.from(pool.slots.subarray(0, Math.min(entryCount, pool.size)));
  };
  const nearest = search(spreadOver(index, end), null);
  if (passes === null) return nearest;
  const passing = nearest.filter((slot) => isIn(passes, slot));
  return passing.length >= enoughPassing ? passing : [...nearest, ...search(nearest, passes)];
}

/** Slots of the upper layer that have a vector, in equal distances. */
function spreadOver({ embedded }: OpenIndex, end: number): number[] {
  const groups = countGroups(end);
  const count = Math.min(spreadCount, groups);
  const slots: number[] = [];
  for (let i = 0; i < count; i++) {
    const next = Math.floor(((i + 1) * groups) / count);
    // The first of each part that has one: there may be few among many.
    for (let group = Math.floor((i * groups) / count); group < next; group++) {
      const slot = upperSlot(group);
      if (slot >= end || embedded[slot] !== 1) continue;
      slots.push(slot);
      break;
    }
  }
  return slots;
}
