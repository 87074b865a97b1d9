import type { ReadAt } from './tiff-directories.ts';

/** Segments that are looked at in search of the one that says the size; cameras write about ten before it. */
const maxSegments = 200;

/**
 * The size of a JPEG within a file, by its headers (ITU-T T.81, B.2.2); null for what is none, or none that shows a picture: raw pixels are often coded as
 * lossless JPEG.
 * @param end where it ends at the latest
 */
export async function readJpegSize(
  read: ReadAt,
  start: number,
  end: number,
): Promise<{ width: number; height: number } | null> {
  const head = await read(start, 3);
  if (head.toString('hex') !== 'ffd8ff') return null;
  let at = start + 2;
  for (let i = 0; i < maxSegments && at + 9 <= end; i++) {
    const segment = await read(at, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return null;
    const marker = segment[1] as number;
    // Fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const isShown = marker <= 0xc2 && segment[4] === 8;
      return isShown ? { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) } : null;
    }
    // The picture itself begins, and nothing said its size.
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + segment.readUInt16BE(2);
  }
  return null;
}
