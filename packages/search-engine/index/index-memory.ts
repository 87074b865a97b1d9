import {
  type LabelColumn,
  labelColumns,
  type ListColumn,
  listColumns,
  type NumberColumn,
  numberColumns,
} from '../../../contract/fields.ts';
import type { TextSegment } from '../text/text-segment.ts';
import type { PassageMemory } from './passage-memory.ts';
import { createVectorMemory, maxVectors, openVectors, type VectorMemory } from './vector-memory.ts';
import { bytesOfVector } from './vector-planes.ts';

/**
 * A search index in memory that threads share: derived from the catalog, for one workspace under one embedder. The builder thread alone
 * writes to it. Each chunk has a slot, in the order in which chunks were added; the slot of a deleted chunk stays until the index is built again.
 * What is written to a slot is never changed, so that searches read while the builder adds; only the labels and numbers of items, the places of
 * their lists and the links of the graph change in place, each by a single write of an aligned word.
 */
export type IndexMemory = {
  vectors: VectorMemory;
  /** See `headerFields`. */
  header: SharedArrayBuffer;
  /** Locks of the links of slots, for threads that add to the graph at the same time (Int32, `lockCount`); see `graph/lock-links.ts`. */
  locks: SharedArrayBuffer;
  /** Of each slot the slots that it links to in the graph, each plus one; a zero ends them where they are fewer than `maxLinks` (Int32, `maxLinks`). */
  links: SharedArrayBuffer;
  /** The same of the slots in the upper layer of the graph: one of each `upperEvery` (Int32, `maxLinks`); see `graph/layers.ts`. */
  upperLinks: SharedArrayBuffer;
  /** Of each slot the number of its chunk (Float64). */
  numbers: SharedArrayBuffer;
  /** Of each slot start and end in its item, in seconds (Float64, 2). */
  times: SharedArrayBuffer;
  /** Of each slot its item (Int32). Items are numbered in the order in which they were added. */
  items: SharedArrayBuffer;
  /** Of each slot 1 where its chunk has a vector (Uint8). */
  embedded: SharedArrayBuffer;
  /** A bit for each deleted slot (Uint32): the builder's own. Searches read the copy in their snapshot. */
  deleted: SharedArrayBuffer;
  /** Of each item its first slot and the slot after its last (Int32, 2). */
  ranges: SharedArrayBuffer;
  /** Of each item the labels of which it has one: places in `IndexSnapshot.labelValues`, 0 for none (Int32). */
  labels: Record<LabelColumn, SharedArrayBuffer>;
  /** Of each item its numbers, NaN for none; times are milliseconds since 1970 (Float64). */
  numbersOfItems: Record<NumberColumn, SharedArrayBuffer>;
  /** Of each item the places of its lists of labels, 0 for none (Int32). */
  listPlaces: Record<ListColumn, SharedArrayBuffer>;
  /** Lists of items, see `item-lists.ts` (Int32). The first word is of none. */
  lists: SharedArrayBuffer;
};

/** What a search reads of an index: all up to some slot. Cheap to send to a thread, because the memory is shared. */
export type IndexSnapshot = {
  /** Differs between any two indexes, also of the same workspace. */
  indexId: string;
  /** Grows with each snapshot of an index. */
  version: number;
  memory: IndexMemory;
  slotCount: number;
  itemCount: number;
  /**
   * A bit for each slot that was deleted. A copy: an item that is indexed again is deleted in its old slots, which a search has to find as long as its
   * snapshot has not got the new ones.
   */
  deleted: Uint32Array;
  /** The texts of all slots, in their order. */
  textSegments: TextSegment[];
  /** Passages of texts with vectors by what they mean; null: there are none. */
  passages: PassageMemory | null;
  /** The values that labels stand for, such as identifiers of creators. */
  labelValues: string[];
  /** The last change of the workspace (`item_changes`) that it contains. */
  change: number;
};

/** Most links of a slot: twice as many as a new one gets (Malkov & Yashunin 2016, M = 16). They fill two lines of a processor's cache. */
export const maxLinks = 32;

/** One of so many slots, a group, is in the upper layer of the graph as well. */
export const upperEvery = 32;

/** The groups of so many slots. The last may have fewer. */
export const countGroups = (slots: number): number => Math.ceil(slots / upperEvery);

/** Slots share locks; so many that two threads rarely want the same. */
export const lockCount = 4096;

/** The fields of `header` (Int32). `linked`: slots below it are in the graph. */
export const headerFields = { linked: 0 } as const;

/** Bytes of a slot in each column, without its vector and its bit among the deleted ones. */
const slotBytes = { links: 4 * maxLinks, numbers: 8, times: 16, items: 4, embedded: 1 } as const;
/** Bytes of an item in each column. */
const itemBytes = 8 + 4 * labelColumns.length + 8 * numberColumns.length + 4 * listColumns.length;

/** Words of lists for which there is room, for each slot. */
const listWordsPerSlot = 16;

/** The same for each of some columns. */
const forEach = <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;

