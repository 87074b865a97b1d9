import { type ReadAt, readDirectory, readText, readTiff, tags } from './raw/tiff-directories.ts';

/** How Apple's notes in EXIF begin: their directory follows, in the order of the most significant byte first. */
const head = 'Apple iOS\0';
const directoryAt = 14;
const [burstTag, contentTag] = [0x0b, 0x11];

/** What the parts of a Live Photo, or the photographs of a burst, have in common. */
export const toStackKey = ({ content, burst }: { content?: unknown; burst?: unknown }): string | null => {
  const isName = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{8,64}$/.test(value);
  return isName(content) ? `live:${content}` : isName(burst) ? `burst:${burst}` : null;
};

/**
 * Reads what a photograph of an iPhone or iPad belongs to.
 * @param exif its EXIF as a TIFF, after `Exif\0\0`
 * @returns null where it says nothing
 */
export async function readAppleStackKey(exif: Buffer): Promise<string | null> {
  const inExif: ReadAt = (at, length) => Promise.resolve(exif.subarray(at, at + length));
  const tiff = await readTiff(inExif);
  const note = tiff?.directories.flatMap((directory) => directory.get(tags.makerNote) ?? [])[0];
  if (!note || exif.toString('latin1', note.at, note.at + head.length) !== head) return null;
  // Places in the notes count from where they begin.
  const read: ReadAt = (at, length) => inExif(note.at + at, length);
  const directory = await readDirectory(read, directoryAt, false);
  const textOf = (tag: number) => readText({ read }, directory?.entries.get(tag));
  return toStackKey({ content: await textOf(contentTag), burst: await textOf(burstTag) });
}
