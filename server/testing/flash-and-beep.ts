import { Decoder, Demuxer, Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_CHANNEL_LAYOUT_MONO, AV_PIX_FMT_GRAY8, AV_SAMPLE_FMT_FLTP, type FFEncoderCodec } from 'node-av/constants';
import { Frame, type Packet, type Rational } from 'node-av/lib';

/** A video that flashes and beeps at the same moments, to measure how far its sound lies from its picture. */
export type FlashAndBeep = {
  /** Names of FFmpeg's encoders, such as `libx264`; no sound: null. */
  videoCodec: string;
  audioCodec: string | null;
  /** FFmpeg's name of the container, where the ending of the file's name does not say it. */
  format?: string;
  /** When picture and sound begin in the container's clock, seconds. */
  videoStart?: number;
  audioStart?: number;
  /** Seconds of picture. */
  duration?: number;
  fps?: number;
  /** Whether a frame of the picture is there; all unless said. Gaps make the frame rate vary. */
  hasFrame?: (index: number) => boolean;
  /** Whether the packet of sound at a time from the start of the sound, seconds, is there. */
  hasAudioAt?: (time: number) => boolean;
  encoderOptions?: Record<string, string | number>;
  muxerOptions?: Record<string, string | number>;
  /** Filters before the picture's encoder. */
  filters?: string;
};

/** Times of the flashes and beeps from the first frame, seconds, and how long each is. */
export const flashTiming = { times: [0.52, 1.8, 3.2], duration: 0.12 };

const isOn = (time: number): boolean =>
  flashTiming.times.some((start) => time >= start - 1e-6 && time < start + flashTiming.duration - 1e-6);

const size = { width: 176, height: 144 };
const audioSampleRate = 48_000;

/** Draws and encodes it. Moments are counted from `videoStart`, in the sound too. */
export async function makeFlashAndBeep(file: string, options: FlashAndBeep): Promise<void> {
  const {
    videoCodec: picture,
    audioCodec: sound,
    videoStart: pictureStart = 0,
    audioStart: soundStart = 0,
    duration: length = 4,
    fps = 25,
  } = options;
  const {
    format,
    muxerOptions,
    encoderOptions,
    hasFrame = () => true,
    hasAudioAt: hasSoundAt = () => true,
    filters,
  } = options;
  using filter = FilterAPI.create(
    `${filters ? `${filters},` : ''}format=${picture === 'mjpeg' ? 'yuvj420p' : 'yuv420p'}`,
  );
  using encoder = await Encoder.create(picture as FFEncoderCodec, {
    gopSize: 25,
    bitrate: '1M',
    filter,
    autoFormat: true,
    ...(encoderOptions ? { options: encoderOptions } : {}),
  });
  using audioEncoder = sound
    ? await Encoder.create(sound as FFEncoderCodec, { bitrate: '128k', autoResample: true })
    : undefined;
  await using output = await Muxer.open(file, {
    ...(format ? { format } : {}),
    ...(muxerOptions ? { options: muxerOptions } : {}),
  } as Parameters<typeof Muxer.open>[1]);
  const videoStream = output.addStream(encoder);
  const audioStream = audioEncoder ? output.addStream(audioEncoder) : -1;

  async function write(packets: Packet[], to: number, start: number, keep: (time: number) => boolean): Promise<void> {
    for (using packet of packets) {
      const { num, den } = packet.timeBase;
      if (!keep((Number(packet.pts) * num) / den)) continue;
      const shift = BigInt(Math.round((start * den) / num));
      packet.pts += shift;
      packet.dts += shift;
      await output.writePacket(packet, to);
    }
  }
  const always = () => true;
  async function draw(frame: Frame | null): Promise<void> {
    for (using drawn of await filter.processAll(frame)) {
      await write(await encoder.encodeAll(drawn), videoStream, pictureStart, always);
    }
  }

  let soundAt = 0;
  async function beep(until: number): Promise<void> {
    if (!audioEncoder) return;
    for (; soundAt < until * audioSampleRate; soundAt += 960) {
      const samples = Float32Array.from({ length: 960 }, (_, i) => {
        const at = soundAt + i;
        const on = isOn(at / audioSampleRate + soundStart - pictureStart);
        return on ? 0.6 * Math.sin((2 * Math.PI * 1000 * at) / audioSampleRate) : 0;
      });
      using frame = Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
        nbSamples: 960,
        format: AV_SAMPLE_FMT_FLTP,
        sampleRate: audioSampleRate,
        channelLayout: AV_CHANNEL_LAYOUT_MONO,
        timeBase: { num: 1, den: audioSampleRate },
        pts: BigInt(soundAt),
      });
      await write(await audioEncoder.encodeAll(frame), audioStream, soundStart, hasSoundAt);
    }
  }

  const soundLength = length + pictureStart - soundStart;
  for (let i = 0; i < Math.round(length * fps); i++) {
    if (!hasFrame(i)) continue;
    using frame = Frame.fromVideoBuffer(Buffer.alloc(size.width * size.height, isOn(i / fps) ? 235 : 16), {
      ...size,
      format: AV_PIX_FMT_GRAY8,
      timeBase: { num: 1, den: fps },
      pts: BigInt(i),
    });
    frame.duration = 1n;
    await draw(frame);
    await beep(Math.min(soundLength, i / fps + 0.2 + pictureStart - soundStart));
  }
  await draw(null);
  await write(await encoder.encodeAll(null), videoStream, pictureStart, always);
  await beep(soundLength);
  if (audioEncoder) await write(await audioEncoder.encodeAll(null), audioStream, soundStart, hasSoundAt);
}

