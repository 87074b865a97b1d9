import { type FileHandle, open } from 'node:fs/promises';
import type { MediaType } from '../../contract/media.ts';
import { detectRaw } from './raw/read-raw.ts';
import { readBytes } from './read-bytes.ts';

/** The accepted formats, as users read them. */
export const acceptedMedia =
  'MP4, MOV, MKV, WebM, AVI, MPEG, TS and other video; JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF, BMP and JPEG 2000 images, raw photos (CR2, CR3, NEF, ARW, DNG, RAF, ORF, RW2); MP3, M4A, AAC, WAV, FLAC, Ogg, Opus, AIFF and other audio';

const headBytes = 64 * 1024;

const imageTypes = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/heic-sequence',
  'image/heif-sequence',
  'image/tiff',
  'image/bmp',
  'image/jp2',
  'image/jpx',
]);
/** Containers of video; other types are refused. */
const videoTypes = new Set([
  'video/mp4',
  'video/x-m4v',
  'video/quicktime',
  'video/3gpp',
  'video/3gpp2',
  'video/matroska',
  'video/webm',
  'video/vnd.avi',
  'video/mpeg',
  'video/MP1S',
  'video/MP2P',
  'video/mp2t',
  'video/x-flv',
  'video/x-ms-asf',
  'application/vnd.ms-asf',
  'video/ogg',
  'video/x-dv',
  'application/mxf',
  'application/vnd.rn-realmedia',
]);

/** Containers of sound alone. Those that may hold pictures too, such as MP4, count as video until their tracks are read. */
const audioTypes = new Set([
  'audio/mpeg',
  'audio/mp4',
  'audio/aac',
  'audio/wav',
  'audio/flac',
  'audio/ogg',
  'audio/aiff',
  'audio/amr',
  'audio/x-caf',
  'audio/x-ms-asf',
]);
/** What the library takes for a raw photograph, or for a TIFF that may be one: it looks at single values, and takes some TIFFs for one. */
const mayBeRaw = /^image\/(tiff|x-(canon-cr[23]|nikon-nef|sony-arw|adobe-dng|fujifilm-raf|olympus-orf|panasonic-rw2))$/;
/** What the library calls some of them. */
const otherNames: Record<string, string> = { 'audio/x-m4a': 'audio/mp4', 'audio/ogg; codecs=opus': 'audio/ogg' };

/**
 * Detects what a file is by its content; its name does not count.
 * SVG is refused, because it is a document that can carry script.
 * @returns null when its first bytes are those of neither video, image nor sound. Whether it can be decoded is not checked.
 */
export async function detectMediaType(path: string): Promise<{ type: MediaType; mimeType: string } | null> {
  await using file = await open(path);
  const head = await readBytes(file, 0, headBytes);
  const mimeType = mimeTypeOfSignature(head) ?? (await mimeTypeOfContent(await bringDirectoryForward(file, head)));
  if (!mimeType) return null;
  if (videoTypes.has(mimeType)) return { type: 'video', mimeType };
  if (mayBeRaw.test(mimeType)) return { type: 'image', mimeType: (await detectRaw(file)) ?? 'image/tiff' };
  if (audioTypes.has(mimeType)) return { type: 'audio', mimeType };
  if (!imageTypes.has(mimeType)) return null;
  return { type: (await isAnimated(file, mimeType)) ? 'video' : 'image', mimeType };
}

/** Where the directory of a TIFF is put: behind what raw photographs are told by. */
const directoryOffset = 16;

/**
 * The head of a TIFF with its directory in it, which most programs write behind the pixels (TIFF 6.0, section 2): the library looks there for what
 * sets raw photographs apart, and takes a head without it for a file that is cut off. Any other head as it is.
 */
async function bringDirectoryForward(file: FileHandle, head: Buffer): Promise<Buffer> {
  const order = { '49492a00': 'LE', '4d4d002a': 'BE' }[head.toString('hex', 0, 4)];
  if (order === undefined || head.length < headBytes) return head;
  const offset = order === 'LE' ? head.readUInt32LE(4) : head.readUInt32BE(4);
  const start = Buffer.from(head.subarray(0, directoryOffset));
  if (order === 'LE') start.writeUInt32LE(directoryOffset, 4);
  else start.writeUInt32BE(directoryOffset, 4);
  return Buffer.concat([start, await readBytes(file, offset, headBytes)]);
}

