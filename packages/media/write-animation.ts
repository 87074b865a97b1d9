import { FilterAPI } from 'node-av/api';
import sharp from 'sharp';
import { openDecoder, filterToRgb } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { describeFilterGraph } from './filter-graph.ts';
import { maxAnimationSeconds } from './media-limits.ts';
import { fitWithin } from './picture-sizes.ts';
import { type ClipSpan, createPlacement, planClip, seekToClip } from './plan-clip.ts';
import { probeVideo, toSeconds } from './probe-video.ts';
import { readPackets } from './read-packets.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** Longest side of an animation, pixels. */
const maxSide = 480;
/** Time between two images of an animation, seconds. GIF counts hundredths of a second. */
const interval = 0.08;
/** Frames are read for so much longer than the span, seconds: some containers state no order of decoding. */
const trailSeconds = 1;

type AnimatedFrame = { image: Buffer; time: number };

/**
 * Writes a span of a video as an animated image, 12.5 images a second at most. Throws `UnreadableMediaError`, errors of the machine, and
 * the signal's reason when aborted.
 * @param onProgress is given the share that is done, 0..1
 */
export async function writeAnimation(
  source: string,
  span: ClipSpan,
  format: 'gif' | 'webp',
  destination: string,
  signal: AbortSignal,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<ClipSpan> {
  const plan = await planClip(source, span, signal);
  const { start, end } = plan;
  if (end - start > maxAnimationSeconds + 1) {
    throw new UnreadableMediaError('too_large', `An animation may last ${maxAnimationSeconds} seconds.`);
  }
  await using probed = await probeVideo(source, signal);
  await seekToClip(probed, plan, start);
  const size = fitWithin(probed, maxSide);
  using decoder = await openDecoder(probed, signal);
  using deinterlacer = createDeinterlacer();
  using filter = FilterAPI.create(describeFilterGraph(probed, size, 'rgb24', 'area'));
  const place = createPlacement(probed, plan);
  const frames: AnimatedFrame[] = [];
  for await (const frame of decoder.frames(readPackets(probed.demuxer, { signal }, probed.video.index))) {
    const stamp = frame ? toSeconds(frame.pts, frame) : undefined;
    if (stamp !== undefined && stamp - plan.origin > end + trailSeconds) {
      frame?.[Symbol.dispose]();
      break;
    }
    for (using whole of await deinterlacer.push(frame)) {
      const timing = place(whole);
      // The first image of each interval stands for it.
      if (!timing || timing.time < frames.length * interval - 0.001) continue;
      for (const { data } of await filterToRgb(filter, whole))
        frames.push({ image: data as Buffer, time: timing.time });
      // Half of the time goes into reading, half into writing.
      onProgress(Math.min(0.5, timing.time / (end - start) / 2));
    }
  }
  if (frames.length === 0)
    throw new UnreadableMediaError('unreadable_media', 'This part of the video cannot be decoded.');
  await encode(frames, { ...size, duration: end - start }, format, destination);
  return { start, end };
}

async function encode(
  frames: AnimatedFrame[],
  { width, height, duration }: { width: number; height: number; duration: number },
  format: 'gif' | 'webp',
  destination: string,
): Promise<void> {
  // Times are rounded, not delays, so that the errors do not add up.
  const ticks = [...frames.map(({ time }) => time), duration].map((time) => Math.round(time * 100));
  const delay = frames.map((_, i) => 10 * Math.max(2, (ticks[i + 1] as number) - (ticks[i] as number)));
  const image = sharp(Buffer.concat(frames.map(({ image }) => image)), {
    raw: { width, height: height * frames.length, channels: 3, pageHeight: height },
    limitInputPixels: false,
  });
  const animation = { delay, loop: 0 };
  await (
    format === 'gif' ? image.gif({ ...animation, effort: 4 }) : image.webp({ ...animation, quality: 75, effort: 3 })
  ).toFile(destination);
}
