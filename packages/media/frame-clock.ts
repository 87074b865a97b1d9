import type { Frame } from 'node-av/lib';
import { type ProbedVideo, toSeconds } from './probe-video.ts';

/** Where a frame stands: seconds from the first frame of its video, and how long it is shown. */
export type FrameTiming = { time: number; duration: number };

export type FrameClock = {
  /** Places the next frame of the video in order of display. */
  advance(frame: Frame): FrameTiming;
  /** Time stamp of the first frame in the container's clock, seconds; undefined before it. */
  readonly origin: number | undefined;
  /** When the last frame ends, seconds from the first. */
  readonly end: number;
};

/**
 * The one clock of an item: its time 0 is the first frame that can be shown. Chunks, samples, thumbnails, subtitles and renditions
 * are all counted from there. A file that jumps back does not turn time back.
 */
export function createFrameClock(probed: ProbedVideo): FrameClock {
  const defaultDuration = nominalFrameDuration(probed);
  let origin: number | undefined;
  let last = 0;
  let end = 0;
  return {
    advance(frame) {
      // Where a file has no time stamp the decoder counts on from the frame before.
      const stamp = toSeconds(frame.pts, frame) ?? (origin ?? 0) + end;
      const time = origin === undefined ? 0 : Math.max(stamp - origin, last);
      origin ??= stamp;
      const duration = toSeconds(frame.duration, frame) || defaultDuration;
      last = time;
      end = time + duration;
      return { time, duration };
    },
    get origin() {
      return origin;
    },
    get end() {
      return end;
    },
  };
}

/** How long a frame is shown where neither it nor what follows says, seconds. */
export function nominalFrameDuration({ video }: Pick<ProbedVideo, 'video'>): number {
  const { num, den } = video.avgFrameRate.num > 0 ? video.avgFrameRate : video.rFrameRate;
  const seconds = num > 0 ? den / num : 0;
  return seconds > 1 / 1000 && seconds < 10 ? seconds : 1 / 25;
}
