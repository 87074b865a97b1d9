import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import type { Moment, Picture } from '../models/embedder.ts';
import { UnreadableMediaError } from './indexed-media.ts';
import { type ProbedVideo, probeVideo, secondsOf } from './probe-video.ts';
import { convert, createPictureFilter, openDecoder, sampleInterval } from './sample-video.ts';

/**
 * Reads single moments of a video, each with the picture that follows it, by seeking.
 * @param times seconds from the start; one past the end gives the last picture
 * @returns one moment for each time. Throws `UnreadableMediaError` when nothing can be decoded.
 */
export async function readMoments(path: string, times: number[], signal: AbortSignal): Promise<Moment[]> {
  const moments: Moment[] = [];
  for (const time of times) {
    const moment = (await readMoment(path, time, true, signal)) ?? (await readMoment(path, time, false, signal));
    if (!moment) throw new UnreadableMediaError('unreadable_media', 'No picture of this video could be decoded.');
    moments.push(moment);
  }
  return moments;
}

/** Decodes from the key frame before the time, or from the start where seeking leads nowhere. */
async function readMoment(
  path: string,
  time: number,
  seeking: boolean,
  signal: AbortSignal,
): Promise<Moment | undefined> {
  await using probed = await probeVideo(path, signal);
  const { demuxer, startTime } = probed;
  if (seeking && time > 0 && (await demuxer.seek(startTime + time, -1, AVSEEK_FLAG_BACKWARD)) < 0) return undefined;
  let found: { picture: Picture; time: number } | undefined;
  for await (const picture of decodeFrom(probed, time, signal)) {
    // Seeking went too far: what was looked for lies before the first picture.
    if (!found && seeking && picture.time > time + 1) return undefined;
    if (found && picture.time >= found.time + sampleInterval) {
      return { picture: found.picture, next: { picture: picture.picture, after: picture.time - found.time } };
    }
    if (!found || picture.time <= time) found = picture;
  }
  return found && { picture: found.picture, next: null };
}

/** Pictures from where the demuxer stands; of those well before the time only the last is of use, so the others are left out. */
async function* decodeFrom(
  probed: ProbedVideo,
  time: number,
  signal: AbortSignal,
): AsyncGenerator<{ picture: Picture; time: number }> {
  const { demuxer, video, startTime } = probed;
  using decoder = await openDecoder(probed, signal);
  using filter = createPictureFilter(probed);
  for await (using packet of demuxer.packets(video.index)) {
    signal.throwIfAborted();
    for (using frame of await decoder.decodeAll(packet)) {
      const stamp = (secondsOf(frame.bestEffortTimestamp, frame) ?? startTime) - startTime;
      const length = secondsOf(frame.duration, frame) ?? 0;
      const pastEnd = probed.duration > 0 && time >= probed.duration - 2 * length;
      if (stamp + length < time && !pastEnd) continue;
      for (const picture of await convert(filter, frame)) yield { picture, time: stamp };
    }
  }
}