export type FlashAndBeepTimes = {
  /** Beginnings of what is bright and of what is loud, in the file's clock, seconds. */
  flashes: number[];
  beeps: number[];
  /** Time of the first frame. */
  start: number;
  /** Of the picture, or else of the whole file, as the container states it. */
  duration: number;
};

/** Decodes a file and finds the flashes and beeps in it. */
export async function measureFlashAndBeep(file: string): Promise<FlashAndBeepTimes> {
  await using demuxer = await Demuxer.open(file);
  const video = demuxer.video();
  const audio = demuxer.audio();
  if (!video) throw new Error('There is no picture.');
  using decoder = await Decoder.create(video);
  using audioDecoder = audio && (await Decoder.create(audio));
  using toGrey = FilterAPI.create('scale=8:8:flags=area,format=gray');
  using toMono = FilterAPI.create('aformat=sample_fmts=fltp:channel_layouts=mono');
  const stated = video.duration > 0n ? (Number(video.duration) * video.timeBase.num) / video.timeBase.den : 0;
  const measured: FlashAndBeepTimes = { flashes: [], beeps: [], start: Infinity, duration: stated || demuxer.duration };
  let bright = false;
  let loudUntil = -Infinity;
  const seconds = (stamp: bigint, { num, den }: Rational) => (Number(stamp) * num) / den;
  async function findFlashes(frames: Frame[]): Promise<void> {
    for (using frame of frames) {
      const time = seconds(frame.pts, frame.timeBase);
      measured.start = Math.min(measured.start, time);
      for (using grey of await toGrey.processAll(frame)) {
        const data = grey.toBuffer();
        const now = data.reduce((sum, value) => sum + value, 0) / data.length > 128;
        if (now && !bright) measured.flashes.push(time);
        bright = now;
      }
    }
  }
  async function findBeeps(frames: Frame[]): Promise<void> {
    for (using frame of frames) {
      for (using mono of await toMono.processAll(frame)) {
        const start = seconds(mono.pts, mono.timeBase);
        const bytes = mono.toBuffer();
        for (let i = 0; i < mono.nbSamples; i++) {
          if (Math.abs(bytes.readFloatLE(4 * i)) < 0.15) continue;
          const time = start + i / mono.sampleRate;
          if (time > loudUntil + 0.05) measured.beeps.push(time);
          loudUntil = time;
        }
      }
    }
  }
  for await (using packet of demuxer.packets()) {
    if (packet?.streamIndex === video.index) await findFlashes(await decoder.decodeAll(packet));
    else if (packet && audioDecoder && packet.streamIndex === audio?.index)
      await findBeeps(await audioDecoder.decodeAll(packet));
  }
  await findFlashes(await decoder.decodeAll(null));
  if (audioDecoder) await findBeeps(await audioDecoder.decodeAll(null));
  return measured;
}
