import { Decoder, FilterAPI } from 'node-av/api';
import type { Frame } from 'node-av/lib';
import type { Picture } from '../models/embedder.ts';
import { UnreadableMediaError } from './indexed-media.ts';
import { type ProbedVideo, type Rotation, secondsOf } from './probe-video.ts';
import { detectorSize } from './seen-frame.ts';
import { createShotDetector, type ShotChange } from './shot-detector.ts';
import { readSubtitle, type SubtitleLine } from './subtitles.ts';

export type Sample = { time: number; picture: Picture };

export type SamplingEvent =
  | { kind: 'sample'; sample: Sample }
  /** One shot ends and another begins, which may lie a little back. */
  | { kind: 'shot-change'; change: ShotChange }
  | { kind: 'subtitle'; line: SubtitleLine };

/** Seconds between two samples. */
export const sampleInterval = 0.25;
/** Faster than this adds nothing to the search for cuts; high-speed material is thinned out. */
const detectorInterval = 1 / 31;
/** How far back shot changes may lie when they are recognised, seconds. */
const rememberSkipped = 3;
const longestSide = 480;

/**
 * Reads a video once from beginning to end: pictures at even intervals, shot changes at frame accuracy, subtitles.
 * Frames that do not decode are passed over.
 * @returns how long the video proved to be, seconds
 */
export async function* sampleVideo(probed: ProbedVideo, signal: AbortSignal): AsyncGenerator<SamplingEvent, number> {
  const { demuxer, video, subtitles } = probed;
  using decoder = await openDecoder(probed, signal);
  using sampler = createPictureFilter(probed);
  using thinner = FilterAPI.create(
    `scale=${detectorSize.width}:${detectorSize.height}:flags=fast_bilinear,setsar=1,format=rgb24`,
  );
  const detector = createShotDetector();
  const frameSeconds = frameSecondsOf(probed);
  let first: number | undefined;
  let end = 0;
  let frames = 0;
  let nextSample = 0;
  let nextDetection = 0;
  /** Times of the last frames that the detector did not get. */
  let skipped: number[] = [];

  /** Which shot the frames belong to that were skipped right before a cut is not known, so they belong to none. */
  function toShotChange({ from, to }: ShotChange): SamplingEvent {
    const unknown = skipped.find((time) => time > to - detectorInterval - frameSeconds && time < to);
    return { kind: 'shot-change', change: { from: Math.min(from, unknown ?? from), to } };
  }

  async function handle(frame: Frame): Promise<SamplingEvent[]> {
    const events: SamplingEvent[] = [];
    const stamp = secondsOf(frame.bestEffortTimestamp, frame) ?? secondsOf(frame.pts, frame);
    first ??= stamp ?? 0;
    // A file without time stamps is taken to run evenly; one that jumps back does not turn time back.
    const time = Math.max(
      stamp === undefined ? frames * frameSeconds : stamp - first,
      frames === 0 ? 0 : end - frameSeconds,
    );
    frames += 1;
    end = time + (secondsOf(frame.duration, frame) || frameSeconds);
    if (time >= nextDetection) {
      nextDetection = time + detectorInterval;
      for (const picture of await convert(thinner, frame)) {
        for (const change of detector.push(picture, time)) events.push(toShotChange(change));
      }
      skipped = skipped.filter((each) => each > time - rememberSkipped);
    } else {
      skipped.push(time);
    }
    // The picture that is shown at the time, so that a still one is sampled however long it stays.
    if (end > nextSample) {
      nextSample = time + sampleInterval;
      for (const picture of await convert(sampler, frame)) events.push({ kind: 'sample', sample: { time, picture } });
    }
    return events;
  }

  async function handleAll(decoded: Frame[]): Promise<SamplingEvent[]> {
    const events: SamplingEvent[] = [];
    for (using frame of decoded) events.push(...(await handle(frame)));
    return events;
  }

  let waiting: Frame[] = [];
  for await (using packet of demuxer.packets()) {
    signal.throwIfAborted();
    if (!packet) continue;
    const subtitle = subtitles.find((stream) => stream.index === packet.streamIndex);
    if (subtitle) {
      const line = readSubtitle(subtitle, packet, first ?? probed.startTime);
      if (line) yield { kind: 'subtitle', line };
    }
    if (packet.streamIndex !== video.index) continue;
    // The next packet is decoded while the frames before it are looked at.
    const [decoded, events] = await Promise.all([decoder.decodeAll(packet), handleAll(waiting)]);
    waiting = decoded;
    yield* events;
  }
  yield* await handleAll(waiting);
  yield* await handleAll(await decoder.decodeAll(null));
  for (const change of detector.finish()) yield toShotChange(change);
  return end;
}

/** A decoder that passes over frames which do not decode. Throws `UnreadableMediaError`. */
export function openDecoder(probed: ProbedVideo, signal: AbortSignal): Promise<Decoder> {
  return Decoder.create(probed.video, { exitOnError: false, signal }).catch((error: unknown) => {
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
  return FilterAPI.create(`${turn(probed.rotation)}scale=${width}:${height}:flags=area,setsar=1,format=rgb24`);
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

const turns: Record<Rotation, string> = {
  0: '',
  90: 'transpose=clock,',
  180: 'hflip,vflip,',
  270: 'transpose=cclock,',
};

/** Start of a filter graph that sets pictures upright. */
export const turn = (rotation: Rotation): string => turns[rotation];

/** The displayed size brought down so that no side is longer than `side`; never up, never below one pixel. */
export function fit(size: { width: number; height: number }, side: number): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(size.width, size.height));
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}

function frameSecondsOf({ video }: ProbedVideo): number {
  const { num, den } = video.avgFrameRate.num > 0 ? video.avgFrameRate : video.rFrameRate;
  const seconds = num > 0 ? den / num : 0;
  return seconds > 1 / 1000 && seconds < 10 ? seconds : 1 / 25;
}
