import {
  AVSEEK_FLAG_BACKWARD,
  AV_PKT_DATA_NEW_EXTRADATA,
  AV_PKT_FLAG_CORRUPT,
  AV_PKT_FLAG_DISCARD,
} from 'node-av/constants';
import type { Frame, Packet } from 'node-av/lib';
import { createGapDetector } from './audio-gaps.ts';
import { type FrameTiming, nominalFrameDuration } from './frame-clock.ts';
import { type ProbedVideo, probeVideo, toSeconds } from './probe-video.ts';
import { readPackets } from './read-packets.ts';
import { findOrigin } from './seek-moments.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** From `start` to before `end`, seconds on the item's clock. */
export type ClipSpan = { start: number; end: number };

/** Whole packets that hold exactly the frames of a clip. */
export type CopiedPackets = { firstPts: bigint; count: number };

/** How a clip is cut out of a video. Times are seconds on the item's clock unless said otherwise. */
export type ClipPlan = {
  /** Time 0 of the item in the container's clock, seconds. */
  origin: number;
  /** How far before the start reading begins, seconds; `Infinity`: at the beginning of the file. */
  lead: number;
  /** Where the first frame begins and the last one ends. In the middle of a long frame: what was asked for. */
  start: number;
  end: number;
  /** Frames from this time on are part of the clip. The first may begin before `start`, when it is still shown then. */
  firstFrame: number;
  /** What can be taken over as it is; null where the cut does not allow it. */
  copied: CopiedPackets | null;
  hasAudio: boolean;
  hasAudioGaps: boolean;
};

/** A packet of the video track; `time` is on the item's clock. */
type VideoPacket = { pts: bigint; time: number; end: number; isKeyframe: boolean; isWhole: boolean };

/**
 * How far before the start reading begins, seconds. Audio needs some before it; in streams without an index a seek is a guess and may
 * lead past the start.
 */
export const seekLeads = [0.25, 2, 15, Infinity];

/** A time stamp in seconds with three decimals lies up to so much before the frame that it means, seconds. */
const rounding = 0.001;

/**
 * Finds out, without decoding more than the first frame, which frames a clip has and whether their packets can be taken over. Both ends
 * are moved to the nearest boundary between frames, by half a frame at most.
 * Throws `UnreadableMediaError`, and the signal's reason when aborted.
 */
export async function planClip(file: string, span: ClipSpan, signal: AbortSignal): Promise<ClipPlan> {
  const origin = await findOrigin(file, { signal });
  for (const lead of seekLeads) {
    const plan = await planFrom(file, { origin, lead }, span, signal);
    if (plan) return plan;
  }
  throw new UnreadableMediaError('unreadable_media', 'This video has no frame in that span.');
}

/** Moves a demuxer to where reading begins. */
export async function seekToClip(
  { demuxer }: ProbedVideo,
  { origin, lead }: Pick<ClipPlan, 'origin' | 'lead'>,
  start: number,
): Promise<boolean> {
  if (lead === Infinity || start <= 0) return true;
  return (await demuxer.seek(origin + start - lead, -1, AVSEEK_FLAG_BACKWARD)) >= 0;
}

/** Says where a frame stands in the clip; null: not in it. */
export function createPlacement(probed: ProbedVideo, { origin, start, end, firstFrame }: ClipPlan) {
  const usual = nominalFrameDuration(probed);
  const margin = Math.min(0.0005, usual / 4);
  let last = -usual;
  return (frame: Frame): FrameTiming | null => {
    const stamp = toSeconds(frame.pts, frame);
    const time = stamp === undefined ? last + usual : stamp - origin;
    last = time;
    if (time < firstFrame - margin || time >= end - margin) return null;
    const shownFrom = Math.max(time, start);
    const shownUntil = Math.min(time + (toSeconds(frame.duration, frame) || usual), end);
    return { time: shownFrom - start, duration: Math.max(0, shownUntil - shownFrom) };
  };
}

/** @returns undefined when reading from there does not reach a keyframe before the start */
async function planFrom(
  file: string,
  { origin, lead }: Pick<ClipPlan, 'origin' | 'lead'>,
  span: ClipSpan,
  signal: AbortSignal,
): Promise<ClipPlan | undefined> {
  await using probed = await probeVideo(file, signal);
  const frameDuration = nominalFrameDuration(probed);
  if (!(await seekToClip(probed, { origin, lead }, span.start))) return undefined;
  const { packets, hasAudio, hasAudioGaps } = await listPackets(probed, origin, span, signal);
  const isFromStart = lead === Infinity || span.start <= 0;
  const firstKeyframe = packets.find(({ isKeyframe }) => isKeyframe);
  if (!isFromStart && !(firstKeyframe && firstKeyframe.time <= span.start + rounding)) return undefined;
  const frames = packets.toSorted((a, b) => a.time - b.time);
  const last = frames.findLast(({ time }) => time < span.end);
  if (!last) {
    // The container does not say when its frames are shown, or the span lies behind the last one.
    if (packets.length > 0 || span.start >= probed.duration) return undefined;
    const { start, end } = span;
    return { origin, lead, start, end, firstFrame: start - frameDuration / 2, copied: null, hasAudio, hasAudioGaps };
  }
  const bounds = [...frames.map(({ time }) => time), frames.reduce((latest, { end }) => Math.max(latest, end), 0)];
  const lastEnd = bounds.at(-1) as number;
  if (span.start >= lastEnd) return undefined;
  const start = toNearest(span.start, bounds, frameDuration);
  const end = Math.max(toNearest(span.end, bounds, frameDuration), start + frameDuration / 2);
  const firstFrame = frames.findLast(({ time }) => time <= start + rounding / 2)?.time ?? frames[0]?.time ?? start;
  const copied = canHoldCopy(probed) ? findWholePackets(packets, start, end) : null;
  return { origin, lead, start, end: Math.min(end, lastEnd), firstFrame, copied, hasAudio, hasAudioGaps };
}

