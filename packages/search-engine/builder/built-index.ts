import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { labelColumns, type ListColumn, listColumns, numberColumns } from '../../../contract/fields.ts';
import {
  createIndexMemory,
  type IndexMemory,
  type IndexSnapshot,
  type OpenIndex,
  openIndex,
  reserve,
  reserveLists,
} from '../index/index-memory.ts';
import { countWords, toList } from '../index/item-lists.ts';
import { isIn, wordsFor } from '../index/slot-set.ts';
import type { IndexedTexts, TextSegment } from '../text/text-segment.ts';
import { builderThread } from './builder-thread-number.ts';
import type { ItemForIndex } from './index-source.ts';
import { addPassages, type PassageSpace } from './passage-space.ts';

export type IndexKey = { workspaceId: string; embedder: { id: string; dimensions: number } };

/** An index as the builder holds it. */
export type BuiltIndex = IndexKey & {
  indexId: string;
  version: number;
  memory: IndexMemory;
  open: OpenIndex;
  slotCount: number;
  deletedCount: number;
  /** Identifiers of items by their number; null: it was deleted or replaced. */
  itemIds: (string | null)[];
  /** Checksums (CRC-32) of the texts of items by their number. */
  textSums: number[];
  /** Numbers of items by their identifier. */
  itemNumbers: Map<string, number>;
  labelValues: string[];
  labelPlaces: Map<string, number>;
  /** Words of lists in use, and how many of them are of lists that were replaced. */
  listWords: number;
  unusedWords: number;
  textSegments: TextSegment[];
  /** Texts of the last slots, which are in no segment yet. */
  pendingTexts: IndexedTexts[];
  /** Passages of texts with vectors by what they mean; null before the first. */
  passages: PassageSpace | null;
  /** The last change that it contains. */
  change: number;
  /** Slots that were added, deleted and put into the graph since it was saved. */
  unsaved: number;
};

export function createBuiltIndex(key: IndexKey): BuiltIndex {
  const memory = createIndexMemory(key.embedder.dimensions);
  return {
    ...key,
    indexId: randomUUID(),
    version: 0,
    memory,
    open: openIndex(memory, builderThread),
    slotCount: 0,
    deletedCount: 0,
    itemIds: [],
    textSums: [],
    itemNumbers: new Map(),
    // Place 0 stands for none.
    labelValues: [''],
    labelPlaces: new Map(),
    listWords: 1,
    unusedWords: 0,
    textSegments: [],
    pendingTexts: [],
    passages: null,
    change: 0,
    unsaved: 0,
  };
}

/** Makes room for slots and items. Throws a `RangeError` where they do not fit. */
export function makeRoom(index: BuiltIndex, slots: number, items: number): void {
  const grew = reserve(index.memory, slots, items);
  index.open.vectors.reserve(slots);
  if (grew) index.open = openIndex(index.memory, builderThread);
}

/** What searches see of an index from now on. */
export function takeSnapshot(index: BuiltIndex): IndexSnapshot {
  index.version += 1;
  const { indexId, version, memory, slotCount, textSegments, labelValues, change } = index;
  const passages = index.passages && {
    memory: index.passages.memory,
    sources: index.passages.sources,
    slotCount: index.passages.slotCount,
  };
  const deleted = new Uint32Array(new SharedArrayBuffer(4 * wordsFor(slotCount)));
  deleted.set(index.open.deleted.subarray(0, deleted.length));
  const itemCount = index.itemIds.length;
  return { indexId, version, memory, slotCount, itemCount, deleted, textSegments, passages, labelValues, change };
}

/** The numbers of an item's chunks whose vectors have to be read: those that the index has no vector of. */
function listMissing(index: BuiltIndex, { id, chunks }: ItemForIndex): number[] {
  const { embedded, numbers } = index.open;
  const known = new Set<number>();
  for (const slot of slotsOf(index, id)) if (embedded[slot] === 1) known.add(numbers[slot] as number);
  return chunks.map(({ number }) => number).filter((number) => !known.has(number));
}

/**
 * Brings an item up to date. The slots of chunks are never changed: if some are new or have got a vector, or a text is another, all of the item's
 * are added again and the old ones are deleted.
 * @param readVectors reads the vectors of chunks
 * @param readPassageVectors reads the vectors of passages
 */
export async function putItem(
  index: BuiltIndex,
  item: ItemForIndex,
  readVectors: (numbers: number[]) => Promise<Map<number, Float32Array>>,
  readPassageVectors: (numbers: number[]) => Promise<Map<number, Float32Array>> = () => Promise.resolve(new Map()),
): Promise<void> {
  const missing = listMissing(index, item);
  const found = missing.length > 0 ? await readVectors(missing) : new Map<number, Float32Array>();
  const { numbers } = index.open;
  const held = new Set(Array.from(slotsOf(index, item.id), (slot) => numbers[slot] as number));
  const isSame =
    held.size === item.chunks.length &&
    item.chunks.every(({ number }) => held.has(number)) &&
    (held.size === 0 || index.textSums[index.itemNumbers.get(item.id) as number] === sumTexts(item));
  if (!isSame || found.size > 0) {
    const all = item.chunks.map(({ number }) => number);
    const vectors = found.size === all.length ? found : await readVectors(all);
    const { passages } = item;
    const ofPassages = passages.length > 0 ? await readPassageVectors(passages.map(({ number }) => number)) : noVectors;
    removeItem(index, item.id);
    const slotOf = addItem(index, item, vectors);
    index.passages = addPassages(index.passages, passages, slotOf, ofPassages);
  }
  setFields(index, item);
}

