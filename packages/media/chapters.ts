import { type FileHandle, open } from 'node:fs/promises';
import { readElementHead, readElements, segmentId } from './ebml.ts';
import { childBoxes, findBox, offsetAfterTimes, readMoovBox, readUint32At } from './mp4-boxes.ts';
import { readBytes } from './read-bytes.ts';
import type { TimedLine } from './subtitles.ts';

/** A title and where its chapter begins, seconds in the container's clock. */
type Chapter = { title: string; start: number };

/** More than any film has. */
const maxChapters = 10_000;

/**
 * Reads the chapters of an MP4 or MOV file: those of a track of text that the video track refers to, as QuickTime and iTunes write them
 * (QuickTime File Format, "Chapter Lists"), or else Nero's list. The work is linear in the size of the header.
 */
async function readMp4Chapters(file: FileHandle): Promise<Chapter[]> {
  const header = await readMoovBox(file);
  if (!header) return [];
  const tracks = childBoxes(header, 'trak');
  const wanted = tracks.flatMap((track) => findBox(track, 'tref', 'chap') ?? []).find((list) => list.length >= 4);
  const texts = wanted && tracks.find((track) => trackId(track) === wanted.readUInt32BE());
  const found = texts ? await readTextTrack(file, texts) : [];
  return found.length > 0
    ? found
    : readNeroChapters(childBoxes(header, 'udta').flatMap((data) => findBox(data, 'chpl') ?? [])[0]);
}

function trackId(track: Buffer): number | undefined {
  const head = findBox(track, 'tkhd');
  return readUint32At(head, offsetAfterTimes(head));
}

