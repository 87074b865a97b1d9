import { Decoder, FilterAPI } from 'node-av/api';
import { AV_PKT_FLAG_DISCARD } from 'node-av/constants';
import type { Frame, Packet, Stream } from 'node-av/lib';
import { createDeinterlacer, isInterlaced } from '../media/deinterlacer.ts';
import { describeFilterGraph } from '../media/filter-graph.ts';
import { createFrameClock, type FrameTiming, nominalFrameDuration } from '../media/frame-clock.ts';
import { checkFrameCount, checkDuration, maxFramePixels, maxSubtitleLength } from '../media/media-limits.ts';
import { type ProbedVideo, toSeconds } from '../media/probe-video.ts';
import { readSubtitle, type SubtitleLine } from '../media/subtitles.ts';
import type { RgbImage } from '../models/embedder.ts';
import { type MediaLimits, UnreadableMediaError } from './indexed-media.ts';
import { detectorSize } from './shots/frame-features.ts';
import { createShotDetector, type ShotChange } from './shots/shot-detector.ts';

export type Sample = { time: number; image: RgbImage };

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
  hasHiddenFrames: boolean;
  /** Whether the sound stops and goes on later, or overlaps itself. */
  hasAudioGaps: boolean;
};

/** Seconds between two samples. */
export const sampleInterval = 0.25;
/** The detector does not mind which way is up. */
const upright = { mirrored: false, rotation: 0 } as const;
/** Faster than this adds nothing to the search for cuts; high-speed material is thinned out. */
const minDetectorInterval = 1 / 31;
/** How far back shot changes may lie when they are recognised, seconds. */
const skippedHistorySeconds = 3;
const maxSampleSide = 480;

/**
 * Reads a video once from beginning to end: pictures at even intervals, shot changes at frame accuracy, subtitles.
 * Frames that do not decode are passed over.
 * Throws `UnreadableMediaError` when there is more of it than the limits allow; without limits, all is read.
 * @returns what the video proved to be
 */
export async function* sampleVideo(
  probed: ProbedVideo,
  signal: AbortSignal,
  limits: MediaLimits = { maxSeconds: Infinity, maxFrames: Infinity },
): AsyncGenerator<SamplingEvent, ObservedVideo> {
  const { demuxer, video, audio, subtitles } = probed;
  using decoder = await openDecoder(probed, signal);
  using sampleFilter = createSampleFilter(probed);
  using detectorFilter = FilterAPI.create(
    describeFilterGraph({ video, orientation: upright }, detectorSize, 'rgb24', 'fast_bilinear'),
  );
  using deinterlacer = createDeinterlacer();
  const detector = createShotDetector();
  const clock = createFrameClock(probed);
  const frameSeconds = nominalFrameDuration(probed);
  const audioGaps = createGapDetector();
  /** Read, but not given out yet: what they are counted from is not known before the first frame. */
  const lines: SubtitleLine[] = [];
  let frames = 0;
  let interlacedFrames = 0;
  let packets = 0;
  let textLeft = maxSubtitleLength;
  let hasHiddenPictures: boolean | undefined;
  let nextSample = 0;
  let nextDetection = 0;
  /** Times of the last frames that the detector did not get. */
  let skipped: number[] = [];

  /** Which shot the frames belong to that were skipped right before a cut is not known, so they belong to none. */
  function toShotChange({ from, to }: ShotChange): SamplingEvent {
    const unknown = skipped.find((time) => time > to - minDetectorInterval - frameSeconds && time < to);
    return { kind: 'shot-change', change: { from: Math.min(from, unknown ?? from), to } };
  }

  async function handleFrame(frame: Frame, { time, duration }: FrameTiming): Promise<SamplingEvent[]> {
    const events: SamplingEvent[] = [];
    if (time >= nextDetection) {
      nextDetection = time + minDetectorInterval;
      for (const picture of await filterToRgb(detectorFilter, frame)) {
        for (const change of detector.push(picture, time)) events.push(toShotChange(change));
      }
      skipped = skipped.filter((each) => each > time - skippedHistorySeconds);
    } else {
      skipped.push(time);
    }
    checkDuration(time, limits);
    // The picture that is shown at the time, so that a still one is sampled however long it stays.
    if (time + duration > nextSample) {
      nextSample = time + sampleInterval;
      for (const picture of await filterToRgb(sampleFilter, frame))
        events.push({ kind: 'sample', sample: { time, image: picture } });
    }
    return events;
  }

  async function handleFrames(decoded: (Frame | null)[]): Promise<SamplingEvent[]> {
    const events: SamplingEvent[] = [];
    for (const frame of decoded) {
      if (frame) frames += 1;
      if (frame && isInterlaced(frame)) interlacedFrames += 1;
      for (using whole of await deinterlacer.push(frame))
        events.push(...(await handleFrame(whole, clock.advance(whole))));
    }
    return events;
  }

  let pending: Frame[] = [];
  for await (using packet of demuxer.packets()) {
    signal.throwIfAborted();
    if (!packet) continue;
    const subtitle = subtitles.find((stream) => stream.index === packet.streamIndex);
    if (subtitle) {
      const line = readSubtitle(subtitle, packet);
      textLeft -= line?.text.length ?? 0;
      if (line && textLeft > 0) lines.push(line);
    }
    if (clock.origin !== undefined) yield* emitLines(lines.splice(0), clock.origin);
    if (packet.streamIndex === audio?.index) audioGaps.push(packet, audio);
    if (packet.streamIndex !== video.index) continue;
    packets += 1;
    checkFrameCount(packets, limits);
    hasHiddenPictures ??= !packet.isKeyframe;
    hasHiddenPictures ||= packet.hasFlags(AV_PKT_FLAG_DISCARD);
    // The next packet is decoded while the frames before it are looked at.
    const [decoded, events] = await Promise.all([decoder.decodeAll(packet), handleFrames(pending)]);
    pending = decoded;
    yield* events;
  }
  yield* await handleFrames(pending);
  yield* await handleFrames([...(await decoder.decodeAll(null)), null]);
  for (const change of detector.finish()) yield toShotChange(change);
  const origin = clock.origin ?? probed.startTime;
  yield* emitLines(lines, origin);
  return {
    duration: Math.round(clock.end * 1000) / 1000,
    origin,
    frames,
    interlacedFrames,
    hasHiddenFrames: hasHiddenPictures ?? false,
    hasAudioGaps: audioGaps.found,
  };
}

