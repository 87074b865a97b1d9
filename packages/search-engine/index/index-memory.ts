import type { TextSegment } from '../text/text-segment.ts';
import { type RecordName, recordNames } from './item-records.ts';
import { createVectorMemory, maxVectors, openVectors, type VectorMemory } from './vector-memory.ts';

/**
 * A search index in memory that threads share: derived from the catalog, for one workspace under one embedder. The builder thread alone
 * writes to it. Each chunk has a slot, in the order in which chunks were added; the slot of a deleted chunk stays until the index is built again.
 * What is written to a slot is never changed, so that searches read while the builder adds; only the labels of items, the places of
 * their records and the links of the graph change in place, each by a single write of 32 bits.
 */
export type IndexMemory = {
  vectors: VectorMemory;
  /** See `headerFields`. */
  header: SharedArrayBuffer;
  /** Of each slot the number of its links in the graph and the slots that it links to (Int32, `linkStride`). */
  links: SharedArrayBuffer;
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
  labels: Record<LabelName, SharedArrayBuffer>;
  /** Of each item the places of its records, 0 for none (Int32). */
  recordPlaces: Record<RecordName, SharedArrayBuffer>;
  /** Records of items, see `item-records.ts` (Int32). The first word is of none. */
  records: SharedArrayBuffer;
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
  /** The values that labels stand for, such as identifiers of creators. */
  labelValues: string[];
  /** The last change of the workspace (`item_changes`) that it contains. */
  change: number;
};

/** Most links of a slot: twice as many as a new one gets (Malkov & Yashunin 2016, M = 16). */
export const maxLinks = 32;
export const linkStride = 1 + maxLinks;

/** The fields of `header` (Int32). `linked`: slots below it are in the graph. */
export const headerFields = { linked: 0 } as const;

/** Filters of which an item has at most one value. */
export const labelNames = ['creator_id', 'category_id', 'type'] as const;
export type LabelName = (typeof labelNames)[number];

/** Words of records for which there is room, for each slot. */
const recordWordsPerSlot = 16;

export function createIndexMemory(dimensions: number): IndexMemory {
  const slots = maxVectors(dimensions);
  const column = (bytes: number) => new SharedArrayBuffer(0, { maxByteLength: bytes * slots });
  return {
    vectors: createVectorMemory(dimensions),
    header: new SharedArrayBuffer(4 * Object.keys(headerFields).length),
    links: column(4 * linkStride),
    numbers: column(8),
    times: column(16),
    items: column(4),
    embedded: column(1),
    // Whole words, with room for the last one.
    deleted: new SharedArrayBuffer(0, { maxByteLength: 4 * Math.ceil(slots / 32) }),
    ranges: column(8),
    labels: { creator_id: column(4), category_id: column(4), type: column(4) },
    recordPlaces: { collection_id: column(4), tag_id: column(4), taken: column(4) },
    // With the word of none.
    records: new SharedArrayBuffer(4, { maxByteLength: 4 * recordWordsPerSlot * slots }),
  };
}

/** The columns of an index as a thread reads them: views of all that is allocated now. */
type IndexColumns = ReturnType<typeof viewColumns>;

function viewColumns(memory: IndexMemory) {
  const { links, numbers, times, items, embedded, deleted, ranges, labels, recordPlaces } = memory;
  // Views of a fixed length: those that follow the length of a buffer are slower.
  const int32 = (buffer: SharedArrayBuffer) => new Int32Array(buffer, 0, buffer.byteLength / 4);
  return {
    header: int32(memory.header),
    links: int32(links),
    numbers: new Float64Array(numbers, 0, numbers.byteLength / 8),
    times: new Float64Array(times, 0, times.byteLength / 8),
    items: int32(items),
    embedded: new Uint8Array(embedded, 0, embedded.byteLength),
    deleted: new Uint32Array(deleted, 0, deleted.byteLength / 4),
    ranges: int32(ranges),
    labels: {
      creator_id: int32(labels.creator_id),
      category_id: int32(labels.category_id),
      type: int32(labels.type),
    },
    recordPlaces: {
      collection_id: int32(recordPlaces.collection_id),
      tag_id: int32(recordPlaces.tag_id),
      taken: int32(recordPlaces.taken),
    },
    // It follows the length: the place of a record changes under a search that began before the record was added.
    records: new Int32Array(memory.records),
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
  grow(memory.links, slots, 4 * linkStride);
  grow(memory.numbers, slots, 8);
  grow(memory.times, slots, 16);
  grow(memory.items, slots, 4);
  grow(memory.embedded, slots, 1);
  grow(memory.deleted, Math.ceil(slots / 32), 4);
  grow(memory.ranges, items, 8);
  for (const name of labelNames) grow(memory.labels[name], items, 4);
  for (const name of recordNames) grow(memory.recordPlaces[name], items, 4);
  return grew;
}

/** Makes room for so many words of records, which all views show. Throws a `RangeError` where they do not fit. */
export function reserveRecords({ records }: IndexMemory, words: number): void {
  if (records.byteLength >= 4 * words) return;
  records.grow(Math.max(4 * words, Math.min(records.maxByteLength, 6 * words)));
}

/** How many slots are in the graph. */
export const readLinked = (header: Int32Array): number => Atomics.load(header, headerFields.linked);

/** An index as a thread uses it. */
export type OpenIndex = IndexColumns & { vectors: ReturnType<typeof openVectors> };

export const openIndex = (memory: IndexMemory, thread: number): OpenIndex => ({
  ...viewColumns(memory),
  vectors: openVectors(memory.vectors, thread),
});
