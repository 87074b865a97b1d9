import { headerFields, linkStride, maxLinks, type OpenIndex, readLinked } from '../index/index-memory.ts';
import { createGraphScratch, type GraphScratch, resetPool, searchGraph } from './search-graph.ts';

/** How many of the nearest slots are candidates for links (`efConstruction` in HNSW). */
const candidateCount = 96;
/** Links that a new slot gets; others that link to it later add theirs. */
const newLinks = 16;
/** Most copies that link to the same copy. More would take the places of the links that lead to other vectors. */
const maxCopies = 8;
/** Links that stay where a slot has too many: fewer than it can have, because choosing them takes long. */
const keptLinks = 24;
/** Places in the graph where the search for the nearest slots begins. */
const entryCount = 64;

/**
 * Adds slots to the navigable graph of an index, one after the other. Searches read it meanwhile: each write leaves links to slots of the graph
 * only, so what they see is at worst a list that is half old and half new.
 */
export function createGraphWriter() {
  const scratch = createGraphScratch();
  const chosen = new Int32Array(maxLinks + 1);
  const candidates = { slots: new Int32Array(128), products: new Int32Array(128) };
  return {
    /** Adds the next slot, the first one that is not in the graph. A chunk without a vector gets no links. */
    linkNext(index: OpenIndex): void {
      const slot = readLinked(index.header);
      index.links[slot * linkStride] = 0;
      if (index.embedded[slot] === 1) linkSlot(index, slot, scratch, candidates, chosen);
      Atomics.store(index.header, headerFields.linked, slot + 1);
    },
  };
}

type Candidates = { slots: Int32Array; products: Int32Array };

function linkSlot(
  index: OpenIndex,
  slot: number,
  scratch: GraphScratch,
  candidates: Candidates,
  chosen: Int32Array,
): void {
  const { pool } = scratch;
  const { links, vectors } = index;
  vectors.setQueryToSlot(slot);
  resetPool(pool, candidateCount);
  searchGraph(index, scratch, { entries: chooseEntries(index, slot), end: slot, passes: null, maxExpanded: Infinity });
  if (pool.size > 0 && isCopy(index, slot, pool.slots[0] as number)) {
    linkCopy(index, slot, pool.slots[0] as number, candidates, chosen);
    return;
  }
  candidates.slots.set(pool.slots.subarray(0, pool.size));
  candidates.products.set(pool.products.subarray(0, pool.size));
  const count = chooseDiverse(index, candidates, pool.size, newLinks, chosen);
  const first = slot * linkStride;
  for (let i = 0; i < count; i++) links[first + 1 + i] = chosen[i] as number;
  links[first] = count;
  for (const near of chosen.slice(0, count)) addLink(index, near, slot, candidates, chosen);
}

/** Whether two slots hold the same vector: as near to each other as each to itself (Cauchy-Schwarz). */
function isCopy({ vectors }: OpenIndex, slot: number, other: number): boolean {
  const { list, products } = vectors;
  list[0] = slot;
  list[1] = other;
  vectors.setQueryToSlot(slot);
  vectors.compare(2);
  const [own, shared] = [products[0], products[1]];
  vectors.setQueryToSlot(other);
  vectors.compare(2);
  return own === shared && products[1] === shared;
}

/**
 * Links a slot to another with the same vector, and to where that one leads. Otherwise copies would link to copies only: of black frames, which
 * many films have, no search would find its way out. Copies form a tree, so that each is reached in few steps.
 */
function linkCopy(index: OpenIndex, slot: number, original: number, candidates: Candidates, chosen: Int32Array): void {
  const { links } = index;
  let parent = original;
  for (;;) {
    const own = listLinks(index, parent);
    // Those that were added later, below it in the tree.
    const copies = own.filter((near) => near > parent && isCopy(index, near, parent));
    if (copies.length < maxCopies) {
      const first = slot * linkStride;
      const others = own.filter((near) => !copies.includes(near)).slice(0, newLinks - 1);
      links.set([others.length + 1, parent, ...others], first);
      addLink(index, parent, slot, candidates, chosen);
      return;
    }
    // Spread evenly by a multiplicative hash (Knuth): copies often come in regular distances.
    parent = copies[(Math.imul(slot + parent, 0x9e3779b1) >>> 16) % copies.length] as number;
  }
}

const listLinks = ({ links }: OpenIndex, slot: number): number[] => {
  const first = slot * linkStride;
  return [...links.subarray(first + 1, first + 1 + (links[first] as number))];
};

/** Slots spread evenly over the graph that have a vector. */
function chooseEntries({ embedded }: OpenIndex, end: number): number[] {
  const count = Math.min(entryCount, end);
  const entries: number[] = [];
  for (let i = 0; i < count; i++) {
    const slot = Math.floor((i * end) / count);
    if (embedded[slot] === 1) entries.push(slot);
  }
  return entries;
}

/** Links one slot to another. Where it has as many links as possible, the most useful ones stay. */
function addLink(index: OpenIndex, from: number, to: number, candidates: Candidates, chosen: Int32Array): void {
  const { links, vectors } = index;
  const { list, products } = vectors;
  const first = from * linkStride;
  const count = links[first] as number;
  if (count < maxLinks) {
    links[first + 1 + count] = to;
    Atomics.store(links, first, count + 1);
    return;
  }
  list.set(links.subarray(first + 1, first + 1 + count));
  list[count] = to;
  vectors.setQueryToSlot(from);
  vectors.compare(count + 1);
  const order = Array.from({ length: count + 1 }, (_, i) => i).sort(
    (a, b) => (products[b] as number) - (products[a] as number),
  );
  for (const [place, i] of order.entries()) {
    candidates.slots[place] = list[i] as number;
    candidates.products[place] = products[i] as number;
  }
  const kept = chooseDiverse(index, candidates, count + 1, keptLinks, chosen);
  for (let i = 0; i < kept; i++) links[first + 1 + i] = chosen[i] as number;
  Atomics.store(links, first, kept);
}

/**
 * Chooses links that lead in different directions: a candidate that is nearer to a chosen one than to the slot itself comes last (the
 * heuristic of Malkov & Yashunin 2016, algorithm 4, with pruned connections kept).
 * @param candidates by falling similarity to the slot
 * @returns how many were chosen
 */
function chooseDiverse(
  { vectors }: Pick<OpenIndex, 'vectors'>,
  candidates: Candidates,
  count: number,
  wanted: number,
  chosen: Int32Array,
): number {
  const { list, products } = vectors;
  const similar: number[] = [];
  let chosenCount = 0;
  for (let place = 0; place < count && chosenCount < wanted; place++) {
    const slot = candidates.slots[place] as number;
    if (isNearChosen(slot, candidates.products[place] as number)) similar.push(slot);
    else {
      chosen[chosenCount] = slot;
      chosenCount += 1;
    }
  }
  for (const slot of similar) {
    if (chosenCount === wanted) break;
    chosen[chosenCount] = slot;
    chosenCount += 1;
  }
  return chosenCount;

  function isNearChosen(slot: number, product: number): boolean {
    if (chosenCount === 0) return false;
    vectors.setQueryToSlot(slot);
    for (let i = 0; i < chosenCount; i++) list[i] = chosen[i] as number;
    vectors.compare(chosenCount);
    for (let i = 0; i < chosenCount; i++) if ((products[i] as number) > product) return true;
    return false;
  }
}
