import type { FileHandle } from 'node:fs/promises';
import { childBoxes, findBox, readMoovBox, readUint32At } from '../mp4-boxes.ts';
import { readBytes } from '../read-bytes.ts';
import type { PreviewPlace, RawPhoto } from './raw-photo.ts';
import { type ReadAt, readDirectory, readNumbers, tags } from './tiff-directories.ts';
import { type ReadDirectory, writeTags } from './write-tags.ts';

/** Canon's boxes (Laurent Clévy, "Describing the Canon Raw v3 (CR3) file format"): that of tags in the header, and that of a preview beside it. */
const tagsId = '85c0b687820f11e08111f4ce462b6a48';
const previewId = 'eaf42b5e1c984b88b9fbb7dc406e4d16';

/** At most so many boxes of the top level are looked at. A photograph has about six. */
const maxBoxes = 100;
/** In so many bytes from the beginning of its box the preview begins. */
const previewHead = 128;

/** Reads a CR3: a file of ISO base media whose tracks hold pictures, one of them a JPEG of full size. */
export async function readCr3(file: FileHandle): Promise<RawPhoto | null> {
  const header = await readMoovBox(file);
  if (!header) return null;
  const own = childBoxes(header, 'uuid')
    .find((box) => box.toString('hex', 0, 16) === tagsId)
    ?.subarray(16);
  const [main, exif, gps] = await Promise.all(
    ['CMT1', 'CMT2', 'CMT4'].map((type) => readTagsBox(own && childBoxes(own, type)[0])),
  );
  const inTracks = childBoxes(header, 'trak').flatMap(readTrack);
  const [orientation] = main ? await readNumbers(main, main.entries.get(tags.orientation)) : [];
  return {
    mimeType: 'image/x-canon-cr3',
    format: 'CR3',
    previews: [...inTracks, ...(await listPreviewBoxes(file))],
    orientation,
    tags: main ? await writeTags(main.isLittle, { main, exif, gps }) : null,
  };
}

/** The first directory of a box that holds a TIFF. EXIF and position have a TIFF of their own each. */
async function readTagsBox(box: Buffer | undefined): Promise<(ReadDirectory & { isLittle: boolean }) | undefined> {
  if (!box || box.length < 8) return undefined;
  const isLittle = box.toString('latin1', 0, 2) === 'II';
  const read: ReadAt = (at, length) => Promise.resolve(box.subarray(at, at + length));
  const directory = await readDirectory(read, isLittle ? box.readUInt32LE(4) : box.readUInt32BE(4), isLittle);
  return directory ? { read, entries: directory.entries, isLittle } : undefined;
}

/** The only sample of a track. */
function readTrack(track: Buffer): PreviewPlace[] {
  const table = findBox(track, 'mdia', 'minf', 'stbl');
  if (!table) return [];
  const sizes = findBox(table, 'stsz');
  const length = readUint32At(sizes, 4) || readUint32At(sizes, 12);
  const long = findBox(table, 'co64');
  const at = long && long.length >= 16 ? Number(long.readBigUInt64BE(8)) : readUint32At(findBox(table, 'stco'), 8);
  return length && at && Number.isSafeInteger(at) ? [{ at, length }] : [];
}

/** Previews in boxes of the top level: a JPEG a few bytes behind their beginning. */
async function listPreviewBoxes(file: FileHandle): Promise<PreviewPlace[]> {
  const places: PreviewPlace[] = [];
  let at = 0;
  for (let i = 0; i < maxBoxes; i++) {
    const head = await readBytes(file, at, previewHead);
    if (head.length < 32) break;
    const size = head.readUInt32BE(0);
    const length = size === 1 ? Number(head.readBigUInt64BE(8)) : size;
    if (length < 8 || !Number.isSafeInteger(length)) break;
    if (head.toString('latin1', 4, 8) === 'uuid' && head.toString('hex', 8, 24) === previewId) {
      const start = head.indexOf('ffd8ff', 0, 'hex');
      if (start > 0) places.push({ at: at + start, length: length - start });
    }
    at += length;
  }
  return places;
}
