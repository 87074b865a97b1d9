import { countViewed, headerFields, maxLinks, type OpenIndex, readLinked } from '../index/index-memory.ts';
import { multiplicativeHash } from '../index/multiplicative-hash.ts';
import { findEntries } from './enter-graph.ts';
import { baseOf, firstLink, isUpper, type Layer, upperOf } from './layers.ts';
import { withLock } from './lock-links.ts';
import { createGraphScratch, type GraphScratch, resetPool, searchGraph } from './search-graph.ts';

/** How many of the nearest slots are candidates for links (`efConstruction` in HNSW). */
const candidateCount = 96;
/** Links that a new slot gets; others that link to it later add theirs. */
const newLinks = 16;
/** Most copies that link to the same copy. More would take the places of the links that lead to other vectors. */
const maxCopies = 8;
/** Links that stay where a slot has too many: fewer than it can have, because choosing them takes long. */
const keptLinks = 24;
/** So many slots are where the search begins while the upper layer is empty. */
const firstCount = 64;

/**
 * Adds slots to the navigable graph of an index. Several threads may do so at the same time, each with slots of its own, as in hnswlib: a slot is found
 * by others once it has its links and the first of those links back to it, which are added under a lock of the slot that gets them. Searches read
 * meanwhile: each write leaves links to slots that have theirs, so what they see is at worst a list that is half old and half new.
 * They skip what is not below `linked` in the header, which grows when all slots below are done.
 * @param thread the number by which the index is open
 */
export function createGraphWriter(thread: number) {
  const scratch = createGraphScratch();
  const work: Work = {
    thread,
    chosen: new Int32Array(maxLinks + 1),
    candidates: new Int32Array(128),
  };
  /** Links a slot that no other thread links. A chunk without a vector gets no links. */
  const link = (index: OpenIndex, slot: number): void => {
    const layers = isUpper(slot) ? [upperOf(index), baseOf(index)] : [baseOf(index)];
    if (index.embedded[slot] === 0) {
      for (const layer of layers) writeLinks(layer, slot, new Int32Array());
      return;
    }
    const end = Math.min(slot, readLinked(index.header));
    index.vectors.setRoughQueryToSlot(slot);
    const entries = findEntries(index, scratch, { end, passes: null });
    for (const layer of layers) {
      const isWithoutUpper = layer.shift === 0 && entries.length === 0;
      linkIn(layer, index, slot, isWithoutUpper ? listFirst(index, end) : entries, scratch, work);
    }
  };
  return {
    link,

    /** Adds the next slot, the first one that is not in the graph, where no other thread links. */
    linkNext(index: OpenIndex): void {
      const slot = readLinked(index.header);
      link(index, slot);
      Atomics.store(index.header, headerFields.linked, slot + 1);
    },
  };
}

type Work = { thread: number; chosen: Int32Array; candidates: Int32Array };

/** Links a slot in one of its layers. @param entries where the search for the nearest begins */
function linkIn(
  layer: Layer,
  index: OpenIndex,
  slot: number,
  entries: number[],
  scratch: GraphScratch,
  work: Work,
): void {
  const { pool } = scratch;
  const { vectors } = index;
  const { candidates, chosen } = work;
  vectors.setRoughQueryToSlot(slot);
  resetPool(pool, candidateCount);
  // Others that link at this moment are found as well, once they can be reached.
  const end = countViewed(index);
  searchGraph(index, scratch, layer, { entries, end, hidden: slot, passes: null, maxExpanded: Infinity });
  const nearest = pool.slots[0] as number;
  if (pool.size > 0 && vectors.isSame(slot, nearest)) {
    linkCopy(layer, index, slot, nearest, work);
    return;
  }
  candidates.set(pool.slots.subarray(0, pool.size));
  const count = chooseDiverse(index, slot, candidates, pool.size, newLinks, chosen);
  const links = chosen.slice(0, count);
  writeLinks(layer, slot, links);
  for (const near of links) addLink(layer, index, near, slot, work);
}

/** Replaces the links of a slot. */
function writeLinks(layer: Layer, slot: number, slots: Int32Array): void {
  const { links } = layer;
  const first = firstLink(layer, slot);
  for (let i = 0; i < slots.length; i++) links[first + i] = (slots[i] as number) + 1;
  // A search that reads meanwhile stops at the first zero.
  links.fill(0, first + slots.length, first + maxLinks);
}

