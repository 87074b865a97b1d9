import { createFixedSizeFilter, createSampleFilter, filterToRgb } from '@media-search/media/decode-video';
import { nominalFrameDuration } from '@media-search/media/frame-clock';
import type { MediaLimits } from '@media-search/media/media-limits';
import type { ProbedVideo } from '@media-search/media/probe-video';
import type { Reading } from '@media-search/media/read-packets';
import { readVideo, type VideoEvent } from '@media-search/media/read-video';
import type { RgbImage } from '@media-search/media/rgb-image';
import { sampleInterval } from '@media-search/media/seek-moments';
import { detectorSize } from '@media-search/media/shots/frame-features';
import { createShotDetector, type ShotChange } from '@media-search/media/shots/shot-detector';

export type Sample = { time: number; image: RgbImage };

type VideoFrame = Extract<VideoEvent, { kind: 'frame' }>;

export type SamplingEvent =
  | { kind: 'sample'; sample: Sample }
  /** One shot ends and another begins. It may lie before samples that were already given. */
  | { kind: 'shot-change'; change: ShotChange }
  | Exclude<VideoEvent, VideoFrame>;

/** More frames than this add nothing to the search for cuts; high-speed material is thinned out. Seconds between two frames. */
const minDetectorInterval = 1 / 31;
/** How far back shot changes may lie when they are recognised, seconds. */
const skippedHistorySeconds = 3;

/**
 * Reads a video once from beginning to end: images at even intervals, shot changes at frame accuracy, subtitles.
 * Throws `UnreadableMediaError` when there is more of it than the limits allow; without limits, all is read.
 */
export async function* sampleVideo(
  probed: ProbedVideo,
  reading: Reading,
  limits: MediaLimits = { maxSeconds: Infinity, maxFrames: Infinity },
): AsyncGenerator<SamplingEvent, void> {
  using sampler = createSampler(probed);
  using shots = createShotFinder(probed);
  for await (const event of readVideo(probed, reading, limits)) {
    if (event.kind === 'frame') {
      yield* await shots.push(event);
      yield* await sampler.push(event);
    } else {
      if (event.kind === 'end') yield* shots.finish();
      yield event;
    }
  }
}

function createSampler(probed: ProbedVideo) {
  const filter = createSampleFilter(probed);
  let nextSample = 0;
  return {
    async push({ frame, time, duration }: VideoFrame): Promise<SamplingEvent[]> {
      // The frame that is shown at the time, so that a still one is sampled however long it stays.
      if (time + duration <= nextSample) return [];
      nextSample = time + sampleInterval;
      return (await filterToRgb(filter, frame)).map((image) => ({ kind: 'sample', sample: { time, image } }));
    },
    [Symbol.dispose]: () => filter[Symbol.dispose](),
  };
}

/** Gives the shot detector as many frames as it needs. */
function createShotFinder(probed: ProbedVideo) {
  // The detector works whichever way is up.
  const filter = createFixedSizeFilter(probed, detectorSize);
  const detector = createShotDetector();
  const frameSeconds = nominalFrameDuration(probed);
  let nextDetection = 0;
  /** Times of the last frames that the detector did not get. */
  let skipped: number[] = [];

  /** To which shot the frames belong that were skipped right before a cut is not known, so they belong to none. */
  function toEvent({ from, to }: ShotChange): SamplingEvent {
    const unknown = skipped.find((time) => time > to - minDetectorInterval - frameSeconds && time < to);
    return { kind: 'shot-change', change: { from: Math.min(from, unknown ?? from), to } };
  }

  return {
    async push({ frame, time }: VideoFrame): Promise<SamplingEvent[]> {
      if (time < nextDetection) {
        skipped.push(time);
        return [];
      }
      nextDetection = time + minDetectorInterval;
      const images = await filterToRgb(filter, frame);
      const events = images.flatMap((image) => detector.push(image, time).map(toEvent));
      skipped = skipped.filter((each) => each > time - skippedHistorySeconds);
      return events;
    },
    finish: (): SamplingEvent[] => detector.finish().map(toEvent),
    [Symbol.dispose]: () => filter[Symbol.dispose](),
  };
}
