import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import type { Frame } from 'node-av/lib';
import type { Moment, RgbImage } from '../models/embedder.ts';
import { createSampleFilter, filterToRgb, openDecoder } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { type ProbedVideo, probeVideo, toSeconds } from './probe-video.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** Seconds between two samples of a video, and from a moment to the frame that follows it. */
export const sampleInterval = 0.25;

/** How far before a moment reading begins, seconds: streams without an index are sought to by guess, and the guess may lie past it. */
const seekLeads = [0, 2, 15, Infinity];

/**
 * Reads single moments of a video, each with the picture that follows it, by seeking.
 * @param times seconds from the start; one past the end gives the last picture
 * @returns one moment for each time. Throws `UnreadableMediaError` when nothing can be decoded.
 */
export async function readMoments(path: string, times: number[], signal: AbortSignal): Promise<Moment[]> {
  const moments: Moment[] = [];
  const origin = await findOrigin(path, signal);
  for (const time of times) {
    let moment: Moment | undefined;
    for (const lead of seekLeads) moment ??= await readMomentAt(path, origin, time, lead, signal);
    if (!moment) throw new UnreadableMediaError('unreadable_media', 'No picture of this video could be decoded.');
    moments.push(moment);
  }
  return moments;
}

/** Time stamp of the first frame that can be shown, which is time 0 of the item, in the container's clock, seconds. */
async function findOrigin(path: string, signal: AbortSignal): Promise<number> {
  await using probed = await probeVideo(path, signal);
  const { demuxer, video, startTime } = probed;
  using decoder = await openDecoder(probed, signal);
  for await (using frame of decoder.frames(demuxer.packets(video.index))) {
    signal.throwIfAborted();
    if (frame) return toSeconds(frame.pts, frame) ?? startTime;
  }
  return startTime;
}

/** Pictures around a moment that are looked at: a quarter of a second at 1000 a second. */
const maxDecodedFrames = 250;

/**
 * Decodes from the key frame at least `lead` seconds before the time, or from the start of the file where that is `Infinity`.
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
  let found: { picture: RgbImage; time: number } | undefined;
  let pictures = 0;
  for await (const picture of decodeFrom(probed, origin, time, signal)) {
    if (!found && seeking && picture.time > time && picture.isFirst) return undefined;
    if (found && picture.time >= found.time + sampleInterval) {
      return { image: found.picture, next: { image: picture.picture, after: picture.time - found.time } };
    }
    if (!found || picture.time <= time) found = picture;
    // Time stamps that stand still would lead to the end of the file.
    pictures += 1;
    if (pictures === maxDecodedFrames) break;
  }
  return found && { image: found.picture, next: null };
}

/** Pictures from where the demuxer stands; of those well before the time only the last is of use, so the others are left out. */
async function* decodeFrom(
  probed: ProbedVideo,
  origin: number,
  time: number,
  signal: AbortSignal,
): AsyncGenerator<{ picture: RgbImage; time: number; isFirst: boolean }> {
  const { demuxer, video } = probed;
  using decoder = await openDecoder(probed, signal);
  using filter = createSampleFilter(probed);
  using deinterlacer = createDeinterlacer();
  async function* wholeFrames(): AsyncGenerator<Frame> {
    for await (const frame of decoder.frames(demuxer.packets(video.index))) {
      signal.throwIfAborted();
      yield* await deinterlacer.push(frame);
    }
  }
  let isFirst = true;
  for await (using frame of wholeFrames()) {
    const stamp = (toSeconds(frame.pts, frame) ?? origin) - origin;
    const length = toSeconds(frame.duration, frame) ?? 0;
    const pastEnd = probed.duration > 0 && time >= probed.duration - 2 * length;
    if (stamp + length >= time || pastEnd) {
      for (const picture of await filterToRgb(filter, frame)) yield { picture, time: stamp, isFirst };
    }
    isFirst = false;
  }
}
