import type { FileHandle } from 'node:fs/promises';
import { readBytes } from '../read-bytes.ts';

/** Reads bytes from a place on, fewer where they end. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>;

export const readerOf =
  (file: FileHandle, base = 0): ReadAt =>
  (at, length) =>
    readBytes(file, base + at, length);

/** A value of a directory: the number of its type, how many there are, and where they stand. */
export type TiffEntry = { tag: number; type: number; count: number; at: number };

/** A directory of a TIFF (TIFF 6.0, section 2) by the tags of its entries. */
export type TiffDirectory = Map<number, TiffEntry>;

export type Tiff = { isLittle: boolean; read: ReadAt; directories: TiffDirectory[] };

/** Bytes of one value of each type (TIFF 6.0, section 2; type 13 is a directory by Adobe's PageMaker notes). */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];

/** A raw photograph has about ten directories with up to 100 entries. Those of damaged or hostile files go in circles, or count in billions. */
const maxDirectories = 64;
const maxEntries = 512;
/** At most so many numbers of one entry are read. */
const maxNumbers = 64;

export const tags = {
  newSubfileType: 0xfe,
  compression: 0x103,
  photometric: 0x106,
  make: 0x10f,
  orientation: 0x112,
  stripOffsets: 0x111,
  stripByteCounts: 0x117,
  subDirectories: 0x14a,
  jpegOffset: 0x201,
  jpegLength: 0x202,
  exif: 0x8769,
  gps: 0x8825,
  makerNote: 0x927c,
  dngVersion: 0xc612,
} as const;

export const bytesOf = ({ type, count }: TiffEntry): number => (typeBytes[type] ?? 0) * count;

const number16 = (bytes: Buffer, at: number, isLittle: boolean) =>
  isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
const number32 = (bytes: Buffer, at: number, isLittle: boolean) =>
  isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);

/** The directory at a place, and where the next one stands (0: nowhere); null where there is none that makes sense. */
export async function readDirectory(
  read: ReadAt,
  at: number,
  isLittle: boolean,
): Promise<{ entries: TiffDirectory; next: number } | null> {
  const head = await read(at, 2);
  if (head.length < 2) return null;
  const count = number16(head, 0, isLittle);
  if (count === 0 || count > maxEntries) return null;
  const body = await read(at + 2, 12 * count + 4);
  const entries: TiffDirectory = new Map();
  for (let i = 0; i < count && 12 * (i + 1) <= body.length; i++) {
    const tag = number16(body, 12 * i, isLittle);
    const type = number16(body, 12 * i + 2, isLittle);
    const entry = { tag, type, count: number32(body, 12 * i + 4, isLittle), at: at + 2 + 12 * i + 8 };
    // What does not fit stands elsewhere.
    if (bytesOf(entry) > 4) entry.at = number32(body, 12 * i + 8, isLittle);
    entries.set(tag, entry);
  }
  const next = body.length >= 12 * count + 4 ? number32(body, 12 * count, isLittle) : 0;
  return { entries, next };
}

/** The whole numbers of an entry of bytes, shorts or longs, the first of them; none for another type. */
export async function readNumbers({ read, isLittle }: Omit<Tiff, 'directories'>, entry?: TiffEntry): Promise<number[]> {
  const size = entry && { 1: 1, 3: 2, 4: 4, 13: 4 }[entry.type];
  if (!entry || !size) return [];
  const bytes = await read(entry.at, size * Math.min(entry.count, maxNumbers));
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) =>
    size === 1
      ? (bytes[i] as number)
      : size === 2
        ? number16(bytes, 2 * i, isLittle)
        : number32(bytes, 4 * i, isLittle),
  );
}

/** The text of an entry, at most 64 characters. */
export async function readText({ read }: Pick<Tiff, 'read'>, entry?: TiffEntry): Promise<string> {
  if (entry?.type !== 2) return '';
  return (await read(entry.at, Math.min(entry.count, 64))).toString('latin1').split('\0')[0] ?? '';
}

/**
 * The directories of a TIFF, those within others too: the first one, those that follow it, and below each its sub-directories, EXIF and GPS.
 * Each place is read once, so that what goes in circles ends.
 * @param first where the first directory stands; by default where the head says
 */
export async function readTiff(read: ReadAt, first?: number): Promise<Tiff | null> {
  const head = await read(0, 8);
  const order = head.toString('latin1', 0, 2);
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) return null;
  const isLittle = order === 'II';
  const directories: TiffDirectory[] = [];
  const waiting = [first ?? number32(head, 4, isLittle)];
  const seen = new Set<number>();
  for (let at = waiting.shift(); at !== undefined && directories.length < maxDirectories; at = waiting.shift()) {
    if (at < 8 || seen.has(at)) continue;
    seen.add(at);
    const directory = await readDirectory(read, at, isLittle);
    if (!directory) continue;
    const { entries, next } = directory;
    directories.push(entries);
    for (const tag of [tags.subDirectories, tags.exif, tags.gps]) {
      waiting.push(...(await readNumbers({ read, isLittle }, entries.get(tag))));
    }
    waiting.push(next);
  }
  return directories.length > 0 ? { isLittle, read, directories } : null;
}
