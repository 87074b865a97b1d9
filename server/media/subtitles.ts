import { avGetCodecName, type Packet, type Stream } from 'node-av/lib';
import { maxSubtitleLength } from './media-limits.ts';
import { toSeconds } from './probe-video.ts';

export type SubtitleLine = { start: number; end: number; text: string };

/** What a packet holds beyond this is no line that anybody reads, bytes. */
const maxPacketBytes = 16 * 1024;

/** How long a line stands when the file does not say, seconds. */
const defaultSeconds = 3;

/** Subtitle codecs whose packets are text, with how each is read. Bitmap subtitles (DVD, Blu-ray) are not. */
const packetReaders: Record<string, (data: Buffer) => string> = {
  subrip: (data) => data.toString('utf8'),
  text: (data) => data.toString('utf8'),
  webvtt: (data) => data.toString('utf8'),
  // 3GPP timed text: a 16-bit length, the text, then style boxes (3GPP TS 26.245).
  mov_text: (data) => (data.length < 2 ? '' : data.subarray(2, 2 + data.readUInt16BE(0)).toString('utf8')),
  // Matroska's form of SSA: eight fields and commas, then the text, which may hold commas.
  ass: (data) => data.toString('utf8').split(',').slice(8).join(','),
};

/**
 * Collects the lines of a video's subtitle tracks: they are counted from its first frame, which may come after the first lines. Text beyond
 * the limit of one item is left out.
 */
export function createSubtitleCollector(streams: Stream[]) {
  const lines: SubtitleLine[] = [];
  let textLeft = maxSubtitleLength;
  return {
    /** Takes a packet of any track. */
    push(packet: Packet): void {
      const stream = streams.find(({ index }) => index === packet.streamIndex);
      const line = stream && readSubtitle(stream, packet);
      textLeft -= line?.text.length ?? 0;
      if (line && textLeft > 0) lines.push(line);
    },
    /** The lines since the last call. @param origin time stamp of the first frame, seconds */
    take: (origin: number) => toItemClock(lines.splice(0), origin).map((line) => ({ kind: 'subtitle' as const, line })),
  };
}

/** Lines in the container's clock, counted from the first frame instead. What ends before it is left out. */
export const toItemClock = (lines: SubtitleLine[], origin: number): SubtitleLine[] =>
  lines
    .filter(({ end }) => end > origin)
    .map(({ start, end, text }) => ({ start: Math.max(0, start - origin), end: end - origin, text }));

/**
 * Reads a packet of a subtitle track.
 * @returns the line in the container's clock, null for what holds no text
 */
function readSubtitle(stream: Stream, packet: Packet): SubtitleLine | null {
  const read = packetReaders[avGetCodecName(stream.codecpar.codecId) ?? ''];
  const start = toSeconds(packet.pts, stream);
  if (!read || !packet.data || start === undefined) return null;
  const text = stripMarkup(read(packet.data.subarray(0, maxPacketBytes)));
  if (text === '') return null;
  const length = toSeconds(packet.duration, stream) || defaultSeconds;
  return { start, end: start + length, text };
}

/**
 * Takes out tags (`<i>`), ASS overrides (`{\an8}`) and line-break codes, and folds white space. What opens a tag or an override ends the
 * one before it, so that each character is read only a few times, whatever the text.
 */
export const stripMarkup = (text: string): string =>
  text
    .replaceAll(/\{\\[^{}]*\}/g, '')
    .replaceAll(/<[^<>]{0,200}>/g, '')
    .replaceAll(/\\[Nnh]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