/** Reads the packets from the position of the demuxer to behind the end of the span. */
async function listPackets(probed: ProbedVideo, origin: number, { start, end }: ClipSpan, signal: AbortSignal) {
  const { demuxer, video, audio } = probed;
  const frameDuration = nominalFrameDuration(probed);
  const packets: VideoPacket[] = [];
  const gaps = createGapDetector();
  let hasAudio = false;
  for await (using packet of readPackets(demuxer, { signal })) {
    if (!packet) continue;
    if (packet.streamIndex === audio?.index) {
      const time = (toSeconds(packet.pts, audio) ?? origin) - origin;
      if (time < start - 1 || time >= end) continue;
      hasAudio = true;
      gaps.push(packet, audio);
    }
    if (packet.streamIndex !== video.index) continue;
    const described = describePacket(packet, probed, origin, frameDuration);
    if (described) packets.push(described);
    const decodedAt = toSeconds(packet.dts, video) ?? toSeconds(packet.pts, video);
    // Packets come in order of decoding: none that follows is shown before that time.
    if (decodedAt !== undefined && decodedAt - origin > end + frameDuration) break;
  }
  return { packets, hasAudio, hasAudioGaps: gaps.found };
}

/** @returns undefined for a packet without a time, or of a frame that the container hides */
function describePacket(
  packet: Packet,
  { video }: ProbedVideo,
  origin: number,
  frameDuration: number,
): VideoPacket | undefined {
  const stamp = toSeconds(packet.pts, video);
  if (stamp === undefined || packet.hasFlags(AV_PKT_FLAG_DISCARD)) return undefined;
  const time = stamp - origin;
  return {
    pts: packet.pts,
    time,
    end: time + (toSeconds(packet.duration, video) || frameDuration),
    isKeyframe: packet.isKeyframe,
    isWhole: !packet.hasFlags(AV_PKT_FLAG_CORRUPT) && packet.getSideData(AV_PKT_DATA_NEW_EXTRADATA) === null,
  };
}

/** The nearest boundary, if it is within half a frame. */
function toNearest(time: number, bounds: number[], frameDuration: number): number {
  const nearest = bounds.reduce((best, bound) => (Math.abs(bound - time) < Math.abs(best - time) ? bound : best));
  return Math.abs(nearest - time) <= frameDuration / 2 + rounding ? nearest : time;
}

/** Codecs that MP4 holds and players know there. */
const mp4Codecs = new Set(['h264', 'hevc', 'av1', 'vp9', 'mpeg4']);

/**
 * Whether packets of a file can be the packets of an MP4. Elsewhere than in MP4 and Matroska a keyframe need not be one from which
 * everything after it can be decoded.
 */
const canHoldCopy = ({ container, videoCodec }: ProbedVideo): boolean =>
  /^(mov|matroska)/.test(container) && mp4Codecs.has(videoCodec);

/**
 * The packets that hold exactly the frames from `start` to before `end`: they begin with a keyframe, and none of them, in order of
 * decoding, belongs to a frame outside. Frames that follow the keyframe but are shown before it (open GOP) are left out by a copy.
 */
function findWholePackets(packets: VideoPacket[], start: number, end: number): CopiedPackets | null {
  const from = packets.findIndex(({ isKeyframe, time }) => isKeyframe && Math.abs(time - start) < rounding / 2);
  const first = packets[from];
  if (!first) return null;
  const shown = packets.slice(from).filter(({ time }) => time >= first.time);
  const count = shown.filter(({ time }) => time < end - rounding / 2).length;
  const copied = shown.slice(0, count);
  // A frame whose end lies within the clip's frames that is asked to end earlier is cut short, which a copy cannot do.
  const lastEnd = copied.reduce((latest, packet) => Math.max(latest, packet.end), 0);
  const isExact = copied.every(({ time, isWhole }) => isWhole && time < end - rounding / 2);
  return isExact && Math.abs(lastEnd - end) < 0.02 ? { firstPts: first.pts, count } : null;
}