async function readTextTrack(file: FileHandle, track: Buffer): Promise<Chapter[]> {
  const media = findBox(track, 'mdia');
  const clock = media && findBox(media, 'mdhd');
  const ticks = readUint32At(clock, offsetAfterTimes(clock));
  const table = media && findBox(media, 'minf', 'stbl');
  if (!table || !ticks) return [];
  const chapters: Chapter[] = [];
  const times = readSampleTimes(findBox(table, 'stts'));
  for (const { at, size } of readSampleLocations(table)) {
    const time = times.next();
    if (time.done) break;
    const sample = await readBytes(file, at, Math.min(size, 2 ** 16));
    const title = sample.length < 2 ? '' : readText(sample.subarray(2, 2 + sample.readUInt16BE()));
    chapters.push({ title, start: time.value / ticks });
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
function* readSampleTimes(box: Buffer = Buffer.alloc(0)): Generator<number, undefined> {
  let time = 0;
  for (let at = 8; at + 8 <= box.length; at += 8) {
    const count = Math.min(box.readUInt32BE(at), maxChapters);
    for (let i = 0; i < count; i++) {
      yield time;
      time += box.readUInt32BE(at + 4);
    }
  }
  return undefined;
}

/** Where the samples lie: they stand one behind the other in chunks, of which the table says how many samples each holds. */
function* readSampleLocations(table: Buffer): Generator<{ at: number; size: number }> {
  const sizes = findBox(table, 'stsz');
  const runs = findBox(table, 'stsc');
  const short = findBox(table, 'stco');
  const offsets = short ?? findBox(table, 'co64');
  const width = short ? 4 : 8;
  const count = Math.min(readUint32At(sizes, 8) ?? 0, maxChapters);
  let sample = 0;
  let run = 8;
  let perChunk = 0;
  if (!offsets) return;
  for (let chunk = 1; sample < count; chunk++) {
    while (readUint32At(runs, run) !== undefined && (readUint32At(runs, run) as number) <= chunk) {
      perChunk = readUint32At(runs, run + 4) ?? 0;
      run += 12;
    }
    const place = 8 + (chunk - 1) * width;
    if (place + width > offsets.length || perChunk === 0) return;
    let at = short ? offsets.readUInt32BE(place) : Number(offsets.readBigUInt64BE(place));
    for (let i = 0; i < perChunk && sample < count; i++) {
      // One size for all, or a list.
      const size = (readUint32At(sizes, 4) || readUint32At(sizes, 12 + 4 * sample)) ?? 0;
      yield { at, size };
      at += size;
      sample += 1;
    }
  }
}

/** Nero's list: a time in hundreds of nanoseconds and a title with its length for each chapter. */
function readNeroChapters(box: Buffer | undefined): Chapter[] {
  if (!box) return [];
  const chapters: Chapter[] = [];
  // Version 1 has four reserved bytes before the number of chapters.
  let at = box[0] === 1 ? 9 : 5;
  while (at + 9 <= box.length && chapters.length < maxChapters) {
    const length = box[at + 8] as number;
    const title = box.subarray(at + 9, at + 9 + length).toString('utf8');
    chapters.push({ title, start: Number(box.readBigUInt64BE(at)) / 1e7 });
    at += 9 + length;
  }
  return chapters;
}

/** A title stands at the beginning of its chapter for so long, seconds: a search for it leads there. */
const titleSeconds = 1;

/**
 * Reads the titles of the chapters of a video or a recording: QuickTime's and Nero's in MP4 and MOV, Matroska's. node-av, the binding of FFmpeg, does
 * not give them. A file that cannot be parsed has none.
 * @param container FFmpeg's names of the container
 * @returns titles as lines at the beginnings of their chapters, in the container's clock
 */
export async function readChapters(path: string, container: string): Promise<TimedLine[]> {
  const found = await readContainerChapters(path, container).catch(() => []);
  // An empty title means that no chapter follows.
  return found.map(toLine).filter(({ text }) => text !== '');
}

async function readContainerChapters(path: string, container: string): Promise<Chapter[]> {
  if (container.includes('matroska')) return readMatroskaChapters(path);
  if (!container.includes('mp4')) return [];
  await using file = await open(path, 'r');
  return await readMp4Chapters(file);
}

const toLine = ({ title, start: at }: Chapter): TimedLine => ({
  start: at,
  end: at + titleSeconds,
  text: title.slice(0, maxTitleLength).trim(),
});

/** Identifiers of Matroska elements (RFC 9559). */
const chaptersId = 0x1043a770;
const editionEntry = 0x45b9;
const chapterAtom = 0xb6;
const chapterTimeStart = 0x91;
const chapterDisplay = 0x80;
const chapterString = 0x85;

/** At most so many elements are read in search of the chapters; a film has some thousands. */
const maxElements = 50_000;
/** Chapters within chapters are read so deep. */
const maxDepth = 8;
/** A longer title is cut, characters. */
const maxTitleLength = 500;
/** Longer lists of chapters are ignored, bytes. */
const maxChapterBytes = 4 * 2 ** 20;

/** Reads the heads of the elements of the segment until it finds the chapters. */
async function readMatroskaChapters(path: string): Promise<Chapter[]> {
  await using file = await open(path, 'r');
  let at = 0;
  for (let i = 0; i < maxElements; i++) {
    const head = await readBytes(file, at, 12);
    const element = readElementHead(head, 0);
    if (!element) return [];
    const body = at + element.length;
    // What lies within the segment follows its head.
    if (element.id === segmentId) at = body;
    else if (element.id === chaptersId && element.size <= maxChapterBytes) {
      return findChapters(await readBytes(file, body, element.size));
    } else at = body + element.size;
  }
  return [];
}

/** The chapters in a body of elements, those within editions and other chapters too. */
function findChapters(body: Buffer, depth = 0): Chapter[] {
  if (depth > maxDepth) return [];
  return readElements(body).flatMap(({ id, content }) => {
    if (id === editionEntry) return findChapters(content, depth + 1);
    if (id !== chapterAtom) return [];
    const parts = readElements(content);
    const time = parts.find((part) => part.id === chapterTimeStart)?.content;
    const display = parts.find((part) => part.id === chapterDisplay)?.content;
    const title = display && readElements(display).find((part) => part.id === chapterString)?.content;
    const nanoseconds = time && time.length <= 8 ? Number(`0x${time.toString('hex') || '0'}`) : 0;
    return [
      ...(title ? [{ title: title.toString('utf8'), start: nanoseconds / 1e9 }] : []),
      ...findChapters(content, depth + 1),
    ];
  });
}
