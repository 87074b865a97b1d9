import { Decoder, Encoder, FilterAPI, type Muxer } from 'node-av/api';
import { FF_ENCODER_LIBX264 } from 'node-av/constants';
import { type Frame, type Packet, Rational, type Stream } from 'node-av/lib';
import { createAudioTrack } from './audio-track.ts';
import { openDecoder } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { describeFilterGraph } from './filter-graph.ts';
import type { FrameTiming } from './frame-clock.ts';
import { fitWithin } from './picture-sizes.ts';
import { type ProbedVideo, toSeconds } from './probe-video.ts';

/** A track of a file that is written: takes the packets of a track of the source. */
export type Track = Disposable & {
  source: Stream;
  /** Null ends it. */
  push(packet: Packet | null): Promise<void>;
};

/** Ticks a second of the encoded video's clock, as in MPEG: fine enough for every frame rate. */
const ticksPerSecond = 90_000;

/**
 * Encodes video as H.264 that every browser decodes: upright, with square pixels, in the colours of BT.709.
 * @param options.maxSide longest side, pixels
 * @param options.quality constant rate factor of x264
 * @param options.place where a frame stands in the file that is written; null leaves it out
 */
export async function encodeVideoTrack(
  output: Muxer,
  probed: ProbedVideo,
  { maxSide, quality, place }: { maxSide: number; quality: number; place: (frame: Frame) => FrameTiming | null },
  signal: AbortSignal,
): Promise<Track> {
  const size = fitWithin(probed, maxSide);
  // 4:2:0 wants even sides. Rounded up, so that no column or row is lost.
  const even = (pixels: number) => pixels + (pixels % 2);
  const decoder = await openDecoder(probed, signal);
  const deinterlacer = createDeinterlacer();
  const filter = FilterAPI.create(
    describeFilterGraph(probed, { width: even(size.width), height: even(size.height) }, 'yuv420p', 'bicubic'),
  );
  const encoder = await Encoder.create(FF_ENCODER_LIBX264, {
    decoder,
    filter,
    gopSize: 60,
    options: { preset: 'veryfast', crf: quality },
    // By itself it would count frames, which moves those of a varying rate.
    configure: (context) => {
      context.timeBase = new Rational(1, ticksPerSecond);
    },
  });
  // Without the source's stream: its display matrix does not hold any more, the pixels are turned.
  const stream = output.addStream(encoder);
  let last = -1;

  async function encode(frames: Frame[]): Promise<void> {
    for (using frame of frames) {
      const timing = place(frame);
      if (!timing) continue;
      last = Math.max(last + 1, Math.round(timing.time * ticksPerSecond));
      frame.timeBase = new Rational(1, ticksPerSecond);
      frame.pts = BigInt(last);
      frame.duration = BigInt(Math.max(1, Math.round(timing.duration * ticksPerSecond)));
      for (using turned of await filter.processAll(frame)) await write(await encoder.encodeAll(turned));
    }
  }
  async function write(packets: Packet[]): Promise<void> {
    for (using packet of packets) await output.writePacket(packet, stream);
  }
  return {
    source: probed.video,
    async push(packet) {
      for (const frame of [...(await decoder.decodeAll(packet)), ...(packet ? [] : [null])]) {
        await encode(await deinterlacer.push(frame));
      }
      if (packet) return;
      for (using turned of await filter.processAll(null)) await write(await encoder.encodeAll(turned));
      await write(await encoder.encodeAll(null));
    },
    [Symbol.dispose]() {
      for (const part of [encoder, filter, deinterlacer, decoder]) part[Symbol.dispose]();
    },
  };
}

/** The sound that is encoded. Seconds. */
type AudioSpan = {
  /** Time stamp of the video's first frame in the container's clock. */
  origin: number;
  /** The duration of the video. */
  duration: number;
  /** What begins later after the first frame is not decoded. */
  until?: number;
  /** Audio after the end of the video is left out. */
  endsWithVideo?: boolean;
};

/**
 * Encodes audio as AAC on the clock of its video.
 */
export async function encodeAudioTrack(
  output: Muxer,
  source: Stream,
  { origin, duration, until = Infinity, endsWithVideo = false }: AudioSpan,
  signal: AbortSignal,
): Promise<Track> {
  const decoder = await Decoder.create(source, { exitOnError: false, signal });
  const audioTrack = await createAudioTrack(source, origin, duration);
  const trim = endsWithVideo ? FilterAPI.create(`atrim=end=${origin + duration}`) : undefined;
  const stream = output.addStream(audioTrack.encoder);
  async function write(packets: Packet[]): Promise<void> {
    for (using packet of packets) await output.writePacket(packet, stream);
  }
  async function encode(frame: Frame | null): Promise<void> {
    if (!trim) return write(await audioTrack.push(frame));
    for (using kept of await trim.processAll(frame)) await write(await audioTrack.push(kept));
    if (!frame) await write(await audioTrack.push(null));
  }
  return {
    source,
    async push(packet) {
      const time = packet ? toSeconds(packet.pts, source) : undefined;
      if (time !== undefined && time - origin > until) return;
      // Synchronous: a frame of sound takes less than a switch of threads.
      for (using frame of decoder.decodeAllSync(packet)) await encode(frame);
      if (!packet) await encode(null);
    },
    [Symbol.dispose]() {
      trim?.[Symbol.dispose]();
      audioTrack[Symbol.dispose]();
      decoder[Symbol.dispose]();
    },
  };
}