export function createIndexMemory(dimensions: number): IndexMemory {
  const slots = maxVectors(dimensions);
  const column = (bytes: number) => new SharedArrayBuffer(0, { maxByteLength: bytes * slots });
  return {
    vectors: createVectorMemory(dimensions),
    header: new SharedArrayBuffer(4 * Object.keys(headerFields).length),
    locks: new SharedArrayBuffer(4 * lockCount),
    links: column(slotBytes.links),
    // Whole groups, with room for the last one.
    upperLinks: new SharedArrayBuffer(0, { maxByteLength: slotBytes.links * countGroups(slots) }),
    numbers: column(slotBytes.numbers),
    times: column(slotBytes.times),
    items: column(slotBytes.items),
    embedded: column(slotBytes.embedded),
    // Whole words, with room for the last one.
    deleted: new SharedArrayBuffer(0, { maxByteLength: 4 * Math.ceil(slots / 32) }),
    ranges: column(8),
    labels: forEach(labelColumns, () => column(4)),
    numbersOfItems: forEach(numberColumns, () => column(8)),
    listPlaces: forEach(listColumns, () => column(4)),
    // With the word of none.
    lists: new SharedArrayBuffer(4, { maxByteLength: 4 * listWordsPerSlot * slots }),
  };
}

/** The columns of an index as a thread reads them: views of all that is allocated now. */
type IndexColumns = ReturnType<typeof viewColumns>;

function viewColumns(memory: IndexMemory) {
  const { links, upperLinks, numbers, times, items, embedded, deleted, ranges, labels, numbersOfItems, listPlaces } =
    memory;
  // Views of a fixed length: those that follow the length of a buffer are slower.
  const int32 = (buffer: SharedArrayBuffer) => new Int32Array(buffer, 0, buffer.byteLength / 4);
  const float64 = (buffer: SharedArrayBuffer) => new Float64Array(buffer, 0, buffer.byteLength / 8);
  return {
    header: int32(memory.header),
    locks: int32(memory.locks),
    links: int32(links),
    upperLinks: int32(upperLinks),
    numbers: float64(numbers),
    times: float64(times),
    items: int32(items),
    embedded: new Uint8Array(embedded, 0, embedded.byteLength),
    deleted: new Uint32Array(deleted, 0, deleted.byteLength / 4),
    ranges: int32(ranges),
    labels: forEach(labelColumns, (name) => int32(labels[name])),
    numbersOfItems: forEach(numberColumns, (name) => float64(numbersOfItems[name])),
    listPlaces: forEach(listColumns, (name) => int32(listPlaces[name])),
    // It follows the length: the place of a list changes under a search that began before the list was added.
    lists: new Int32Array(memory.lists),
  };
}

/**
 * Makes room for so many slots and items. Views of before show less.
 * @returns whether a column grew: not all do at once, because deletions take whole words
 */
export function reserve(memory: IndexMemory, slots: number, items: number): boolean {
  let grew = false;
  const grow = (buffer: SharedArrayBuffer, count: number, bytes: number) => {
    const needed = count * bytes;
    // By half at once: the system gives memory only to what is written.
    if (buffer.byteLength >= needed) return;
    buffer.grow(Math.min(buffer.maxByteLength, Math.ceil(1.5 * count) * bytes));
    grew = true;
  };
  for (const [name, bytes] of Object.entries(slotBytes)) grow(memory[name as keyof typeof slotBytes], slots, bytes);
  grow(memory.upperLinks, countGroups(slots), slotBytes.links);
  grow(memory.deleted, Math.ceil(slots / 32), 4);
  grow(memory.ranges, items, 8);
  for (const buffer of Object.values(memory.labels)) grow(buffer, items, 4);
  for (const buffer of Object.values(memory.numbersOfItems)) grow(buffer, items, 8);
  for (const buffer of Object.values(memory.listPlaces)) grow(buffer, items, 4);
  return grew;
}

/** Makes room for so many words of lists, which all views show. Throws a `RangeError` where they do not fit. */
export function reserveLists({ lists }: IndexMemory, words: number): void {
  if (lists.byteLength >= 4 * words) return;
  lists.grow(Math.max(4 * words, Math.min(lists.maxByteLength, 6 * words)));
}

/**
 * The bytes of memory that an index takes, in all threads together: what it has written, because the system gives no memory to what is only reserved.
 * Beside it each thread holds a mark for each slot, and the builder what it knows of items by their identifiers.
 */
export function memoryOf({
  memory,
  slotCount,
  itemCount,
  textSegments,
  passages,
}: Pick<IndexSnapshot, 'memory' | 'slotCount' | 'itemCount' | 'textSegments' | 'passages'>): number {
  let bytes = memoryOfSlots(memory, slotCount) + itemCount * itemBytes + memory.lists.byteLength;
  if (passages) bytes += memoryOfSlots(passages.memory, passages.slotCount) + passages.sources.byteLength;
  for (const segment of textSegments) {
    for (const part of Object.values(segment)) if (typeof part !== 'number') bytes += part.byteLength;
  }
  return Math.ceil(bytes);
}

function memoryOfSlots({ vectors }: IndexMemory, slots: number): number {
  const ofSlot = Object.values(slotBytes).reduce((sum, bytes) => sum + bytes, bytesOfVector(vectors.dimensions));
  return slots * (ofSlot + slotBytes.links / upperEvery + 1 / 8);
}

/** How many slots the views of an index hold whole: its columns do not all grow at once. */
export const countViewed = ({ links, upperLinks, embedded }: IndexColumns): number =>
  Math.min(links.length / maxLinks, (upperEvery * upperLinks.length) / maxLinks, embedded.length);

/** How many slots are in the graph. */
export const readLinked = (header: Int32Array): number => Atomics.load(header, headerFields.linked);

/** An index as a thread uses it. */
export type OpenIndex = IndexColumns & { vectors: ReturnType<typeof openVectors> };

export const openIndex = (memory: IndexMemory, thread: number): OpenIndex => ({
  ...viewColumns(memory),
  vectors: openVectors(memory.vectors, thread),
});
