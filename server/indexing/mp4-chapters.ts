import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './read-bytes.ts';

/** A title and where its chapter begins, seconds in the container's clock. */
export type Chapter = { title: string; at: number };

/** Boxes on the top level that are looked at on the way to the header. */
const mostBoxes = 10_000;
/** A longer header is not read for chapters, bytes. Ten hours of film have about 20 MB. */
const mostHeaderBytes = 64 * 2 ** 20;
/** More than any film has. */
const mostChapters = 10_000;

/**
 * Reads the chapters of an MP4 or MOV file: those of a track of text that the picture refers to, as QuickTime and iTunes write them
 * (QuickTime File Format, "Chapter Lists"), or else Nero's list. The work is linear in the size of the header.
 */
export async function readMp4Chapters(file: FileHandle): Promise<Chapter[]> {
  const header = await readMovieHeader(file);
  if (!header) return [];
  const tracks = childrenOf(header, 'trak');
  const wanted = tracks.flatMap((track) => find(track, 'tref', 'chap') ?? []).find((list) => list.length >= 4);
  const texts = wanted && tracks.find((track) => trackNumber(track) === wanted.readUInt32BE());
  const found = texts ? await readTextTrack(file, texts) : [];
  return found.length > 0
    ? found
    : readNeroList(childrenOf(header, 'udta').flatMap((data) => find(data, 'chpl') ?? [])[0]);
}

/** The content of the `moov` box, undefined where there is none or it is too large. */
export async function readMovieHeader(file: FileHandle): Promise<Buffer | undefined> {
  let at = 0;
  for (let i = 0; i < mostBoxes; i++) {
    const head = await readBytes(file, at, 16);
    if (head.length < 8) return undefined;
    const short = head.readUInt32BE();
    const long = short === 1 && head.length === 16;
    const size = long ? Number(head.readBigUInt64BE(8)) : short;
    const headLength = long ? 16 : 8;
    if (head.toString('latin1', 4, 8) === 'moov') {
      return size <= mostHeaderBytes ? readBytes(file, at + headLength, Math.max(0, size - headLength)) : undefined;
    }
    // A size of 0 reaches to the end of the file.
    if (size < headLength) return undefined;
    at += size;
  }
  return undefined;
}

/** The contents of the boxes of a type that lie directly in a box. */
function childrenOf(content: Buffer, type: string): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 8 <= content.length;) {
    const size = content.readUInt32BE(at);
    if (size < 8 || at + size > content.length) break;
    if (content.toString('latin1', at + 4, at + 8) === type) found.push(content.subarray(at + 8, at + size));
    at += size;
  }
  return found;
}

/** The content of the first box on a path of types. */
function find(content: Buffer, ...types: string[]): Buffer | undefined {
  let inside: Buffer | undefined = content;
  for (const type of types) inside = inside && childrenOf(inside, type)[0];
  return inside;
}

/** A number in a box, or undefined where it is cut off. */
const numberAt = (content: Buffer | undefined, at: number): number | undefined =>
  content && at + 4 <= content.length ? content.readUInt32BE(at) : undefined;

/** Fields after times of creation and change, which take 64 bits each from version 1 on. */
const afterTimes = (content: Buffer | undefined): number => (content?.[0] === 1 ? 20 : 12);

function trackNumber(track: Buffer): number | undefined {
  const head = find(track, 'tkhd');
  return numberAt(head, afterTimes(head));
}

async function readTextTrack(file: FileHandle, track: Buffer): Promise<Chapter[]> {
  const media = find(track, 'mdia');
  const clock = media && find(media, 'mdhd');
  const ticks = numberAt(clock, afterTimes(clock));
  const table = media && find(media, 'minf', 'stbl');
  if (!table || !ticks) return [];
  const chapters: Chapter[] = [];
  const times = readTimes(find(table, 'stts'));
  for (const { at, size } of readPlaces(table)) {
    const time = times.next();
    if (time.done) break;
    const sample = await readBytes(file, at, Math.min(size, 2 ** 16));
    const title = sample.length < 2 ? '' : readText(sample.subarray(2, 2 + sample.readUInt16BE()));
    chapters.push({ title, at: time.value / ticks });
  }
  return chapters;
}

/** Text of a sample: UTF-16 where it begins with a byte order mark, else UTF-8. */
function readText(bytes: Buffer): string {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE() : 0;
  if (mark === 0xfeff) return new TextDecoder('utf-16be').decode(bytes);
  if (mark === 0xfffe) return new TextDecoder('utf-16le').decode(bytes);
  return bytes.toString('utf8');
}

/** When each sample begins, in ticks of its track. */
function* readTimes(box: Buffer = Buffer.alloc(0)): Generator<number, undefined> {
  let time = 0;
  for (let at = 8; at + 8 <= box.length; at += 8) {
    const count = Math.min(box.readUInt32BE(at), mostChapters);
    for (let i = 0; i < count; i++) {
      yield time;
      time += box.readUInt32BE(at + 4);
    }
  }
  return undefined;
}

/** Where the samples lie: they stand one behind the other in chunks, of which the table says how many samples each holds. */
function* readPlaces(table: Buffer): Generator<{ at: number; size: number }> {
  const sizes = find(table, 'stsz');
  const runs = find(table, 'stsc');
  const short = find(table, 'stco');
  const offsets = short ?? find(table, 'co64');
  const width = short ? 4 : 8;
  const count = Math.min(numberAt(sizes, 8) ?? 0, mostChapters);
  let sample = 0;
  let run = 8;
  let perChunk = 0;
  if (!offsets) return;
  for (let chunk = 1; sample < count; chunk++) {
    while (numberAt(runs, run) !== undefined && (numberAt(runs, run) as number) <= chunk) {
      perChunk = numberAt(runs, run + 4) ?? 0;
      run += 12;
    }
    const place = 8 + (chunk - 1) * width;
    if (place + width > offsets.length || perChunk === 0) return;
    let at = short ? offsets.readUInt32BE(place) : Number(offsets.readBigUInt64BE(place));
    for (let i = 0; i < perChunk && sample < count; i++) {
      // One size for all, or a list.
      const size = (numberAt(sizes, 4) || numberAt(sizes, 12 + 4 * sample)) ?? 0;
      yield { at, size };
      at += size;
      sample += 1;
    }
  }
}

/** Nero's list: a time in hundreds of nanoseconds and a title with its length for each chapter. */
function readNeroList(box: Buffer | undefined): Chapter[] {
  if (!box) return [];
  const chapters: Chapter[] = [];
  // Version 1 has four reserved bytes before the number of chapters.
  let at = box[0] === 1 ? 9 : 5;
  while (at + 9 <= box.length && chapters.length < mostChapters) {
    const length = box[at + 8] as number;
    const title = box.subarray(at + 9, at + 9 + length).toString('utf8');
    chapters.push({ title, at: Number(box.readBigUInt64BE(at)) / 1e7 });
    at += 9 + length;
  }
  return chapters;
}