/** What the library knows; it is loaded by the first file. */
async function mimeTypeOfContent(head: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  const mime = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime;
  return mime && (otherNames[mime] ?? mime);
}

/** Types that the library does not know: MPEG program streams by their pack header, raw DV, JPEG 2000 code streams by their marker, raw photographs whose heads it wants longer than they have to be. */
function mimeTypeOfSignature(head: Buffer): string | undefined {
  const start = head.subarray(0, 4).toString('hex');
  if (start === '000001ba') return 'video/mpeg';
  // A header block of a DIF sequence, for 525 lines or 625 (IEC 61834-2).
  if (/^1f0700[3b]f$/.test(start)) return 'video/x-dv';
  if (start === 'ff4fff51') return 'image/jp2';
  if (/^(IIRO|IIRS|MMOR)$/.test(head.toString('latin1', 0, 4))) return 'image/x-olympus-orf';
  if (head.toString('latin1', 0, 4) === 'IIU\0') return 'image/x-panasonic-rw2';
  return undefined;
}

/** Whether an image has several frames. Only its structure is read, nothing is decoded. */
async function isAnimated(file: FileHandle, mimeType: string): Promise<boolean> {
  if (mimeType === 'image/apng') return true;
  if (mimeType === 'image/gif') return hasTwoFrames(gifFrames(file));
  if (mimeType === 'image/webp') return hasTwoFrames(webpFrames(file));
  return false;
}

async function hasTwoFrames(places: AsyncIterable<number>): Promise<boolean> {
  let count = 0;
  for await (const _ of places) if (++count === 2) return true;
  return false;
}

/** Where the frames of a GIF begin (GIF89a specification, 1990). */
async function* gifFrames(file: FileHandle): AsyncGenerator<number> {
  const bytes = createBufferedReader(file);
  /** Bytes of a table of colours, by the packed field that announces it. */
  const tableBytes = (packed: number) => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0);
  let at = 13 + tableBytes((await bytes.at(10)) ?? 0);
  let blocks = 0;
  for (let kind = await bytes.at(at); kind === 0x21 || kind === 0x2c; kind = await bytes.at(at)) {
    if (kind === 0x2c) {
      yield at;
      at += 11 + tableBytes((await bytes.at(at + 9)) ?? 0);
    } else {
      at += 2;
    }
    // Blocks of data follow, each with its length before it, until one of length 0.
    let length = bytes.peek(at) ?? (await bytes.at(at)) ?? 0;
    for (; length > 0; length = bytes.peek(at) ?? (await bytes.at(at)) ?? 0) {
      at += 1 + length;
      if (++blocks > maxGifBlocks) return;
    }
    at += 1;
    if (++blocks > maxGifBlocks) return;
  }
}

/** At most so many blocks of a GIF are read. Encoders fill their blocks, so its first frame would have to take 250 MB. */
const maxGifBlocks = 1_000_000;

/** Where the frames of an animated WebP begin (RFC 9649). */
async function* webpFrames(file: FileHandle): AsyncGenerator<number> {
  let at = 12;
  for (let chunks = 0; chunks < maxWebpChunks; chunks++) {
    const head = await readBytes(file, at, 8);
    if (head.length < 8) return;
    if (head.toString('latin1', 0, 4) === 'ANMF') yield at;
    const size = head.readUInt32LE(4);
    at += 8 + size + (size % 2);
  }
}

/** At most so many chunks of a WebP are read. A second frame comes early. */
const maxWebpChunks = 1000;

/** Single bytes of a file, which is read in large pieces. */
function createBufferedReader(file: FileHandle) {
  let start = 0;
  let piece: Buffer = Buffer.alloc(0);
  /** The byte at a place when it is in memory. */
  const peek = (at: number): number | undefined => (at < start ? undefined : piece[at - start]);
  return {
    peek,
    async at(at: number): Promise<number | undefined> {
      if (peek(at) === undefined) {
        piece = await readBytes(file, at, headBytes);
        start = at;
      }
      return peek(at);
    },
  };
}
