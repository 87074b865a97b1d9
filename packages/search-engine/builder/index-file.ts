import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { labelColumns, listColumns, numberColumns } from '../../../contract/fields.ts';
import { countGroups, maxLinks, type OpenIndex, readLinked, reserveLists } from '../index/index-memory.ts';
import { countWords } from '../index/item-lists.ts';
import { countBits } from '../index/slot-set.ts';
import type { TextSegment } from '../text/text-segment.ts';
import { type BuiltIndex, createBuiltIndex, type IndexKey, makeRoom } from './built-index.ts';
import { readPieces, sumPieces, writePieces } from './file-pieces.ts';
import type { ChangePosition } from './index-source.ts';
import { makeRoomForPassages, type PassageSpace } from './passage-space.ts';

/**
 * A saved index: sections of raw bytes, then a description as JSON, then the length of the description and its checksum (4 bytes each, little-endian).
 * Checksums are CRC-32: a damaged file is found and rebuilt from the catalog. A cryptographic one would take a second per gigabyte.
 */

/** Written by this version of the format; others are rebuilt. */
const formatVersion = 13;

type Section = { name: string; bytes: number; sum: number };

/** What a saved index says of itself. */
export type IndexDescription = {
  formatVersion: number;
  position: ChangePosition;
  workspaceId: string;
  embedderId: string;
  dimensions: number;
  slotCount: number;
  linked: number;
  itemIds: (string | null)[];
  textSums: number[];
  labelValues: string[];
  listWords: number;
  unusedWords: number;
  textSegments: TextSegmentDescription[];
  /** Null: there are no passages. */
  passages: { slotCount: number; linked: number } | null;
  sections: Section[];
};

/** A text segment without its typed arrays, which are sections of their own. */
type TextSegmentDescription = Record<string, number | { type: keyof typeof arrayTypes; length: number }>;

type SharedArray = Uint8Array | Uint16Array | Uint32Array;

const arrayTypes = { Uint8Array, Uint16Array, Uint32Array } satisfies Record<
  string,
  new (...parts: never[]) => SharedArray
>;

/** The identifier of an embedder as a part of the name of a file. */
export const nameInFiles = (embedderId: string): string => embedderId.replaceAll(/[^\w.-]+/g, '-');

