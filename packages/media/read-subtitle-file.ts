import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openWithFormat } from './open-demuxer.ts';
import { createSubtitleCollector, languageTagOf, type TimedLine } from './subtitles.ts';

/** Largest file of subtitles that is read, bytes. Those of a film take some hundred kilobytes. */
export const maxSubtitleFileBytes = 4 * 2 ** 20;

/** The demuxers of FFmpeg for the ends of file names. */
const formats: Record<string, string> = { '.srt': 'srt', '.vtt': 'webvtt' };

/** Whether a file of this name holds subtitles that can be read. */
export const isSubtitleFile = (name: string): boolean => path.extname(name).toLowerCase() in formats;

/**
 * Reads SubRip or WebVTT, as tracks inside a video are read. Text in UTF-8, UTF-16 or, where it is neither, Windows-1252, which Latin-1 is a part of.
 * @param name of the file, whose end says what it is
 * @param folder a scratch folder
 * @returns its lines in the clock of the file; none where it holds no subtitles
 * Throws the signal's reason when aborted.
 */
export async function readSubtitleFile(
  bytes: Uint8Array,
  name: string,
  folder: string,
  signal?: AbortSignal,
): Promise<TimedLine[]> {
  const format = formats[path.extname(name).toLowerCase()];
  if (format === undefined) return [];
  const file = path.join(folder, 'subtitles');
  await writeFile(file, decodeText(bytes));
  try {
    await using media = await openWithFormat(format, file, signal);
    const collector = createSubtitleCollector(media.demuxer.streams);
    for await (using packet of media.demuxer.packets()) {
      signal?.throwIfAborted();
      if (packet) collector.push(packet);
    }
    return collector.take(0).map(({ line: { start, end, text } }) => ({ start, end, text }));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Error && !('code' in error && typeof error.code === 'string')) return [];
    throw error;
  }
}

/** Text of a file that does not say how it is encoded. */
function decodeText(bytes: Uint8Array): string {
  // What the decoders take from the byte order mark, they leave out.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Parts of names that say what kind of subtitles a file holds, and have the form of a language. */
const kinds = new Set(['sdh', 'cc']);

/**
 * The language that the name of a file of subtitles states: `pt-BR` of `a film.pt-br.forced.srt`, as BCP 47.
 * @param media name of the file that it belongs to, such as `a film.mp4`
 * @returns null where it states none
 */
export function languageOfName(name: string, media: string): string | null {
  const between = name.slice(media.lastIndexOf('.'), -path.extname(name).length);
  const parts = between.split('.').filter((part) => !kinds.has(part.toLowerCase()));
  return parts.map((part) => languageTagOf(part)).find((tag) => tag !== null) ?? null;
}
