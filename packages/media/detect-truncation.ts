import { type FileHandle, open } from 'node:fs/promises';
import { readElementHead, segmentId } from './ebml.ts';
import { readBytes } from './read-bytes.ts';

/**
 * Whether a media file ends before its own structure says that it does, as one does whose copying broke off. Nothing is decoded.
 * Streams (MPEG-TS, MPEG program streams) have no end that could be missing.
 */
export async function isTruncated(path: string, mimeType: string): Promise<boolean> {
  const check = checks.find(([types]) => types.test(mimeType))?.[1];
  if (!check) return false;
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  return await check(file, size);
}

type Check = (file: FileHandle, size: number) => Promise<boolean>;

/** At most so many structures are read; a file of more is taken to be whole. */
const maxStructures = 200_000;

/** ISO base media (ISO/IEC 14496-12) and JPEG 2000: boxes, each with its size. */
const isMp4Truncated: Check = async (file, size) => {
  let at = 0;
  for (let i = 0; i < maxStructures && at < size; i++) {
    const head = await readBytes(file, at, 16);
    // What is no box is something that was appended.
    if (!/^[\w ©-]{4}$/.test(head.toString('latin1', 4, 8))) return false;
    const short = head.readUInt32BE(0);
    // 0: to the end of the file, 1: in the next eight bytes.
    if (short === 0 || (short === 1 && head.length < 16)) return short === 1;
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    if (length < 8) return false;
    at += length;
  }
  return at > size;
};

/** Matroska and WebM: a segment, whose size may be unknown, and in it elements. */
const isMatroskaTruncated: Check = async (file, size) => {
  let at = 0;
  for (let i = 0; i < maxStructures && at < size; i++) {
    const head = await readBytes(file, at, 12);
    const element = readElementHead(head, 0);
    if (!element) return false;
    // All ones: unknown.
    const unknown = element.size >= 2 ** (7 * (element.length - idLength(element.id))) - 1;
    if (unknown && element.id !== segmentId) return false;
    if (element.id === segmentId && unknown) at += element.length;
    else at += element.length + element.size;
  }
  return at > size;
};

const idLength = (id: number): number => Math.ceil((32 - Math.clz32(id)) / 8);

/** AVI and WebP: RIFF chunks, one after the other. */
const isRiffTruncated: Check = async (file, size) => {
  let at = 0;
  while (at < size) {
    const head = await readBytes(file, at, 8);
    if (head.length < 8 || head.toString('latin1', 0, 4) !== 'RIFF') return false;
    const length = head.readUInt32LE(4);
    // Not filled in by a recorder that stopped.
    if (length === 0 || length === 0xffffffff) return false;
    at += 8 + length;
  }
  return at > size;
};

/** ASF (Advanced Systems Format specification, 3.2): the header states the size of the file, unless it was broadcast. */
const isAsfTruncated: Check = async (file, size) => {
  const head = await readBytes(file, 0, 64 * 1024);
  const at = head.indexOf('a1dcab8c47a9cf118ee400c00c205365', 'hex');
  if (at < 0 || at + 92 > head.length) return false;
  const broadcast = (head.readUInt32LE(at + 88) & 1) === 1;
  return !broadcast && Number(head.readBigUInt64LE(at + 40)) > size;
};

/** Flash video: after each tag stands its size. */
const isFlvTruncated: Check = async (file, size) => {
  const length = (await readBytes(file, size - 4, 4)).readUInt32BE(0);
  if (length < 11 || length + 4 > size) return true;
  const head = await readBytes(file, size - 4 - length, 11);
  return head.readUIntBE(1, 3) !== length - 11;
};

/** Ogg (RFC 3533): pages, the last of which is within the last 64 KiB. */
const isOggTruncated: Check = async (file, size) => {
  const tail = await readBytes(file, Math.max(0, size - 65_536), 65_536);
  const at = tail.lastIndexOf('OggS');
  if (at < 0 || at + 27 > tail.length) return true;
  const segments = tail.subarray(at + 27, at + 27 + (tail[at + 26] ?? 0));
  if (segments.length < (tail[at + 26] ?? 0)) return true;
  return at + 27 + segments.length + segments.reduce((sum, length) => sum + length, 0) > tail.length;
};

/** JPEG (ITU-T T.81, B.1): segments, coded data behind some, and a marker for the end. */
const isJpegTruncated: Check = async (file, size) => {
  const bytes = await readBytes(file, 0, Math.min(size, 256 * 2 ** 20));
  let at = 2;
  while (at < bytes.length) {
    // Up to the next marker: in coded data 0 follows the byte 255, and restart markers are part of it.
    at = bytes.indexOf(0xff, at);
    if (at < 0) return true;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xd9) return false;
    if (marker === 0xff) at += 1;
    else if (marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (at + 4 > bytes.length) return true;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return true;
};

/** GIF: ends with a trailer, behind which some write a few bytes more. */
const isGifTruncated: Check = async (file, size) => !(await readBytes(file, Math.max(0, size - 16), 16)).includes(0x3b);

/** PNG: chunks, the last of which is empty and says so. */
const isPngTruncated: Check = async (file, size) => {
  for (let at = 8, i = 0; i < maxStructures; i++) {
    const head = await readBytes(file, at, 8);
    if (head.length < 8) return true;
    at += 12 + head.readUInt32BE(0);
    if (at > size) return true;
    if (head.toString('latin1', 4, 8) === 'IEND') return false;
  }
  return false;
};

const checks: [types: RegExp, check: Check][] = [
  [/^(video|audio)\/(mp4|x-m4v|quicktime|3gpp2?)$|^image\/(avif|hei[cf]|jp2|jpx)/, isMp4Truncated],
  [/^(video|audio)\/(matroska|webm)$/, isMatroskaTruncated],
  [/^video\/vnd\.avi$|^image\/webp$|^audio\/wav$/, isRiffTruncated],
  [/ms-asf$/, isAsfTruncated],
  [/^video\/x-flv$/, isFlvTruncated],
  [/^(video|audio)\/ogg$/, isOggTruncated],
  [/^image\/jpeg$/, isJpegTruncated],
  [/^image\/gif$/, isGifTruncated],
  [/^image\/a?png$/, isPngTruncated],
];

/**
 * The warning for an item whose file is cut off.
 * @param there seconds that could be read, and how many the file states; null for an image
 */
export function describeTruncation(there: { duration: number; stated: number } | null): {
  code: 'truncated_media';
  message: string;
} {
  const what =
    there && there.stated > there.duration + 1
      ? `it holds ${Math.round(10 * there.duration) / 10} of ${Math.round(10 * there.stated) / 10} seconds`
      : 'its end is missing';
  return { code: 'truncated_media', message: `This file is cut off: ${what}. Upload a complete copy.` };
}
