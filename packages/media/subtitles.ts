import { AV_DISPOSITION_FORCED } from 'node-av/constants';
import { avGetCodecName, type Packet, type Stream } from 'node-av/lib';
import { maxSubtitleLength } from './media-limits.ts';
import { toSeconds } from './probe-video.ts';

/** A text with its time, seconds. Line breaks are kept. */
export type TimedLine = { start: number; end: number; text: string };

/** A line of a subtitle track. `track`: index of its stream in the file; `language`: of that, see `languageOf`. */
export type SubtitleLine = TimedLine & { track: number; language: string | null };

/** A packet holds no readable line beyond this, bytes. */
const maxPacketBytes = 16 * 1024;

/** How long a line stands when the file does not say, seconds. */
const defaultSeconds = 3;

/** Lines of one item that are read. A film has some thousand. */
const maxLines = 100_000;

/** Subtitle codecs whose packets are text, with how the text of each is read. Bitmap subtitles (DVD, Blu-ray) have none. */
const packetReaders: Record<string, (data: Buffer) => string> = {
  subrip: (data) => stripMarkup(data.toString('utf8')),
  text: (data) => stripMarkup(data.toString('utf8')),
  webvtt: (data) => decodeReferences(stripMarkup(data.toString('utf8'))),
  // 3GPP timed text: a 16-bit length, the text, then style boxes (3GPP TS 26.245).
  mov_text: (data) => (data.length < 2 ? '' : stripMarkup(data.subarray(2, 2 + data.readUInt16BE(0)).toString('utf8'))),
  // Matroska's form of SSA: eight fields and commas, then the text, which may hold commas.
  ass: (data) => stripMarkup(data.toString('utf8').split(',').slice(8).join(',')),
};

/**
 * Collects the lines of a video's subtitle tracks: they are counted from its first frame, which may come after the first lines. Text beyond
 * the limits of one item is left out.
 */
export function createSubtitleCollector(streams: Stream[]) {
  const tracks = new Map(streams.map((stream) => [stream.index, { stream, language: languageOf(stream) }]));
  const lines: SubtitleLine[] = [];
  /** What was read, because some files hold a line several times: for its shadow, or for players that join late. */
  const known = new Set<string>();
  let textLeft = maxSubtitleLength;
  return {
    /** Takes a packet of any track. */
    push(packet: Packet): void {
      const track = tracks.get(packet.streamIndex);
      const line = track && readSubtitle(track.stream, packet);
      if (!line || known.size >= maxLines) return;
      const key = `${packet.streamIndex} ${line.start} ${line.end} ${line.text}`;
      if (known.has(key)) return;
      textLeft -= line.text.length;
      if (textLeft <= 0) return;
      known.add(key);
      lines.push({ ...line, track: packet.streamIndex, language: track.language });
    },
    /** The lines since the last call. @param origin time stamp of the first frame, seconds */
    take: (origin: number) => toItemClock(lines.splice(0), origin).map((line) => ({ kind: 'subtitle' as const, line })),
  };
}

/** Lines in the container's clock, counted from the first frame instead. What ends before it is left out. */
export const toItemClock = <Line extends TimedLine>(lines: Line[], origin: number): Line[] =>
  lines
    .filter(({ end }) => end > origin)
    .map((line) => ({ ...line, start: Math.max(0, line.start - origin), end: line.end - origin }));

/** The lines of an item as far as it lasts, seconds. What begins after its end is left out: the player cannot go there. */
export const keepWithin = <Line extends TimedLine>(lines: Line[], duration: number): Line[] =>
  lines.filter(({ start }) => start < duration).map((line) => ({ ...line, end: Math.min(line.end, duration) }));

/** Codes that name no language: undetermined, several, none, and one without a code (ISO 639-2). */
const noLanguage = new Set(['und', 'mul', 'zxx', 'mis']);

/** The language that a file states for a track. @returns null where it states none, or one that is no tag */
export const languageOf = ({ metadata }: Pick<Stream, 'metadata'>): string | null =>
  languageTagOf(metadata?.get('language') ?? '');

/** A language as it is stated, by its tag of BCP 47: `de` for `ger` and `deu`, `pt-BR` for `pt-br`. @returns null where it is no tag of a language */
export function languageTagOf(stated: string): string | null {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(stated.replaceAll('_', '-'));
    // Codes of up to three letters, as ISO 639 has them: `english` has the form of a tag too.
    return /^[a-z]{2,3}(?:-|$)/.test(tag) && !noLanguage.has(tag.split('-')[0] ?? '') ? tag : null;
  } catch {
    return null;
  }
}

/** Whether a track translates only what is foreign in the video: signs, or a few lines in another language. */
export const isForced = (stream: Stream): boolean => (Number(stream.disposition) & AV_DISPOSITION_FORCED) !== 0;

/**
 * Reads a packet of a subtitle track.
 * @returns the line in the container's clock, null for what holds no text
 */
function readSubtitle(stream: Stream, packet: Packet): TimedLine | null {
  const read = packetReaders[avGetCodecName(stream.codecpar.codecId) ?? ''];
  const start = toSeconds(packet.pts, stream);
  if (!read || !packet.data || start === undefined) return null;
  const text = read(packet.data.subarray(0, maxPacketBytes));
  if (text === '') return null;
  const length = toSeconds(packet.duration, stream) || defaultSeconds;
  return { start, end: start + length, text };
}

/**
 * Takes out tags (`<i>`), ASS overrides (`{\an8}`) and control characters, and folds white space; line breaks stay. What opens a tag or
 * an override ends the one before it, so that each character is read only a few times, whatever the text.
 */
export const stripMarkup = (text: string): string =>
  text
    .replaceAll(/\{\\[^{}]*\}/g, '')
    .replaceAll(/<[^<>]{0,200}>/g, '')
    .replaceAll('\\N', '\n')
    .replaceAll(/\\[nh]/g, ' ')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\S\n]+|\p{Cc}/gu, (found) => (found === '\n' ? found : ' '))
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');

const references: Record<string, string> = { lt: '<', gt: '>', amp: '&', nbsp: ' ', lrm: '\u200e', rlm: '\u200f' };

/** Replaces the character references of WebVTT. @see https://www.w3.org/TR/webvtt1/#webvtt-cue-text-span */
const decodeReferences = (text: string): string =>
  text.replaceAll(/&(lt|gt|amp|nbsp|lrm|rlm);/g, (_, name: string) => references[name] ?? '');
