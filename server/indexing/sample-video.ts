import { Decoder, FilterAPI } from 'node-av/api';
import { AV_PKT_FLAG_DISCARD } from 'node-av/constants';
import type { Frame, Packet, Stream } from 'node-av/lib';
import type { Picture } from '../models/embedder.ts';
import { createDeinterlacer, isInterlaced } from './deinterlacer.ts';
import { createFrameClock, type FramePlace, frameSecondsOf } from './frame-clock.ts';
import { type MediaLimits, UnreadableMediaError } from './indexed-media.ts';
import { checkFrames, checkSeconds, mostFramePixels, mostText } from './media-limits.ts';
import { describePictureFilter } from './picture-filter.ts';
import { type ProbedVideo, secondsOf } from './probe-video.ts';
import { detectorSize } from './seen-frame.ts';
import { createShotDetector, type ShotChange } from './shot-detector.ts';
import { readSubtitle, type SubtitleLine } from './subtitles.ts';

export type Sample = { time: number; picture: Picture };

export type SamplingEvent =
  | { kind: 'sample'; sample: Sample }
  /** One shot ends and another begins, which may lie a little back. */
  | { kind: 'shot-change'; change: ShotChange }
  | { kind: 'subtitle'; line: SubtitleLine };

/** What only reading a video to its end tells. */
export type ObservedVideo = {
  /** Seconds. */
  duration: number;
  /** Time stamp of the first frame that can be shown, in the container's clock, seconds. */
  origin: number;
  /** Frames that were decoded, and how many of them were interlaced. */
  frames: number;
  interlacedFrames: number;
  /** Whether the container hides pictures that others are made from (an edit list), or begins with ones that cannot be shown. */
  hasHiddenPictures: boolean;
  /** Whether the sound stops and goes on later, or overlaps itself. */
  hasSoundGaps: boolean;
};

/** Seconds between two samples. */
export const sampleInterval = 0.25;
/** The detector does not mind which way is up. */
const unturned = { mirrored: false, rotation: 0 } as const;
/** Faster than this adds nothing to the search for cuts; high-speed material is thinned out. */
const detectorInterval = 1 / 31;
/** How far back shot changes may lie when they are recognised, seconds. */
const rememberSkipped = 3;
const longestSide = 480;

/**
 * Reads a video once from beginning to end: pictures at even intervals, shot changes at frame accuracy, subtitles.
 * Frames that do not decode are passed over.
 * Throws `UnreadableMediaError` when there is more of it than the limits allow; without limits, all is read.
 * @returns what the video proved to be
 */
export async function* sampleVideo(
  probed: ProbedVideo,
  signal: AbortSignal,
  limits: MediaLimits = { seconds: Infinity, frames: Infinity },
): AsyncGenerator<SamplingEvent, ObservedVideo> {
  const { demuxer, video, audio, subtitles } = probed;
  using decoder = await openDecoder(probed, signal);
  using sampler = createPictureFilter(probed);
  using thinner = FilterAPI.create(
    describePictureFilter({ video, orientation: unturned }, detectorSize, 'rgb24', 'fast_bilinear'),
  );
  using deinterlacer = createDeinterlacer();
  const detector = createShotDetector();
  const clock = createFrameClock(probed);
  const frameSeconds = frameSecondsOf(probed);
  const sound = createGapFinder();
  /** Read, but not given out yet: what they are counted from is not known before the first frame. */
  const lines: SubtitleLine[] = [];
  let frames = 0;
  let interlacedFrames = 0;
  let packets = 0;
  let textLeft = mostText;
  let hasHiddenPictures: boolean | undefined;
  let nextSample = 0;
  let nextDetection = 0;
  /** Times of the last frames that the detector did not get. */
  let skipped: number[] = [];

  /** Which shot the frames belong to that were skipped right before a cut is not known, so they belong to none. */
  function toShotChange({ from, to }: ShotChange): SamplingEvent {
    const unknown = skipped.find((time) => time > to - detectorInterval - frameSeconds && time < to);
    return { kind: 'shot-change', change: { from: Math.min(from, unknown ?? from), to } };
  }

  async function handle(frame: Frame, { time, duration }: FramePlace): Promise<SamplingEvent[]> {
    const events: SamplingEvent[] = [];
    if (time >= nextDetection) {
      nextDetection = time + detectorInterval;
      for (const picture of await convert(thinner, frame)) {
        for (const change of detector.push(picture, time)) events.push(toShotChange(change));
      }
      skipped = skipped.filter((each) => each > time - rememberSkipped);
    } else {
      skipped.push(time);
    }
    checkSeconds(time, limits);
    // The picture that is shown at the time, so that a still one is sampled however long it stays.
    if (time + duration > nextSample) {
      nextSample = time + sampleInterval;
      for (const picture of await convert(sampler, frame)) events.push({ kind: 'sample', sample: { time, picture } });
    }
    return events;
  }

  async function handleAll(decoded: (Frame | null)[]): Promise<SamplingEvent[]> {
    const events: SamplingEvent[] = [];
    for (const frame of decoded) {
      if (frame) frames += 1;
      if (frame && isInterlaced(frame)) interlacedFrames += 1;
      for (using whole of await deinterlacer.push(frame)) events.push(...(await handle(whole, clock.place(whole))));
    }
    return events;
  }

  let waiting: Frame[] = [];
  for await (using packet of demuxer.packets()) {
    signal.throwIfAborted();
    if (!packet) continue;
    const subtitle = subtitles.find((stream) => stream.index === packet.streamIndex);
    if (subtitle) {
      const line = readSubtitle(subtitle, packet);
      textLeft -= line?.text.length ?? 0;
      if (line && textLeft > 0) lines.push(line);
    }
    if (clock.origin !== undefined) yield* giveLines(lines.splice(0), clock.origin);
    if (packet.streamIndex === audio?.index) sound.push(packet, audio);
    if (packet.streamIndex !== video.index) continue;
    packets += 1;
    checkFrames(packets, limits);
    hasHiddenPictures ??= !packet.isKeyframe;
    hasHiddenPictures ||= packet.hasFlags(AV_PKT_FLAG_DISCARD);
    // The next packet is decoded while the frames before it are looked at.
    const [decoded, events] = await Promise.all([decoder.decodeAll(packet), handleAll(waiting)]);
    waiting = decoded;
    yield* events;
  }
  yield* await handleAll(waiting);
  yield* await handleAll([...(await decoder.decodeAll(null)), null]);
  for (const change of detector.finish()) yield toShotChange(change);
  const origin = clock.origin ?? probed.startTime;
  yield* giveLines(lines, origin);
  return {
    duration: Math.round(clock.end * 1000) / 1000,
    origin,
    frames,
    interlacedFrames,
    hasHiddenPictures: hasHiddenPictures ?? false,
    hasSoundGaps: sound.found,
  };
}

