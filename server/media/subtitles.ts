import { avGetCodecName, type Packet, type Stream } from 'node-av/lib';
import { toSeconds } from './probe-video.ts';

export type SubtitleLine = { start: number; end: number; text: string };

/** What a packet holds beyond this is no line that anybody reads, bytes. */
const maxPacketBytes = 16 * 1024;

/** How long a line stands when the file does not say, seconds. */
const defaultSeconds = 3;

/** Subtitle codecs whose packets are text, with how each is read. Pictures of text (DVD, Blu-ray) are not. */
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
 * Reads a packet of a subtitle track.
 * @returns the line in the container's clock, null for what holds no text
 */
export function readSubtitle(stream: Stream, packet: Packet): SubtitleLine | null {
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
 * one before it, so that each character is looked at but a few times, whatever the text.
 */
export const stripMarkup = (text: string): string =>
  text
    .replaceAll(/\{\\[^{}]*\}/g, '')
    .replaceAll(/<[^<>]{0,200}>/g, '')
    .replaceAll(/\\[Nnh]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
