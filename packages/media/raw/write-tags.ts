import { bytesOf, type ReadAt, tags, type TiffDirectory } from './tiff-directories.ts';

/** A directory with what reads its values. */
export type ReadDirectory = { read: ReadAt; entries: TiffDirectory };

/** Longer values are left out: notes of the maker and thumbnails. XMP may be long. Bytes. */
const maxValue = 4096;
const maxXmp = 65_536;
const xmpTag = 0x2bc;
/** Where pixels lie, which are not here. */
const leftOut = new Set<number>([
  tags.stripOffsets,
  tags.stripByteCounts,
  tags.subDirectories,
  tags.jpegOffset,
  tags.jpegLength,
  tags.makerNote,
  tags.exif,
  tags.gps,
]);

/**
 * Writes a small TIFF with the tags of a photograph and nothing else, for the library that reads tags: of a raw photograph of 100 MB it gets some
 * kilobytes, whatever form the photograph has.
 * @param isLittle the order of bytes of the directories, which is kept
 */
export async function writeTags(
  isLittle: boolean,
  { main, exif, gps }: { main: ReadDirectory; exif?: ReadDirectory | undefined; gps?: ReadDirectory | undefined },
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 8;
  const put = (part: Buffer): number => {
    const at = length;
    // Values begin at even places.
    const even = part.length % 2 === 0 ? part : Buffer.concat([part, Buffer.alloc(1)]);
    parts.push(even);
    length += even.length;
    return at;
  };
  const put16 = (bytes: Buffer, value: number, at: number) =>
    isLittle ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at);
  const put32 = (bytes: Buffer, value: number, at: number) =>
    isLittle ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);

  async function putDirectory({ read, entries }: ReadDirectory, pointers: [tag: number, at: number][]) {
    const fields: Buffer[] = [];
    for (const entry of entries.values()) {
      const size = bytesOf(entry);
      if (leftOut.has(entry.tag) || size === 0 || size > (entry.tag === xmpTag ? maxXmp : maxValue)) continue;
      const value = await read(entry.at, size);
      if (value.length < size) continue;
      const field = Buffer.alloc(12);
      put16(field, entry.tag, 0);
      put16(field, entry.type, 2);
      put32(field, entry.count, 4);
      if (size > 4) put32(field, put(value), 8);
      else value.copy(field, 8);
      fields.push(field);
    }
    for (const [tag, at] of pointers) {
      const field = Buffer.alloc(12);
      put16(field, tag, 0);
      put16(field, 4, 2);
      put32(field, 1, 4);
      put32(field, at, 8);
      fields.push(field);
    }
    const count = Buffer.alloc(2);
    put16(count, fields.length, 0);
    return put(Buffer.concat([count, ...fields, Buffer.alloc(4)]));
  }

  const pointers: [number, number][] = [];
  if (exif) pointers.push([tags.exif, await putDirectory(exif, [])]);
  if (gps) pointers.push([tags.gps, await putDirectory(gps, [])]);
  const first = await putDirectory(main, pointers);
  const head = Buffer.from(isLittle ? 'II\0\0' : 'MM\0\0', 'latin1');
  put16(head, 42, 2);
  const place = Buffer.alloc(4);
  put32(place, first, 0);
  return Buffer.concat([head, place, ...parts]);
}