const noVectors: ReadonlyMap<number, Float32Array> = new Map();

/** Deletes the slots of an item. One that the index does not hold is ignored. */
export function removeItem(index: BuiltIndex, id: string): void {
  const { deleted } = index.open;
  for (const slot of Array.from(slotsOf(index, id))) {
    Atomics.or(deleted, slot >>> 5, 1 << (slot & 31));
    index.deletedCount += 1;
    index.unsaved += 1;
  }
  const number = index.itemNumbers.get(id);
  if (number === undefined) return;
  for (const name of listColumns) {
    index.unusedWords += countWords(index.open.lists, index.open.listPlaces[name][number] as number);
  }
  index.itemNumbers.delete(id);
  index.itemIds[number] = null;
}

/** The slots of an item's chunks that are not deleted; none for an item that the index does not hold. */
function* slotsOf({ itemNumbers, open: { ranges, deleted } }: BuiltIndex, id: string): Generator<number> {
  const number = itemNumbers.get(id);
  if (number === undefined) return;
  const [first, end] = [ranges[2 * number] as number, ranges[2 * number + 1] as number];
  for (let slot = first; slot < end; slot++) {
    if (!isIn(deleted, slot)) yield slot;
  }
}

/** @returns the slots of its chunks by their numbers */
function addItem(index: BuiltIndex, item: ItemForIndex, vectors: Map<number, Float32Array>): Map<number, number> {
  const slots = new Map<number, number>();
  if (item.chunks.length === 0) return slots;
  const number = index.itemIds.length;
  const first = index.slotCount;
  makeRoom(index, first + item.chunks.length, number + 1);
  const { numbers, times, items, embedded, ranges } = index.open;
  for (const [i, chunk] of item.chunks.entries()) {
    const slot = first + i;
    const vector = vectors.get(chunk.number) ?? null;
    slots.set(chunk.number, slot);
    numbers[slot] = chunk.number;
    times[2 * slot] = chunk.start_time;
    times[2 * slot + 1] = chunk.end_time;
    items[slot] = number;
    embedded[slot] = vector ? 1 : 0;
    index.open.vectors.write(slot, vector);
    index.pendingTexts.push({ texts: chunk.texts, filename: item.filename, tags: item.tags });
  }
  ranges[2 * number] = first;
  ranges[2 * number + 1] = first + item.chunks.length;
  index.slotCount += item.chunks.length;
  index.unsaved += item.chunks.length;
  index.itemIds.push(item.id);
  index.textSums.push(sumTexts(item));
  index.itemNumbers.set(item.id, number);
  return slots;
}

/** The checksum of what is searched for in the texts of an item, and of the times of its chunks. */
function sumTexts({ filename, tags, chunks, passages }: ItemForIndex): number {
  return crc32(JSON.stringify([filename, tags, chunks, passages]));
}

/** Sets what filters compare of an item. */
function setFields(index: BuiltIndex, item: ItemForIndex): void {
  const number = index.itemNumbers.get(item.id);
  if (number === undefined) return;
  for (const name of labelColumns) {
    const value = item[name];
    Atomics.store(index.open.labels[name], number, value === null ? 0 : placeOf(index, value));
  }
  for (const name of numberColumns) index.open.numbersOfItems[name][number] = item[name] ?? Number.NaN;
  for (const name of listColumns) {
    const labels = item[name].map((value) => placeOf(index, value));
    setList(index, name, number, toList(labels));
  }
}

/** Replaces a list of an item, where it is another. */
function setList(index: BuiltIndex, name: ListColumn, item: number, words: number[]): void {
  const { lists, listPlaces } = index.open;
  const before = listPlaces[name][item] as number;
  const length = countWords(lists, before);
  if (length === words.length && words.every((word, i) => lists[before + i] === word)) return;
  const place = words.length === 0 ? 0 : index.listWords;
  reserveLists(index.memory, index.listWords + words.length);
  lists.set(words, place);
  Atomics.store(listPlaces[name], item, place);
  index.listWords += words.length;
  index.unusedWords += length;
}

function placeOf({ labelValues, labelPlaces }: BuiltIndex, value: string): number {
  const known = labelPlaces.get(value);
  if (known !== undefined) return known;
  labelPlaces.set(value, labelValues.length);
  labelValues.push(value);
  return labelValues.length - 1;
}