/** Saves an index completely or not at all. Slots that are added meanwhile are left out. */
export async function saveIndex(file: string, index: BuiltIndex, position: ChangePosition): Promise<void> {
  const { slotCount, labelValues, textSegments } = index;
  const itemIds = [...index.itemIds];
  const textSums = [...index.textSums];
  const linked = Math.min(readLinked(index.open.header), slotCount);
  const columns = columnsInUse(index.open, { slotCount, linked, itemCount: itemIds.length });
  const described = textSegments.map(describeSegment);
  const passages = index.passages && describePassages(index.passages);
  await mkdir(path.dirname(file), { recursive: true });
  // Not synced: a reader verifies the checksums.
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      const sections: Section[] = [];
      const ofPassages = index.passages && passages ? columnsOfPassages(index.passages, passages) : [];
      for (const [name, bytes] of [...columns, ...described.flatMap(({ arrays }) => arrays), ...ofPassages]) {
        sections.push({ name, bytes: bytes.length, sum: await writePieces(handle, bytes) });
      }
      // Last and of the length of now: items whose places were written a moment ago may have got new lists since the save began.
      const { listWords, unusedWords } = index;
      const [name, bytes] = listsOf(index.open, listWords);
      sections.push({ name, bytes: bytes.length, sum: await writePieces(handle, bytes) });
      const description: IndexDescription = {
        formatVersion,
        position,
        workspaceId: index.workspaceId,
        embedderId: index.embedder.id,
        dimensions: index.embedder.dimensions,
        slotCount,
        linked,
        itemIds,
        textSums,
        labelValues: [...labelValues],
        listWords,
        unusedWords,
        textSegments: described.map(({ description }) => description),
        passages,
        sections,
      };
      await writeDescription(handle, description);
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Loads a saved index; null when there is none, it belongs to another workspace or embedder, or it is damaged in any way. */
export async function loadIndex(
  file: string,
  key: IndexKey,
): Promise<{ index: BuiltIndex; position: ChangePosition } | null> {
  const handle = await open(file, 'r').catch(() => null);
  if (!handle) return null;
  try {
    return await readIndex(handle, key);
  } catch {
    // A description of another form, sizes that do not fit into memory, a disk that cannot be read: the catalog has all that is needed.
    return null;
  } finally {
    await handle.close();
  }
}

async function readIndex(
  handle: FileHandle,
  key: IndexKey,
): Promise<{ index: BuiltIndex; position: ChangePosition } | null> {
  const description = await readDescription(handle);
  if (!description || !belongsTo(description, key)) return null;
  const { position } = description;
  if (typeof position.timeline !== 'string' || typeof position.change !== 'number') return null;
  const { size } = await handle.stat();
  if (description.sections.reduce((sum, { bytes }) => sum + bytes, 0) > size) return null;
  const index = createBuiltIndex(key);
  makeRoom(index, description.slotCount, description.itemIds.length);
  reserveLists(index.memory, description.listWords);
  const segments = description.textSegments.map(allocateSegment);
  if (description.passages) index.passages = makeRoomForPassages(null, description.passages.slotCount);
  const columns = [
    ...columnsInUse(index.open, { ...description, itemCount: description.itemIds.length }),
    ...segments.flatMap(({ arrays }) => arrays),
    ...(index.passages && description.passages ? columnsOfPassages(index.passages, description.passages) : []),
    listsOf(index.open, description.listWords),
  ];
  let at = 0;
  for (const [i, [name, bytes]] of columns.entries()) {
    const section = description.sections[i];
    if (section?.name !== name || section.bytes !== bytes.length) return null;
    if ((await readPieces(handle, bytes, at)) !== section.sum) return null;
    at += bytes.length;
  }
  restore(
    index,
    description,
    segments.map(({ segment }) => segment),
  );
  return isSound(index) ? { index, position } : null;
}

const belongsTo = (description: IndexDescription, { workspaceId, embedder }: IndexKey): boolean =>
  description.workspaceId === workspaceId &&
  description.embedderId === embedder.id &&
  description.dimensions === embedder.dimensions;

/** Whether what the columns refer to exists. A checksum only tells that a file is what somebody wrote. */
function isSound(index: BuiltIndex): boolean {
  const { open, slotCount, itemIds, labelValues, textSegments, passages } = index;
  const isBelow = (column: Int32Array, count: number, limit: number) =>
    column.subarray(0, count).every((value) => value >= 0 && value < limit);
  const textEnd = textSegments.reduce(
    (end, { firstSlot, slotCount: slots }) => (firstSlot === end ? end + slots : NaN),
    0,
  );
  return (
    textEnd === slotCount &&
    isBelow(open.items, slotCount, itemIds.length) &&
    (passages === null || isBelow(passages.open.items, passages.slotCount, slotCount)) &&
    isBelow(open.ranges, 2 * itemIds.length, slotCount + 1) &&
    labelColumns.every((name) => isBelow(open.labels[name], itemIds.length, labelValues.length)) &&
    hasSoundLists(index)
  );
}

function hasSoundLists({ open: { lists, listPlaces }, itemIds, labelValues, listWords }: BuiltIndex): boolean {
  for (const name of listColumns) {
    for (const place of listPlaces[name].subarray(0, itemIds.length)) {
      // Most items have none.
      if (place === 0) continue;
      const end = place + countWords(lists, place);
      // NaN behind the end of the memory is in no range.
      if (!(place >= 0 && end >= place && end <= listWords)) return false;
      for (const label of lists.subarray(place + 1, end)) if (label < 0 || label >= labelValues.length) return false;
    }
  }
  return true;
}

/** What a saved index says of itself, after all of it was compared with its checksums; null when it is missing or damaged. */
export async function verifyIndexFile(file: string): Promise<IndexDescription | null> {
  const handle = await open(file, 'r').catch(() => null);
  if (!handle) return null;
  try {
    const description = await readDescription(handle);
    let at = 0;
    for (const { bytes, sum } of description?.sections ?? []) {
      if ((await sumPieces(handle, bytes, at)) !== sum) return null;
      at += bytes;
    }
    return description;
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}

function restore(index: BuiltIndex, description: IndexDescription, textSegments: TextSegment[]): void {
  const { slotCount, linked, itemIds, textSums, labelValues, listWords, unusedWords } = description;
  Object.assign(index, { slotCount, itemIds, textSums, labelValues, listWords, unusedWords, textSegments });
  index.deletedCount = index.open.deleted.reduce((sum, word) => sum + countBits(word), 0);
  for (const [number, id] of itemIds.entries()) if (id !== null) index.itemNumbers.set(id, number);
  for (const [place, value] of labelValues.entries()) if (place > 0) index.labelPlaces.set(value, place);
  restoreLinks(index.open, linked);
  const { passages } = description;
  if (!index.passages || !passages) return;
  index.passages.slotCount = passages.slotCount;
  restoreLinks(index.passages.open, passages.linked);
}

function restoreLinks({ links, upperLinks, header }: OpenIndex, linked: number): void {
  keepLinksBelow(links.subarray(0, linked * maxLinks), linked);
  keepLinksBelow(upperLinks.subarray(0, countGroups(linked) * maxLinks), linked);
  header[0] = linked;
}

/** Drops links to slots that were added to the graph while it was saved: they are linked again. */
function keepLinksBelow(links: Int32Array, linked: number): void {
  for (let at = 0; at < links.length; at++) {
    const near = links[at] as number;
    if (near < 0 || near > linked) keepLinksOf(links, Math.floor(at / maxLinks), linked);
  }
}

function keepLinksOf(links: Int32Array, place: number, linked: number): void {
  const own = links.subarray(place * maxLinks, (place + 1) * maxLinks);
  const kept = own.filter((near) => near > 0 && near <= linked);
  own.fill(0).set(kept);
}

type Named = [name: string, bytes: Uint8Array];

const bytesOf = ({ buffer, byteOffset }: ArrayBufferView, length: number): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length);

/** The bytes of the columns that are in use, always in the same order. */
function columnsInUse(
  index: OpenIndex,
  { slotCount, linked, itemCount }: { slotCount: number; linked: number; itemCount: number },
): Named[] {
  return [
    ...columnsOfVectors(index, slotCount, linked),
    ['times', bytesOf(index.times, 16 * slotCount)],
    ['deleted', bytesOf(index.deleted, 4 * Math.ceil(slotCount / 32))],
    ['ranges', bytesOf(index.ranges, 8 * itemCount)],
    ...labelColumns.map((name): Named => [name, bytesOf(index.labels[name], 4 * itemCount)]),
    ...numberColumns.map((name): Named => [name, bytesOf(index.numbersOfItems[name], 8 * itemCount)]),
    ...listColumns.map((name): Named => [name, bytesOf(index.listPlaces[name], 4 * itemCount)]),
  ];
}

const columnsOfVectors = (index: OpenIndex, slotCount: number, linked: number): Named[] => [
  ['vectors', index.vectors.bytesOf(slotCount)],
  ['links', bytesOf(index.links, 4 * maxLinks * linked)],
  ['upperLinks', bytesOf(index.upperLinks, 4 * maxLinks * countGroups(linked))],
  ['numbers', bytesOf(index.numbers, 8 * slotCount)],
  ['items', bytesOf(index.items, 4 * slotCount)],
  ['embedded', bytesOf(index.embedded, slotCount)],
];

/** What of the passages is saved. */
const describePassages = ({ open, slotCount }: PassageSpace) => ({
  slotCount,
  linked: Math.min(readLinked(open.header), slotCount),
});

const columnsOfPassages = (
  { open, sources }: PassageSpace,
  { slotCount, linked }: { slotCount: number; linked: number },
): Named[] => [
  ...columnsOfVectors(open, slotCount, linked).map(([name, bytes]): Named => [`passages.${name}`, bytes]),
  ['passages.sources', new Uint8Array(sources, 0, 2 * slotCount)],
];

const listsOf = ({ lists }: OpenIndex, words: number): Named => ['lists', bytesOf(lists, 4 * words)];

function describeSegment(segment: TextSegment): { description: TextSegmentDescription; arrays: Named[] } {
  const description: TextSegmentDescription = {};
  const arrays: Named[] = [];
  for (const [name, value] of Object.entries(segment)) {
    if (typeof value === 'number') description[name] = value;
    else {
      description[name] = { type: value.constructor.name as keyof typeof arrayTypes, length: value.length };
      arrays.push([name, bytesOf(value, value.byteLength)]);
    }
  }
  return { description, arrays };
}

function allocateSegment(description: TextSegmentDescription): { segment: TextSegment; arrays: Named[] } {
  const segment: Record<string, unknown> = {};
  const arrays: Named[] = [];
  for (const [name, value] of Object.entries(description)) {
    if (typeof value === 'number') segment[name] = value;
    else {
      const type: new (buffer: SharedArrayBuffer) => SharedArray = arrayTypes[value.type];
      const array = new type(new SharedArrayBuffer(value.length * arrayTypes[value.type].BYTES_PER_ELEMENT));
      segment[name] = array;
      arrays.push([name, bytesOf(array, array.byteLength)]);
    }
  }
  return { segment: segment as TextSegment, arrays };
}

async function writeDescription(handle: FileHandle, description: IndexDescription): Promise<void> {
  const text = Buffer.from(JSON.stringify(description));
  const end = Buffer.alloc(8);
  end.writeUInt32LE(text.length, 0);
  end.writeUInt32LE(crc32(text), 4);
  await handle.writeFile(Buffer.concat([text, end]));
}

async function readDescription(handle: FileHandle): Promise<IndexDescription | null> {
  const { size } = await handle.stat();
  const end = Buffer.alloc(8);
  if (size < end.length) return null;
  await handle.read(end, 0, end.length, size - end.length);
  const [length, sum] = [end.readUInt32LE(0), end.readUInt32LE(4)];
  // Zeros, as a power cut may leave them, have a right checksum of nothing.
  if (length === 0 || length > size - end.length) return null;
  const text = Buffer.alloc(length);
  await handle.read(text, 0, length, size - end.length - length);
  if (crc32(text) !== sum) return null;
  const description = JSON.parse(text.toString()) as IndexDescription;
  return description.formatVersion === formatVersion ? description : null;
}