function* giveLines(lines: SubtitleLine[], origin: number): Generator<SamplingEvent> {
  for (const { start, end, text } of lines) {
    if (end > origin) {
      yield { kind: 'subtitle', line: { start: Math.max(0, start - origin), end: end - origin, text } };
    }
  }
}

/** Sound that is off by more than this from where it should go on is heard to be, seconds. */
const soundTolerance = 0.04;

/** Looks for places where a track of sound does not go on where it ended. */
function createGapFinder() {
  let end: number | undefined;
  return {
    found: false,
    push(packet: Packet, stream: Stream) {
      const start = secondsOf(packet.pts, stream);
      const stated = secondsOf(packet.duration, stream) ?? 0;
      // MP4 stretches the packet before a gap.
      const { frameSize, sampleRate } = stream.codecpar;
      const duration = frameSize > 0 && sampleRate > 0 ? Math.min(stated, frameSize / sampleRate) : stated;
      if (start === undefined || duration <= 0) return;
      if (end !== undefined && Math.abs(start - end) > soundTolerance) this.found = true;
      end = start + duration;
    },
  };
}

/** A decoder that passes over frames which do not decode. Throws `UnreadableMediaError`. */
export function openDecoder(probed: ProbedVideo, signal: AbortSignal): Promise<Decoder> {
  const options = { max_pixels: mostFramePixels };
  return Decoder.create(probed.video, { exitOnError: false, signal, options }).catch((error: unknown) => {
    throw new UnreadableMediaError(
      'unsupported_codec',
      `Video coded as ${probed.videoCodec} cannot be decoded here. Convert it to H.264 in MP4 and upload that.`,
      { cause: error },
    );
  });
}

/** A filter that turns frames into upright pictures of the size that embedders get. */
export function createPictureFilter(probed: ProbedVideo): FilterAPI {
  const { width, height } = fit(probed, longestSide);
  return FilterAPI.create(describePictureFilter(probed, { width, height }, 'rgb24', 'area'));
}

/** Runs a frame through a filter that ends in packed RGB. The frame stays the caller's. */
export async function convert(filter: FilterAPI, frame: Frame): Promise<Picture[]> {
  using copy = frame.clone();
  if (!copy) return [];
  const pictures: Picture[] = [];
  for (using converted of await filter.processAll(copy)) {
    const { width, height } = converted;
    pictures.push({ width, height, data: converted.toBuffer() });
  }
  return pictures;
}

/** The displayed size brought down so that no side is longer than `side`; never up, never below one pixel. */
export function fit(size: { width: number; height: number }, side: number): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(size.width, size.height));
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}
