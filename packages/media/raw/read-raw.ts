import { type FileHandle, open } from 'node:fs/promises';
import { type PreviewPlace, rawFormats, type RawPhoto } from './raw-photo.ts';
import { readCr3 } from './read-cr3.ts';
import {
  bytesOf,
  type ReadAt,
  readDirectory,
  readerOf,
  readNumbers,
  readText,
  readTiff,
  tags,
  type Tiff,
} from './tiff-directories.ts';
import { writeTags } from './write-tags.ts';

/** Tells a raw photograph by its content. @returns its media type; null for any other file, such as a TIFF of pixels */
export async function detectRaw(file: FileHandle): Promise<string | null> {
  return (await readRawFrom(file))?.mimeType ?? null;
}

/** Reads the structure of a raw photograph; null where a file is none. */
export async function readRaw(path: string): Promise<RawPhoto | null> {
  await using file = await open(path, 'r');
  return await readRawFrom(file);
}

async function readRawFrom(file: FileHandle): Promise<RawPhoto | null> {
  const read = readerOf(file);
  const head = await read(0, 16);
  if (head.toString('latin1') === 'FUJIFILMCCD-RAW ') return readRaf(read);
  if (head.toString('latin1', 4, 12) === 'ftypcrx ') return readCr3(file);
  return /^(II|MM)/.test(head.toString('latin1', 0, 2)) ? readTiffRaw(read, head) : null;
}

/** Fujifilm: a head of its own that says where the JPEG is, which has all tags. */
async function readRaf(read: ReadAt): Promise<RawPhoto | null> {
  const places = await read(84, 8);
  if (places.length < 8) return null;
  return {
    mimeType: 'image/x-fujifilm-raf',
    format: 'RAF',
    previews: [{ at: places.readUInt32BE(0), length: places.readUInt32BE(4) }],
    orientation: undefined,
    tags: null,
  };
}

/** Most raw photographs are a TIFF with pixels that only their maker's programs show, and JPEGs beside them. */
async function readTiffRaw(read: ReadAt, head: Buffer): Promise<RawPhoto | null> {
  const tiff = await readTiff(read);
  const [first] = tiff?.directories ?? [];
  if (!tiff || !first) return null;
  const mimeType = await nameFormat(tiff, head);
  const format = mimeType && rawFormats[mimeType];
  if (!format) return null;
  const [orientation] = await readNumbers(tiff, first.get(tags.orientation));
  return {
    mimeType,
    format,
    previews: await listPreviews(tiff),
    orientation,
    tags: await copyTags(tiff),
  };
}

/** Photometric interpretations of raw pixels: a colour filter array, and linear raw (Adobe DNG 1.7, chapter 4). */
const rawPhotometric = new Set([32_803, 34_892]);
/** What Nikon and Sony compress their pixels by. */
const rawCompression = new Set([34_713, 32_767]);

/** The media type of a raw photograph by the magic number, or by what its pixels are; null for a TIFF that anybody can show. */
async function nameFormat(tiff: Tiff, head: Buffer): Promise<string | null> {
  const magic = head.toString('latin1', 0, 4);
  if (/^(IIRO|IIRS|MMOR)$/.test(magic)) return 'image/x-olympus-orf';
  if (magic === 'IIU\0') return 'image/x-panasonic-rw2';
  if (head.toString('latin1', 8, 10) === 'CR') return 'image/x-canon-cr2';
  const [first] = tiff.directories;
  if (first?.has(tags.dngVersion)) return 'image/x-adobe-dng';
  for (const directory of tiff.directories) {
    const [photometric = 0] = await readNumbers(tiff, directory.get(tags.photometric));
    const [compression = 0] = await readNumbers(tiff, directory.get(tags.compression));
    if (!rawPhotometric.has(photometric) && !rawCompression.has(compression)) continue;
    const make = await readText(tiff, first?.get(tags.make));
    if (/^nikon/i.test(make)) return 'image/x-nikon-nef';
    if (/^sony/i.test(make)) return 'image/x-sony-arw';
  }
  return null;
}

/** Panasonic puts a JPEG into a value of the first directory. */
const panasonicJpeg = 0x2e;

/** Wherever the directories may mean a JPEG: by its own tags, as the only strip of a picture, or in a value. */
async function listPreviews(tiff: Tiff): Promise<PreviewPlace[]> {
  const places: PreviewPlace[] = [];
  for (const directory of tiff.directories) {
    for (const [at, length] of [
      [tags.jpegOffset, tags.jpegLength],
      [tags.stripOffsets, tags.stripByteCounts],
    ] as const) {
      const offsets = await readNumbers(tiff, directory.get(at));
      const lengths = await readNumbers(tiff, directory.get(length));
      if (offsets.length === 1 && lengths.length === 1) places.push({ at: offsets[0] ?? 0, length: lengths[0] ?? 0 });
    }
    const inside = directory.get(panasonicJpeg);
    if (inside && inside.count > 4) places.push({ at: inside.at, length: inside.count });
    const note = directory.get(tags.makerNote);
    if (note) places.push(...(await readOlympusNote(tiff, note.at, bytesOf(note))));
  }
  return places;
}

/** The notes of Olympus' cameras: how each begins, where its first directory is, and whether places in it count from its own beginning. */
const olympusNotes: [head: string, directory: number][] = [
  ['OLYMPUS\0', 12],
  ['OM SYSTEM\0', 16],
];
const cameraSettings = 0x2020;
const [previewStart, previewLength] = [0x101, 0x102];

/** Olympus and OM System keep the preview's place in their notes, counted from where the notes begin. */
async function readOlympusNote({ read, isLittle }: Tiff, at: number, length: number): Promise<PreviewPlace[]> {
  const head = (await read(at, Math.min(length, 16))).toString('latin1');
  const form = olympusNotes.find(([start]) => head.startsWith(start));
  if (!form) return [];
  const inNote: ReadAt = (place, size) => read(at + place, size);
  const note = { read: inNote, isLittle };
  const main = await readDirectory(inNote, form[1], isLittle);
  const entry = main?.entries.get(cameraSettings);
  // A directory by its place, or by its bytes.
  const [pointed = entry?.at ?? 0] = await readNumbers(note, entry);
  const settings = entry ? await readDirectory(inNote, pointed, isLittle) : null;
  const [start] = await readNumbers(note, settings?.entries.get(previewStart));
  const [size] = await readNumbers(note, settings?.entries.get(previewLength));
  return start && size ? [{ at: at + start, length: size }] : [];
}

/** The tags of the photograph itself, of its EXIF and of its position. */
async function copyTags(tiff: Tiff): Promise<Buffer> {
  const { read, isLittle, directories } = tiff;
  const [main = new Map()] = directories;
  const below = async (tag: number) => {
    const [at] = await readNumbers(tiff, main.get(tag));
    const found = at === undefined ? null : await readDirectory(read, at, isLittle);
    return found ? { read, entries: found.entries } : undefined;
  };
  return writeTags(isLittle, {
    main: { read, entries: main },
    exif: await below(tags.exif),
    gps: await below(tags.gps),
  });
}