/**
 * Links a slot to another with the same vector, and to where that one leads. Otherwise copies would link to copies only: of black frames, which
 * many films have, no search would find its way out. Copies form a tree, so that each is reached in few steps.
 */
function linkCopy(layer: Layer, index: OpenIndex, slot: number, original: number, work: Work): void {
  const passed = new Set([slot]);
  for (let parent = original; ;) {
    passed.add(parent);
    const own = listLinks(layer, parent);
    const copies = own.filter((near) => !passed.has(near) && index.vectors.isSame(near, parent));
    if (copies.length < maxCopies) {
      const others = own.filter((near) => near !== slot && !copies.includes(near)).slice(0, newLinks - 1);
      writeLinks(layer, slot, Int32Array.from([parent, ...others]));
      addLink(layer, index, parent, slot, work);
      return;
    }
    // Spread evenly: copies often come in regular distances.
    parent = copies[(multiplicativeHash(slot + parent) >>> 16) % copies.length] as number;
  }
}

/** The slots that a slot links to. */
export function listLinks(layer: Layer, slot: number): number[] {
  const { links } = layer;
  const own: number[] = [];
  const first = firstLink(layer, slot);
  for (let at = first; at < first + maxLinks && links[at] !== 0; at++) own.push((links[at] as number) - 1);
  return own;
}

/** Some slots with a vector, where the upper layer has none yet. */
function listFirst({ embedded }: OpenIndex, end: number): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < end && slots.length < firstCount; slot++) if (embedded[slot] === 1) slots.push(slot);
  return slots;
}

/** Links one slot to another. Where it has as many links as possible, the most useful ones stay. */
function addLink(layer: Layer, index: OpenIndex, from: number, to: number, work: Work): void {
  withLock(index.locks, from, work.thread, () => {
    const own = listLinks(layer, from);
    // A thread that died may have linked it already.
    if (own.includes(to)) return;
    if (own.length < maxLinks) layer.links[firstLink(layer, from) + own.length] = to + 1;
    else writeLinks(layer, from, chooseKept(index, from, [...own, to], work));
  });
}

/** Which of some links a slot keeps. */
function chooseKept(index: OpenIndex, from: number, all: number[], { candidates, chosen }: Work): Int32Array {
  const { vectors } = index;
  const { list, similarities } = vectors;
  vectors.setRoughQueryToSlot(from);
  list.set(all);
  vectors.estimate(all.length);
  const nearness = similarities.slice(0, all.length);
  const order = all.map((_, i) => i).sort((a, b) => (nearness[b] as number) - (nearness[a] as number));
  for (const [place, i] of order.entries()) candidates[place] = all[i] as number;
  const kept = chooseDiverse(index, from, candidates, all.length, keptLinks, chosen);
  return chosen.slice(0, kept);
}

/**
 * Chooses links that lead in different directions: a candidate that is nearer to a chosen one than to the slot itself comes last (the
 * heuristic of Malkov & Yashunin 2016, algorithm 4, with pruned connections kept).
 * @param candidates by falling similarity to the slot
 * @returns how many were chosen
 */
function chooseDiverse(
  { vectors }: Pick<OpenIndex, 'vectors'>,
  slot: number,
  candidates: Int32Array,
  count: number,
  wanted: number,
  chosen: Int32Array,
): number {
  const { list, similarities } = vectors;
  const similar: number[] = [];
  let chosenCount = 0;
  for (let place = 0; place < count && chosenCount < wanted; place++) {
    const candidate = candidates[place] as number;
    if (isNearChosen(candidate)) similar.push(candidate);
    else {
      chosen[chosenCount] = candidate;
      chosenCount += 1;
    }
  }
  for (const candidate of similar) {
    if (chosenCount === wanted) break;
    chosen[chosenCount] = candidate;
    chosenCount += 1;
  }
  return chosenCount;

  function isNearChosen(candidate: number): boolean {
    if (chosenCount === 0) return false;
    vectors.setRoughQueryToSlot(candidate);
    for (let i = 0; i < chosenCount; i++) list[i] = chosen[i] as number;
    // Compared in the same direction, so that copies of the slot are as near as the slot.
    list[chosenCount] = slot;
    vectors.estimate(chosenCount + 1);
    const own = similarities[chosenCount] as number;
    for (let i = 0; i < chosenCount; i++) if ((similarities[i] as number) > own) return true;
    return false;
  }
}
