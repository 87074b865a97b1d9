import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import type { Frame } from 'node-av/lib';
import { createSampleFilter, filterToRgb, openDecoder } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { describeVideo, probeMedia, type ProbedVideo, probeVideo, toSeconds } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import type { Moment, RgbImage } from './rgb-image.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** Seconds between two samples of a video, and from a moment to the frame that follows it. */
export const sampleInterval = 0.25;

/** How far before a moment reading begins, seconds: in streams without an index a seek is a guess and may lead past the moment. */
export const seekLeads = [0, 2, 15, Infinity];

/**
 * Reads single moments of a video, each with the frame that follows it, by seeking.
 * @param times seconds from the start; one past the end gives the last frame
 * @returns one moment for each time. Throws `UnreadableMediaError` when nothing can be decoded.
 */
export async function readMoments(path: string, times: number[], signal: AbortSignal): Promise<Moment[]> {
  const moments: Moment[] = [];
  const origin = await findOrigin(path, { signal });
  for (const time of times) {
    let moment: Moment | undefined;
    for (const lead of seekLeads) moment ??= await readMomentAt(path, origin, time, lead, signal);
    if (!moment) throw new UnreadableMediaError('unreadable_media', 'No frame of this video could be decoded.');
    moments.push(moment);
  }
  return moments;
}

/** Time stamp of the first frame that can be shown, or without pictures of the first sound, in the container's clock, seconds. It is time 0 of the item. */
export async function findOrigin(path: string, reading: Reading): Promise<number> {
  await using media = await probeMedia(path, reading.signal);
  if (!media.video) return media.startTime;
  const probed = describeVideo(media);
  const { demuxer, video, startTime } = probed;
  using decoder = await openDecoder(probed, reading.signal);
  for await (using frame of decoder.frames(readPackets(demuxer, reading, video.index))) {
    if (frame) return toSeconds(frame.pts, frame) ?? startTime;
  }
  return startTime;
}

/** At most so many frames are decoded for a moment: a quarter of a second at 1000 frames a second. */
const maxDecodedFrames = 250;

/**
 * Decodes from the keyframe at least `lead` seconds before the time, or from the start of the file where that is `Infinity`.
 * @returns undefined when that leads past the time
 */
async function readMomentAt(
  path: string,
  origin: number,
  time: number,
  lead: number,
  signal: AbortSignal,
): Promise<Moment | undefined> {
  await using probed = await probeVideo(path, signal);
  const { demuxer } = probed;
  const seeking = time > 0 && lead < Infinity;
  if (seeking && (await demuxer.seek(origin + time - lead, -1, AVSEEK_FLAG_BACKWARD)) < 0) return undefined;
  let found: { image: RgbImage; time: number } | undefined;
  let decodedFrames = 0;
  for await (const frame of decodeFrom(probed, origin, time, signal)) {
    if (!found && seeking && frame.time > time && frame.isFirst) return undefined;
    if (found && frame.time >= found.time + sampleInterval) {
      return { image: found.image, next: { image: frame.image, after: frame.time - found.time } };
    }
    if (!found || frame.time <= time) found = frame;
    // Where time stamps do not advance, the whole file would be decoded.
    decodedFrames += 1;
    if (decodedFrames === maxDecodedFrames) break;
  }
  return found && { image: found.image, next: null };
}

/** Frames from the position of the demuxer on. Frames that end before the time are not converted. */
async function* decodeFrom(
  probed: ProbedVideo,
  origin: number,
  time: number,
  signal: AbortSignal,
): AsyncGenerator<{ image: RgbImage; time: number; isFirst: boolean }> {
  const { demuxer, video } = probed;
  using decoder = await openDecoder(probed, signal);
  using filter = createSampleFilter(probed);
  using deinterlacer = createDeinterlacer();
  async function* wholeFrames(): AsyncGenerator<Frame> {
    for await (const frame of decoder.frames(readPackets(demuxer, { signal }, video.index))) {
      yield* await deinterlacer.push(frame);
    }
  }
  let isFirst = true;
  for await (using frame of wholeFrames()) {
    const stamp = (toSeconds(frame.pts, frame) ?? origin) - origin;
    const length = toSeconds(frame.duration, frame) ?? 0;
    const pastEnd = probed.duration > 0 && time >= probed.duration - 2 * length;
    if (stamp + length >= time || pastEnd) {
      for (const image of await filterToRgb(filter, frame)) yield { image, time: stamp, isFirst };
    }
    isFirst = false;
  }
}
