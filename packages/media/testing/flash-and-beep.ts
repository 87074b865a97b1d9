import { Decoder, Demuxer, Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_CHANNEL_LAYOUT_MONO, AV_PIX_FMT_GRAY8, AV_SAMPLE_FMT_FLTP, type FFEncoderCodec } from 'node-av/constants';
import { Frame, type Packet, type Rational } from 'node-av/lib';

/** A video that flashes and beeps at the same times, to measure the offset between its audio and its video. */
export type FlashAndBeep = {
  /** Names of FFmpeg's encoders, such as `libx264`; no audio: null. */
  videoCodec: string;
  audioCodec: string | null;
  /** FFmpeg's name of the container, where the file's extension does not determine it. */
  format?: string;
  /** Start of video and audio in the container's clock, seconds. */
  videoStart?: number;
  audioStart?: number;
  /** Duration of the video, seconds. */
  duration?: number;
  fps?: number;
  /** Whether a video frame exists; by default all do. Gaps make the frame rate vary. */
  hasFrame?: (index: number) => boolean;
  /** Whether the audio packet at a time from the start of the audio, seconds, exists; by default all do. */
  hasAudioAt?: (time: number) => boolean;
  encoderOptions?: Record<string, string | number>;
  muxerOptions?: Record<string, string | number>;
  /** Filters before the video encoder. */
  filters?: string;
};

/** Times of the flashes and beeps from the first frame, seconds, and how long each is. */
export const flashTiming = { times: [0.52, 1.8, 2.2], duration: 0.12 };

/** Duration of a file unless said, seconds. */
export const usualDuration = 2.6;

const isOn = (time: number): boolean =>
  flashTiming.times.some((start) => time >= start - 1e-6 && time < start + flashTiming.duration - 1e-6);

/** What takes an encoder longest is which of many ways saves most bits: of small grey pictures any does. */
const quickly: Record<string, Record<string, string | number>> = {
  'libvpx-vp9': { deadline: 'realtime', 'cpu-used': 8 },
  libsvtav1: { preset: 12 },
};

const size = { width: 176, height: 144 };
const audioSampleRate = 48_000;

/** Draws and encodes the file. Times count from `videoStart`, those of the audio too. */
export async function makeFlashAndBeep(file: string, options: FlashAndBeep): Promise<void> {
  const { videoCodec, audioCodec, videoStart = 0, audioStart = 0, duration = usualDuration, fps = 25 } = options;
  using filter = FilterAPI.create(
    `${options.filters ? `${options.filters},` : ''}format=${videoCodec === 'mjpeg' ? 'yuvj420p' : 'yuv420p'}`,
  );
  using encoder = await Encoder.create(videoCodec as FFEncoderCodec, {
    gopSize: 25,
    bitrate: '1M',
    filter,
    autoFormat: true,
    // Threads of an encoder wait busily for each other, which is most of the processor time of pictures so small.
    options: { threads: 1, ...quickly[videoCodec], ...options.encoderOptions },
  });
  using audioEncoder = audioCodec
    ? await Encoder.create(audioCodec as FFEncoderCodec, { bitrate: '128k', autoResample: true })
    : undefined;
  await using output = await Muxer.open(file, {
    ...(options.format ? { format: options.format } : {}),
    ...(options.muxerOptions ? { options: options.muxerOptions } : {}),
  } as Parameters<typeof Muxer.open>[1]);
  const video = createVideoWriter(filter, encoder, createPacketWriter(output, output.addStream(encoder), videoStart));
  const audio = audioEncoder
    ? createAudioWriter(
        audioEncoder,
        createPacketWriter(output, output.addStream(audioEncoder), audioStart, options.hasAudioAt),
        audioStart - videoStart,
      )
    : undefined;

  const audioDuration = duration + videoStart - audioStart;
  for (let i = 0; i < Math.round(duration * fps); i++) {
    if (options.hasFrame && !options.hasFrame(i)) continue;
    await video.write(i, fps);
    await audio?.writeUntil(Math.min(audioDuration, i / fps + 0.2 + videoStart - audioStart));
  }
  await video.end();
  await audio?.writeUntil(audioDuration);
  await audio?.end();
}

