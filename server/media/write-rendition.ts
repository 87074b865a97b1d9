import { Decoder, Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_PKT_FLAG_CORRUPT, FF_ENCODER_LIBX264 } from 'node-av/constants';
import { type Frame, type Packet, Rational, type Stream } from 'node-av/lib';
import { createAudioTrack } from './audio-track.ts';
import { fitWithin, openDecoder } from './decode-video.ts';
import { createDeinterlacer } from './deinterlacer.ts';
import { describeFilterGraph } from './filter-graph.ts';
import { createFrameClock } from './frame-clock.ts';
import { openDemuxer } from './open-demuxer.ts';
import { type ProbedVideo, toSeconds } from './probe-video.ts';
import type { ObservedVideo } from './read-video.ts';

/** What becomes of each track. */
export type RenditionPlan = {
  container: 'mp4' | 'webm';
  video: 'copy' | 'encode';
  audio: 'copy' | 'encode' | 'none';
};

/** A track of the rendition: takes the packets of a track of the source. */
type Track = Disposable & {
  source: Stream;
  /** Null ends it. */
  push(packet: Packet | null): Promise<void>;
};

const maxSide = 1280;
/** Ticks a second of the encoded video's clock, as in MPEG: fine enough for every frame rate. */
const ticksPerSecond = 90_000;

/**
 * Writes a rendition whose time 0 is the first frame, whatever the clock of the source.
 * @param onProgress is given the share that is done, 0..1
 */
export async function writeRendition(
  target: string,
  { container, video: videoMode, audio: audioMode }: RenditionPlan,
  input: { source: string; probed: ProbedVideo; observed: ObservedVideo },
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { probed, observed } = input;
  await using opened = await openDemuxer(input.source, signal);
  const { demuxer } = opened;
  // The index goes to the front, so that playing starts before all has arrived.
  await using output = await Muxer.open(
    target,
    // Written in the background, a packet that cannot be written would end the process.
    container === 'mp4'
      ? { format: 'mp4', options: { movflags: '+faststart' }, useAsyncWrite: false }
      : { format: 'webm', useAsyncWrite: false },
  );
  const streamOf = ({ index }: Stream) => demuxer.getStream(index) ?? fail('A track is gone.');
  const source = { ...probed, video: streamOf(probed.video) };
  using videoTrack =
    videoMode === 'copy'
      ? copyTrack(output, source.video, observed.origin)
      : await encodeVideoTrack(output, source, signal);
  using audioTrack =
    audioMode === 'none' || !probed.audio
      ? undefined
      : audioMode === 'copy'
        ? copyTrack(output, streamOf(probed.audio), observed.origin)
        : await encodeAudioTrack(output, streamOf(probed.audio), observed, signal);
  const tracks: Track[] = audioTrack ? [videoTrack, audioTrack] : [videoTrack];
  for await (using packet of demuxer.packets()) {
    signal.throwIfAborted();
    if (!packet) continue;
    const track = tracks.find(({ source: { index } }) => index === packet.streamIndex);
    if (!track) continue;
    if (track === videoTrack) {
      const at = toSeconds(packet.pts, track.source);
      if (at !== undefined && observed.duration > 0) {
        onProgress(Math.min(1, Math.max(0, (at - observed.origin) / observed.duration)));
      }
    }
    await track.push(packet);
  }
  for (const track of tracks) await track.push(null);
}

function fail(message: string): never {
  throw new Error(message);
}

/** Takes packets over as they are; only their clock is set. What lies before the first frame is left out. */
function copyTrack(output: Muxer, source: Stream, origin: number): Track {
  const place = output.addStream(source);
  // The tag is the source's container's name of the codec.
  const copied = output.getStream(place);
  if (copied) copied.codecpar.codecTag = 0;
  const shift = BigInt(Math.round((origin * source.timeBase.den) / source.timeBase.num));
  const none = -(2n ** 63n);
  return {
    source,
    async push(packet) {
      // The last packet of a file that is cut off is not whole.
      if (!packet || packet.hasFlags(AV_PKT_FLAG_CORRUPT)) return;
      if (packet.pts !== none && packet.pts < shift && packet.pts + packet.duration <= shift) return;
      using copy = packet.clone() ?? fail('Out of memory.');
      if (copy.pts !== none) copy.pts -= shift;
      if (copy.dts !== none) copy.dts -= shift;
      await output.writePacket(copy, place);
    },
    [Symbol.dispose]: () => undefined,
  };
}

async function encodeVideoTrack(output: Muxer, probed: ProbedVideo, signal: AbortSignal): Promise<Track> {
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
    options: { preset: 'veryfast', crf: 23 },
    // By itself it would count frames, which moves those of a varying rate.
    configure: (context) => {
      context.timeBase = new Rational(1, ticksPerSecond);
    },
  });
  // Without the source's stream: its display matrix does not hold any more, the pixels are turned.
  const place = output.addStream(encoder);
  const clock = createFrameClock(probed);
  let last = -1;

  async function encode(frames: Frame[]): Promise<void> {
    for (using frame of frames) {
      const { time, duration } = clock.advance(frame);
      last = Math.max(last + 1, Math.round(time * ticksPerSecond));
      frame.timeBase = new Rational(1, ticksPerSecond);
      frame.pts = BigInt(last);
      frame.duration = BigInt(Math.max(1, Math.round(duration * ticksPerSecond)));
      for (using turned of await filter.processAll(frame)) await write(await encoder.encodeAll(turned));
    }
  }
  async function write(packets: Packet[]): Promise<void> {
    for (using packet of packets) await output.writePacket(packet, place);
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

async function encodeAudioTrack(
  output: Muxer,
  source: Stream,
  { origin, duration }: ObservedVideo,
  signal: AbortSignal,
): Promise<Track> {
  const decoder = await Decoder.create(source, { exitOnError: false, signal });
  const audioTrack = await createAudioTrack(source, origin, duration);
  const place = output.addStream(audioTrack.encoder);
  async function write(packets: Packet[]): Promise<void> {
    for (using packet of packets) await output.writePacket(packet, place);
  }
  return {
    source,
    async push(packet) {
      for (using frame of await decoder.decodeAll(packet)) await write(await audioTrack.push(frame));
      if (!packet) await write(await audioTrack.push(null));
    },
    [Symbol.dispose]() {
      audioTrack[Symbol.dispose]();
      decoder[Symbol.dispose]();
    },
  };
}
