import { open } from 'node:fs/promises';
import { readBytes } from '../read-bytes.ts';
import { UnreadableMediaError } from '../unreadable-media-error.ts';
import { readJpegSize } from './jpeg-size.ts';
import type { PreviewPlace, RawPhoto } from './raw-photo.ts';
import { readerOf } from './tiff-directories.ts';

/** A longer JPEG is not read: those of 100 megapixels take 60 MB. */
const maxPreviewBytes = 2 ** 27;
/** At most so many places are looked at; cameras have up to four. */
const maxPlaces = 200;

/**
 * Reads the largest picture that a camera put into a raw photograph, as a JPEG that says how it is turned.
 * Throws `UnreadableMediaError` where there is none.
 */
export async function readRawPreview(path: string, { previews, orientation, format }: RawPhoto): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const read = readerOf(file);
  let largest: (PreviewPlace & { pixels: number }) | undefined;
  for (const place of previews.slice(0, maxPlaces)) {
    const end = Math.min(size, place.at + place.length);
    const found = end - place.at > maxPreviewBytes ? null : await readJpegSize(read, place.at, end);
    const pixels = found ? found.width * found.height : 0;
    if (pixels > (largest?.pixels ?? 0)) largest = { at: place.at, length: end - place.at, pixels };
  }
  if (!largest) {
    throw new UnreadableMediaError(
      'unreadable_media',
      `This ${format} photograph holds no picture that can be shown: its camera, or the program that wrote it, put no JPEG into it. Export it as JPEG or HEIC and upload that.`,
    );
  }
  const jpeg = await readBytes(file, largest.at, largest.length);
  return orientation === undefined || orientation < 2 || orientation > 8 || hasExif(jpeg)
    ? jpeg
    : turn(jpeg, orientation);
}

/** Whether a JPEG has EXIF of its own, which then says how it is turned: one of the first segments (EXIF 2.32, 4.5.4). */
function hasExif(jpeg: Buffer): boolean {
  let at = 2;
  while (at + 10 <= jpeg.length && jpeg[at] === 0xff && (jpeg[at + 1] ?? 0) >= 0xe0 && (jpeg[at + 1] ?? 0) <= 0xef) {
    if (jpeg[at + 1] === 0xe1 && jpeg.toString('latin1', at + 4, at + 10) === 'Exif\0\0') return true;
    at += 2 + jpeg.readUInt16BE(at + 2);
  }
  return false;
}

/** A JPEG with EXIF that holds its orientation and nothing else. */
function turn(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from('ffe1002245786966000049492a0008000000010012010300010000000000000000000000', 'hex');
  exif.writeUInt16LE(orientation, 28);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}