function* emitLines(lines: SubtitleLine[], origin: number): Generator<SamplingEvent> {
  for (const { start, end, text } of lines) {
    if (end > origin) {
      yield { kind: 'subtitle', line: { start: Math.max(0, start - origin), end: end - origin, text } };
    }
  }
}

/** Sound that is off by more than this from where it should go on is heard to be, seconds. */
const gapTolerance = 0.04;

/** Looks for places where a track of sound does not go on where it ended. */
function createGapDetector() {
  let end: number | undefined;
  return {
    found: false,
    push(packet: Packet, stream: Stream) {
      const start = toSeconds(packet.pts, stream);
      const stated = toSeconds(packet.duration, stream) ?? 0;
      // MP4 stretches the packet before a gap.
      const { frameSize, sampleRate } = stream.codecpar;
      const duration = frameSize > 0 && sampleRate > 0 ? Math.min(stated, frameSize / sampleRate) : stated;
      if (start === undefined || duration <= 0) return;
      if (end !== undefined && Math.abs(start - end) > gapTolerance) this.found = true;
      end = start + duration;
    },
  };
}

/** A decoder that passes over frames which do not decode. Throws `UnreadableMediaError`. */
export function openDecoder(probed: ProbedVideo, signal: AbortSignal): Promise<Decoder> {
  const options = { max_pixels: maxFramePixels };
  return Decoder.create(probed.video, { exitOnError: false, signal, options }).catch((error: unknown) => {
    throw new UnreadableMediaError(
      'unsupported_codec',
      `Video coded as ${probed.videoCodec} cannot be decoded here. Convert it to H.264 in MP4 and upload that.`,
      { cause: error },
    );
  });
}

/** A filter that turns frames into upright pictures of the size that embedders get. */
export function createSampleFilter(probed: ProbedVideo): FilterAPI {
  const { width, height } = fitWithin(probed, maxSampleSide);
  return FilterAPI.create(describeFilterGraph(probed, { width, height }, 'rgb24', 'area'));
}

/** Runs a frame through a filter that ends in packed RGB. The frame stays the caller's. */
export async function filterToRgb(filter: FilterAPI, frame: Frame): Promise<RgbImage[]> {
  using copy = frame.clone();
  if (!copy) return [];
  const pictures: RgbImage[] = [];
  for (using converted of await filter.processAll(copy)) {
    const { width, height } = converted;
    pictures.push({ width, height, data: converted.toBuffer() });
  }
  return pictures;
}

/** The displayed size brought down so that no side is longer than `side`; never up, never below one pixel. */
export function fitWithin(size: { width: number; height: number }, side: number): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(size.width, size.height));
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}
