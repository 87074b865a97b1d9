import { Encoder, FilterAPI } from 'node-av/api';
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_CHANNEL_LAYOUT_STEREO,
  AV_SAMPLE_FMT_FLTP,
  FF_ENCODER_AAC,
} from 'node-av/constants';
import { Frame, type Packet, type Stream } from 'node-av/lib';
import { toSeconds } from './probe-video.ts';

const sampleRate = 48_000;
/** Audio further than this from its place is moved there, seconds. Below it lies the rounding of containers that count milliseconds. */
const tolerance = 0.02;
/** Audio this long after the end of the video, with silence before it, is left out, seconds. */
const maxTailSeconds = 10;
/** Audio that continues for longer than this after the end of the video is cut off there, seconds. */
export const maxOverhangSeconds = 600;
/** Silence that is put into gaps: so many seconds, and so many times the audio there is. What lies behind a longer gap is left out. */
const maxSilenceSeconds = 600;
const maxSilenceRatio = 10;

export type AudioTrack = Disposable & {
  encoder: Encoder;
  /** Frames of the input as encoded packets; null ends it. */
  push(frame: Frame | null): Promise<Packet[]>;
};

/**
 * Encodes audio to AAC on the clock of its video: sample 0 belongs to the first frame. What came before is cut off, gaps and a late
 * start are filled with silence, what overlaps is left out. The encoder counts samples and ignores time stamps, so each
 * sample has to be in its place.
 * @param origin time stamp of the video's first frame, seconds
 * @param duration of the video, seconds
 */
export async function createAudioTrack(stream: Stream, origin: number, duration: number): Promise<AudioTrack> {
  const mono = stream.codecpar.channels === 1;
  const channelLayout = mono ? AV_CHANNEL_LAYOUT_MONO : AV_CHANNEL_LAYOUT_STEREO;
  const encoder = await Encoder.create(FF_ENCODER_AAC, { bitrate: mono ? '96k' : '160k' });
  const filter = FilterAPI.create(
    `aresample=${sampleRate},aformat=sample_fmts=fltp:sample_rates=${sampleRate}:channel_layouts=${mono ? 'mono' : 'stereo'}`,
  );
  /** Samples written, and how many of them are silence; samples of audio that were read. */
  let position = 0;
  let silentSamples = 0;
  let inputSamples = 0;

  const encode = (frame: Frame) => {
    position += frame.nbSamples;
    return encoder.encodeAll(frame);
  };

  async function encodeSilence(samples: number): Promise<Packet[]> {
    const packets: Packet[] = [];
    for (let left = samples; left > 0; left -= sampleRate) {
      const planes = (mono ? [0] : [0, 1]).map(() => Buffer.alloc(4 * Math.min(left, sampleRate)));
      using frame = toAudioFrame(channelLayout, planes);
      packets.push(...(await encode(frame)));
    }
    return packets;
  }

  async function placeFrame(frame: Frame): Promise<Packet[]> {
    const stamp = toSeconds(frame.pts, frame);
    const start = stamp === undefined ? position : Math.round((stamp - origin) * sampleRate);
    const early = position - start;
    inputSamples += frame.nbSamples;
    if (early >= frame.nbSamples || start > (duration + maxOverhangSeconds) * sampleRate) return [];
    if (position > 0 && Math.abs(early) <= tolerance * sampleRate) return encode(frame);
    if (early > 0) {
      using rest = toAudioFrame(
        channelLayout,
        (frame.extendedData ?? []).map((plane) => plane.subarray(4 * early, 4 * frame.nbSamples)),
      );
      return await encode(rest);
    }
    if (early < 0 && start > (duration + maxTailSeconds) * sampleRate) return [];
    // A gap is what time stamps claim: a small file must not make hours of silence.
    if (silentSamples - early > maxSilenceSeconds * sampleRate + maxSilenceRatio * inputSamples) return [];
    silentSamples -= early;
    return [...(await encodeSilence(-early)), ...(await encode(frame))];
  }

  return {
    encoder,
    async push(frame) {
      const packets: Packet[] = [];
      const frames = frame ? filter.processAllSync(frame) : await filter.processAll(null);
      for (using converted of frames) packets.push(...(await placeFrame(converted)));
      if (!frame && encoder.isEncoderInitialized) {
        // What does not fill a frame of the encoder would be lost.
        packets.push(...(await encodeSilence(1023)), ...(await encoder.encodeAll(null)));
      }
      return packets;
    },
    [Symbol.dispose]() {
      filter[Symbol.dispose]();
      encoder[Symbol.dispose]();
    },
  };
}

/** Planar samples in 32-bit floating point as a frame. */
function toAudioFrame(channelLayout: typeof AV_CHANNEL_LAYOUT_MONO, planes: Buffer[]): Frame {
  return Frame.fromAudioBuffer(Buffer.concat(planes), {
    nbSamples: (planes[0]?.length ?? 0) / 4,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate,
    channelLayout,
    timeBase: { num: 1, den: sampleRate },
    pts: 0n,
  });
}
