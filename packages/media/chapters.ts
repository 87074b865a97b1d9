import { open } from 'node:fs/promises';
import { readElements, readElementHead, segmentId } from './ebml.ts';
import { type Chapter, readMp4Chapters } from './mp4-chapters.ts';
import { readBytes } from './read-bytes.ts';
import type { TimedLine } from './subtitles.ts';

/** A title stands at the beginning of its chapter for so long, seconds: a search for it leads there. */
const titleSeconds = 1;

/**
 * Reads the titles of a video's chapters: QuickTime's and Nero's in MP4 and MOV, Matroska's. node-av, the binding of FFmpeg, does
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