type PacketWriter = (packets: Packet[]) => Promise<void>;

/** Writes packets to a stream that begins at `start`, seconds. Packets for whose time `hasPacketAt` is false are left out. */
function createPacketWriter(
  output: Muxer,
  stream: number,
  start: number,
  hasPacketAt: (time: number) => boolean = () => true,
): PacketWriter {
  return async (packets) => {
    for (using packet of packets) {
      const { num, den } = packet.timeBase;
      if (!hasPacketAt((Number(packet.pts) * num) / den)) continue;
      const shift = BigInt(Math.round((start * den) / num));
      packet.pts += shift;
      packet.dts += shift;
      await output.writePacket(packet, stream);
    }
  };
}

/** Encodes frames that are bright during a flash and dark otherwise. */
function createVideoWriter(filter: FilterAPI, encoder: Encoder, writePackets: PacketWriter) {
  async function encode(frame: Frame | null): Promise<void> {
    for (using filtered of await filter.processAll(frame)) await writePackets(await encoder.encodeAll(filtered));
  }
  return {
    async write(index: number, fps: number): Promise<void> {
      using frame = Frame.fromVideoBuffer(Buffer.alloc(size.width * size.height, isOn(index / fps) ? 235 : 16), {
        ...size,
        format: AV_PIX_FMT_GRAY8,
        timeBase: { num: 1, den: fps },
        pts: BigInt(index),
      });
      frame.duration = 1n;
      await encode(frame);
    },
    async end(): Promise<void> {
      await encode(null);
      await writePackets(await encoder.encodeAll(null));
    },
  };
}

/** Encodes audio that beeps at the times of the flashes. `offset`: start of the audio from the first frame, seconds. */
function createAudioWriter(encoder: Encoder, writePackets: PacketWriter, offset: number) {
  const samplesPerFrame = 960;
  let position = 0;
  function drawSamples(): Float32Array {
    return Float32Array.from({ length: samplesPerFrame }, (_, i) => {
      const at = position + i;
      return isOn(at / audioSampleRate + offset) ? 0.6 * Math.sin((2 * Math.PI * 1000 * at) / audioSampleRate) : 0;
    });
  }
  return {
    /** Writes frames up to a time from the start of the audio, seconds. */
    async writeUntil(time: number): Promise<void> {
      for (; position < time * audioSampleRate; position += samplesPerFrame) {
        using frame = Frame.fromAudioBuffer(Buffer.from(drawSamples().buffer), {
          nbSamples: samplesPerFrame,
          format: AV_SAMPLE_FMT_FLTP,
          sampleRate: audioSampleRate,
          channelLayout: AV_CHANNEL_LAYOUT_MONO,
          timeBase: { num: 1, den: audioSampleRate },
          pts: BigInt(position),
        });
        await writePackets(await encoder.encodeAll(frame));
      }
    },
    async end(): Promise<void> {
      await writePackets(await encoder.encodeAll(null));
    },
  };
}

export type FlashAndBeepTimes = {
  /** Times at which the video becomes bright and the audio loud, in the file's clock, seconds. */
  flashes: number[];
  beeps: number[];
  /** Time of the first frame. */
  start: number;
  /** Duration of the video stream, or else of the whole file, as the container states it, seconds. */
  duration: number;
};

/** Decodes a file and finds the flashes and beeps in it. */
export async function measureFlashAndBeep(file: string): Promise<FlashAndBeepTimes> {
  await using demuxer = await Demuxer.open(file);
  const video = demuxer.video();
  const audio = demuxer.audio();
  if (!video) throw new Error('There is no video stream.');
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
        // Each of these asks the native frame.
        const { nbSamples, sampleRate } = mono;
        for (let i = 0; i < nbSamples; i++) {
          if (Math.abs(bytes.readFloatLE(4 * i)) < 0.15) continue;
          const time = start + i / sampleRate;
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
