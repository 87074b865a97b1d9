import { AV_PKT_FLAG_DISCARD } from 'node-av/constants';
import type { Frame } from 'node-av/lib';
import { createGapDetector } from './audio-gaps.ts';
import { openDecoder } from './decode-video.ts';
import { createDeinterlacer, isInterlaced } from './deinterlacer.ts';
import { createFrameClock, type FrameTiming } from './frame-clock.ts';
import { createTelemetryReader, type Telemetry } from './gopro-telemetry.ts';
import { checkDuration, checkFrameCount, type MediaLimits } from './media-limits.ts';
import type { ProbedVideo } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import { createSubtitleCollector, type SubtitleLine } from './subtitles.ts';

/** What is known of a video only after it was read to its end. */
export type ObservedVideo = {
  /** Seconds. */
  duration: number;
  /** Time stamp of the first frame that can be shown, in the container's clock, seconds. */
  origin: number;
  /** Frames that were decoded, and how many of them were interlaced. */
  frames: number;
  interlacedFrames: number;
  /** Whether the container hides frames that others are made from (an edit list), or begins with ones that cannot be shown. */
  hasHiddenFrames: boolean;
  /** Whether the audio stops and resumes later, or overlaps itself. */
  hasAudioGaps: boolean;
  /** What its camera recorded of itself. */
  telemetry: Telemetry;
};

export type VideoEvent =
  /** A whole (deinterlaced) frame. It is freed when the next event is asked for. */
  | ({ kind: 'frame'; frame: Frame } & FrameTiming)
  /** On the item's clock. */
  | { kind: 'subtitle'; line: SubtitleLine }
  /** The last event. */
  | { kind: 'end'; observed: ObservedVideo };

/**
 * Reads a video once from beginning to end: its frames in order of display, and its subtitles. Frames that do not decode are skipped.
 * The next packet is decoded while the consumer handles the frames of the packet before.
 * Throws `UnreadableMediaError` when there is more of it than the limits allow, and the signal's reason when aborted.
 */
export async function* readVideo(
  probed: ProbedVideo,
  reading: Reading,
  limits: MediaLimits,
): AsyncGenerator<VideoEvent, void> {
  const { demuxer, video, audio } = probed;
  using decoder = await openDecoder(probed, reading.signal);
  using frames = createFrameReader(probed, limits);
  const subtitles = createSubtitleCollector(probed.subtitles);
  const telemetryReader = createTelemetryReader(demuxer.streams);
  const audioGaps = createGapDetector();
  let packets = 0;
  let hasHiddenFrames = false;
  let pending: Frame[] = [];
  for await (using packet of readPackets(demuxer, reading)) {
    if (!packet) continue;
    subtitles.push(packet);
    telemetryReader.push(packet);
    if (frames.clock.origin !== undefined) yield* subtitles.take(frames.clock.origin);
    if (packet.streamIndex === audio?.index) audioGaps.push(packet, audio);
    if (packet.streamIndex !== video.index) continue;
    packets += 1;
    checkFrameCount(packets, limits);
    hasHiddenFrames ||= (packets === 1 && !packet.isKeyframe) || packet.hasFlags(AV_PKT_FLAG_DISCARD);
    const decoding = decoder.decodeAll(packet);
    // It is awaited below. Until then a failure must not count as unhandled.
    decoding.catch(() => undefined);
    try {
      yield* frames.read(pending);
    } finally {
      // Also when the consumer stops here: packet and decoder must not be freed while they are in use.
      pending = await decoding;
    }
  }
  yield* frames.read(pending);
  yield* frames.read([...(await decoder.decodeAll(null)), null]);
  const origin = frames.clock.origin ?? probed.startTime;
  yield* subtitles.take(origin);
  const observed = { ...frames.observed(), origin, hasHiddenFrames, hasAudioGaps: audioGaps.found };
  yield { kind: 'end', observed: { ...observed, telemetry: telemetryReader.telemetry } };
}

/** Turns decoded frames into whole ones on the item's clock, and counts them. */
function createFrameReader(probed: ProbedVideo, limits: MediaLimits) {
  const deinterlacer = createDeinterlacer();
  const clock = createFrameClock(probed);
  let frames = 0;
  let interlacedFrames = 0;
  return {
    clock,
    /** Null ends the video. */
    async *read(decoded: (Frame | null)[]): AsyncGenerator<VideoEvent, void> {
      for (const frame of decoded) {
        if (frame) frames += 1;
        if (frame && isInterlaced(frame)) interlacedFrames += 1;
        for (using whole of await deinterlacer.push(frame)) {
          const timing = clock.advance(whole);
          checkDuration(timing.time, limits);
          yield { kind: 'frame', frame: whole, ...timing };
        }
      }
    },
    observed: () => ({ duration: Math.round(clock.end * 1000) / 1000, frames, interlacedFrames }),
    [Symbol.dispose]: () => deinterlacer[Symbol.dispose](),
  };
}
