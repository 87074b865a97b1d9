import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import type { Frame } from 'node-av/lib';
import { createUprightFilter, filterToRgb, openDecoder } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { nominalFrameDuration } from './frame-clock.ts';
import { fitWithin } from './picture-sizes.ts';
import { type ProbedVideo, probeVideo, toSeconds } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import type { RgbImage } from './rgb-image.ts';
import { findOrigin, seekLeads } from './seek-moments.ts';

/** A frame of a video that is read at even intervals. */
export type SparseFrame = {
  /** When it is shown first, seconds from the first frame of the video; never before the frame before it. */
  time: number;
  /** Until when it is shown. */
  end: number;
  /** Whether the video ends with it. The last frame is always given. */
  isLast: boolean;
  /** Upright, scaled down to `smallSide`. */
  small: RgbImage;
  /** How much smaller that is than the full one, 0..1. */
  scale: number;
  /** The same frame up to `fullSide`. Until the next frame is asked for. */
  readFull: () => Promise<RgbImage>;
};

type SparseOptions = {
  /** Where to begin, seconds. The first frame is the one that is shown then, or the next. */
  from: number;
  /** Seconds between two frames. */
  interval: number;
  /** Longest sides of the images, pixels. */
  smallSide: number;
  fullSide: number;
};

/**
 * Reads frames of a video at even intervals from a time on, each being the one that is shown then. Frames that no other needs are not
 * decoded, which halves the time of usual files. Throws `UnreadableMediaError`, and the signal's reason when aborted.
 */
export async function* readSparseFrames(
  path: string,
  options: SparseOptions,
  reading: Reading,
): AsyncGenerator<SparseFrame, void> {
  const origin = await findOrigin(path, reading);
  const leads = options.from > 0 ? seekLeads : [Infinity];
  for (const lead of leads) {
    let isFirst = true;
    for await (const frame of readFrom(path, origin, lead, options, reading)) {
      // In streams without an index a seek is a guess and may lead past the time.
      if (isFirst && lead < Infinity && frame.time > options.from + options.interval) break;
      isFirst = false;
      yield frame;
    }
    if (!isFirst) return;
  }
}

/** Reads from the keyframe at least `lead` seconds before the time, or from the start of the file where that is `Infinity`. */
async function* readFrom(
  path: string,
  origin: number,
  lead: number,
  { from, interval, smallSide, fullSide }: SparseOptions,
  reading: Reading,
): AsyncGenerator<SparseFrame, void> {
  await using probed = await probeVideo(path, reading.signal);
  if (lead < Infinity && (await probed.demuxer.seek(origin + from - lead, -1, AVSEEK_FLAG_BACKWARD)) < 0) return;
  using toSmall = createUprightFilter(probed, smallSide);
  using toFull = createUprightFilter(probed, fullSide);
  const scale = fitWithin(probed, smallSide).width / fitWithin(probed, fullSide).width;
  let next = from;
  for await (const { frame, time, end, isLast } of shownFrames(probed, origin, reading)) {
    if (end <= next && !(isLast && end > from)) continue;
    next = Math.max(next, time) + interval;
    const [small] = await filterToRgb(toSmall, frame);
    if (!small) continue;
    yield {
      time,
      end,
      isLast,
      small,
      scale,
      async readFull() {
        const [full] = await filterToRgb(toFull, frame);
        return full ?? small;
      },
    };
  }
}

/** Whole frames in order of display, and until when each is shown: until the next one. Each is freed when the next is asked for. */
async function* shownFrames(
  probed: ProbedVideo,
  origin: number,
  reading: Reading,
): AsyncGenerator<{ frame: Frame; time: number; end: number; isLast: boolean }, void> {
  const { demuxer, video } = probed;
  using decoder = await openDecoder(probed, reading.signal, { skip_frame: 'noref' });
  using deinterlacer = createDeinterlacer();
  let held: { frame: Frame; time: number } | undefined;
  try {
    for await (const decoded of decoder.frames(readPackets(demuxer, reading, video.index))) {
      for (const frame of await deinterlacer.push(decoded)) {
        const before = held;
        const stamp = (toSeconds(frame.pts, frame) ?? origin) - origin;
        held = { frame, time: Math.max(stamp, before?.time ?? 0) };
        if (!before) continue;
        using _freed = before.frame;
        yield { ...before, end: held.time, isLast: false };
      }
    }
    if (held) {
      const { frame, time } = held;
      const duration = toSeconds(frame.duration, frame) || nominalFrameDuration(probed);
      yield { frame, time, end: time + duration, isLast: true };
    }
  } finally {
    held?.frame[Symbol.dispose]();
  }
}
