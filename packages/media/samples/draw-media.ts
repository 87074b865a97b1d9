import { rm, writeFile } from 'node:fs/promises';
import { Demuxer, Encoder, FilterAPI, Muxer } from 'node-av/api';
import {
  AV_CHANNEL_LAYOUT_5POINT1,
  AV_CHANNEL_LAYOUT_MONO,
  AV_CODEC_ID_MOV_TEXT,
  AV_DISPOSITION_FORCED,
  AV_LOG_FATAL,
  AV_PIX_FMT_RGB24,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  FF_ENCODER_AAC,
  FF_ENCODER_APNG,
  FF_ENCODER_DVVIDEO,
  FF_ENCODER_FLV,
  FF_ENCODER_LIBTHEORA,
  FF_ENCODER_LIBVPX_VP8,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBX264,
  FF_ENCODER_LIBX265,
  FF_ENCODER_MJPEG,
  FF_ENCODER_MPEG1VIDEO,
  FF_ENCODER_MPEG2VIDEO,
  FF_ENCODER_MPEG4,
  FF_ENCODER_PCM_F32LE,
  FF_ENCODER_RV20,
  FF_ENCODER_WMV2,
} from 'node-av/constants';
import { Dictionary, Frame, Log, type Packet } from 'node-av/lib';
import sharp from 'sharp';
import type { RgbImage } from '../rgb-image.ts';

Log.setLevel(AV_LOG_FATAL);

export type Colour = [red: number, green: number, blue: number];

/** The colour at a place of the image (0..1 from the left and the top) at a time of the scene in seconds. */
export type Paint = (x: number, y: number, time: number) => Colour;

export const plain =
  (...colour: Colour): Paint =>
  () =>
    colour;

/** A square of one colour in the middle of another. */
export const square =
  (inner: Colour, outer: Colour): Paint =>
  (x, y) =>
    x > 0.3 && x < 0.7 && y > 0.25 && y < 0.75 ? inner : outer;

/** A checkerboard that moves to the right, `speed` image widths a second. */
export const checkers =
  (speed: number): Paint =>
  (x, y, time) =>
    (Math.floor((x - speed * time) * 8) + Math.floor(y * 5)) % 2 === 0 ? [30, 30, 30] : [220, 220, 220];

export function drawImage(paint: Paint, width = 160, height = 90, time = 0): RgbImage {
  const data = Buffer.alloc(width * height * 3);
  let place = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = paint((x + 0.5) / width, (y + 0.5) / height, time);
      // One by one: `set` with an array takes five times as long.
      data[place++] = colour[0];
      data[place++] = colour[1];
      data[place++] = colour[2];
    }
  }
  return { width, height, data };
}

const encoders = {
  h264: FF_ENCODER_LIBX264,
  hevc: FF_ENCODER_LIBX265,
  vp8: FF_ENCODER_LIBVPX_VP8,
  vp9: FF_ENCODER_LIBVPX_VP9,
  mpeg1: FF_ENCODER_MPEG1VIDEO,
  mpeg2: FF_ENCODER_MPEG2VIDEO,
  mpeg4: FF_ENCODER_MPEG4,
  mjpeg: FF_ENCODER_MJPEG,
  wmv: FF_ENCODER_WMV2,
  flv: FF_ENCODER_FLV,
  theora: FF_ENCODER_LIBTHEORA,
  realvideo: FF_ENCODER_RV20,
  dv: FF_ENCODER_DVVIDEO,
  apng: FF_ENCODER_APNG,
};

const soundEncoders = { aac: FF_ENCODER_AAC, pcm: FF_ENCODER_PCM_F32LE };

/** Formats of pixels that an encoder takes where it is not YUV 4:2:0. */
const pixelFormats: Partial<Record<keyof typeof encoders, string>> = { apng: 'rgb24', mjpeg: 'yuvj420p' };

/** A frame to be encoded; `place` counts ticks of the video's clock from its start. Gaps make the frame rate vary. */
type TimedFrame = { image: RgbImage; pts: number };

type EncodingOptions = {
  width?: number;
  height?: number;
  /** Ticks of the clock a second: frames, where none is left out. */
  fps?: number;
  codec?: keyof typeof encoders;
  /** Bits a second, as FFmpeg writes it. */
  bitrate?: `${number}M`;
  /** Adds a track with a tone, or with these samples: mono, -1..1, 16,000 a second. */
  audio?: boolean | Float32Array;
  /** The samples are of 5.1 channels (left, right, centre, low, left and right behind), one after the other; needs `pcm`. */
  isSurround?: boolean;
  /** `pcm`: floating-point numbers as they are, in Matroska; AAC unless said. */
  audioCodec?: 'aac' | 'pcm';
  /** Adds a track of text; SubRip and SubStation Alpha need Matroska, WebVTT needs WebM, 3GPP timed text needs MP4. */
  subtitles?: Line[];
  /** Adds several of them, each with what its file says of it. */
  subtitleTracks?: SubtitleTrack[];
  /** What the tracks of text are, SubRip unless said. */
  subtitleFormat?: SubtitleFormat;
  /** When the file says that it was recorded, RFC 3339. */
  recordedAt?: string;
  /** What it has in common with the photograph of a Live Photo; needs MOV. */
  contentId?: string;
};

type SubtitleFormat = keyof typeof scripts | 'mov_text';

type Line = { start: number; end: number; text: string };

/** `language`: as ISO 639-2 has it. */
type SubtitleTrack = { lines: Line[]; language?: string; forced?: boolean };

export type VideoOptions = EncodingOptions & { scenes: { paint: Paint; seconds: number }[] };

/** Encodes a drawn video. The ending of the file name chooses the container. */
export async function makeVideo(file: string, { scenes, ...options }: VideoOptions): Promise<void> {
  const { width = 160, height = 90, fps = 25 } = options;
  function* draw(): Generator<TimedFrame> {
    let place = 0;
    for (const { paint, seconds } of scenes) {
      for (let i = 0; i < Math.round(seconds * fps); i++) {
        yield { image: drawImage(paint, width, height, i / fps), pts: place };
        place += 1;
      }
    }
  }
  await encodeVideo(file, draw(), options);
}

/**
 * Encodes frames of the size named in the options, in order of their places. The ending of the file name chooses the container.
 * @public for the benchmarks, which are no part of the product
 */
export async function encodeVideo(file: string, frames: Iterable<TimedFrame>, options: EncodingOptions): Promise<void> {
  const {
    width = 160,
    height = 90,
    fps = 25,
    codec = 'h264',
    bitrate = '1M',
    audio = false,
    audioCodec = 'aac',
    isSurround = false,
    subtitles,
    subtitleTracks = subtitles ? [{ lines: subtitles }] : [],
    subtitleFormat = 'srt',
    recordedAt,
    contentId,
  } = options;
  // MXF takes frames at a stated rate only.
  const rate = file.endsWith('.mxf') ? `,fps=${fps}` : '';
  using toPlanar = FilterAPI.create(`format=${pixelFormats[codec] ?? 'yuv420p'}${rate}`);
  // Several threads wait busily for each other, which takes more than encoding pictures so small.
  using encoder = await Encoder.create(encoders[codec], {
    gopSize: 50,
    bitrate,
    filter: toPlanar,
    options: { threads: 1 },
  });
  using audioEncoder = audio ? await Encoder.create(soundEncoders[audioCodec], { bitrate: '64k' }) : undefined;
  await using output = await Muxer.open(file, {
    configure: (context) => {
      if (recordedAt) context.metadata = Dictionary.fromObject({ creation_time: recordedAt });
      if (contentId) context.metadata = Dictionary.fromObject({ 'com.apple.quicktime.content.identifier': contentId });
    },
    ...(contentId ? { options: { movflags: 'use_metadata_tags' } } : {}),
  });
  const place = output.addStream(encoder);
  const audioPlace = audioEncoder ? output.addStream(audioEncoder) : -1;
  await using texts = await addSubtitles(output, file, subtitleTracks, subtitleFormat);

  let end = 0;
  async function encode(frame: Frame | null): Promise<void> {
    for (using planar of await toPlanar.processAll(frame)) {
      for (using packet of await encoder.encodeAll(planar)) await output.writePacket(packet, place);
    }
  }
  for (const drawn of frames) {
    using frame = Frame.fromVideoBuffer(drawn.image.data as Buffer, {
      width,
      height,
      format: AV_PIX_FMT_RGB24,
      timeBase: { num: 1, den: fps },
      pts: BigInt(drawn.pts),
    });
    await encode(frame);
    end = drawn.pts + 1;
  }
  await encode(null);
  for (using packet of await encoder.encodeAll(null)) await output.writePacket(packet, place);
  if (audioEncoder) {
    const sound = audio instanceof Float32Array ? { sampleRate: 16_000, samples: audio } : drawTone(end / fps);
    await writeSound(audioEncoder, output, audioPlace, { ...sound, isPlanar: audioCodec === 'aac', isSurround });
  }
  await texts.write();
}

/** Adds tracks of text to a file, which holds its lines once they are written. */
async function addSubtitles(output: Muxer, file: string, tracks: SubtitleTrack[], format: SubtitleFormat) {
  const opened: { demuxer: Demuxer; place: number }[] = [];
  for (const { lines, language, forced = false } of tracks) {
    const demuxer = await openSubtitles(file, lines, format);
    const stream = demuxer.streams[0];
    if (!stream) throw new Error('The script of a track holds no lines.');
    if (format === 'mov_text') stream.codecpar.codecId = AV_CODEC_ID_MOV_TEXT;
    if (language !== undefined) stream.metadata = Dictionary.fromObject({ language });
    if (forced) stream.setDisposition(AV_DISPOSITION_FORCED);
    opened.push({ demuxer, place: output.addStream(stream) });
  }
  return {
    async write(): Promise<void> {
      for (const { demuxer, place } of opened) {
        for await (using packet of demuxer.packets()) {
          if (!packet) continue;
          if (format === 'mov_text') toTimedText(packet);
          await output.writePacket(packet, place);
        }
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const { demuxer } of opened) await demuxer[Symbol.asyncDispose]();
    },
  };
}

type Sound = { sampleRate: number; samples: Float32Array };

function drawTone(seconds: number): Sound {
  const sampleRate = 44_100;
  const samples = Float32Array.from({ length: seconds * sampleRate }, (_, i) => 0.2 * Math.sin(i * 0.06));
  return { sampleRate, samples };
}

async function writeSound(
  encoder: Encoder,
  output: Muxer,
  place: number,
  { sampleRate, samples, isPlanar, isSurround }: Sound & { isPlanar: boolean; isSurround: boolean },
): Promise<void> {
  const nbSamples = 1024;
  const channels = isSurround ? 6 : 1;
  for (let start = 0; start < samples.length / channels; start += nbSamples) {
    const part = new Float32Array(nbSamples * channels);
    part.set(samples.subarray(start * channels, (start + nbSamples) * channels));
    using frame = Frame.fromAudioBuffer(Buffer.from(part.buffer), {
      nbSamples,
      format: isPlanar ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_FLT,
      sampleRate,
      channelLayout: isSurround ? AV_CHANNEL_LAYOUT_5POINT1 : AV_CHANNEL_LAYOUT_MONO,
      timeBase: { num: 1, den: sampleRate },
      pts: BigInt(start),
    });
    for (using packet of await encoder.encodeAll(frame)) await output.writePacket(packet, place);
  }
  for (using packet of await encoder.encodeAll(null)) await output.writePacket(packet, place);
}

/** `01:02:03.456` */
const formatTimestamp = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 23);

/** Lines as the scripts have them that the tracks are made from. */
const scripts = {
  srt: (lines: Line[]) =>
    lines
      .map(({ start, end, text }, i) =>
        `${i + 1}\n${formatTimestamp(start)} --> ${formatTimestamp(end)}\n${text}\n`.replaceAll(/(?<=:\d\d)\./g, ','),
      )
      .join('\n'),
  vtt: (lines: Line[]) =>
    [
      'WEBVTT\n',
      ...lines.map(({ start, end, text }) => `${formatTimestamp(start)} --> ${formatTimestamp(end)}\n${text}\n`),
    ].join('\n'),
  ass: (lines: Line[]) =>
    [
      '[Script Info]\nScriptType: v4.00+\n\n[Events]',
      'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
      ...lines.map(({ start, end, text }) => {
        const [from, to] = [start, end].map((time) => formatTimestamp(time).slice(1, -1));
        return `Dialogue: 0,${from},${to},Default,,0,0,0,,${text.replaceAll('\n', '\\N')}`;
      }),
    ].join('\n'),
};

/** Makes a line 3GPP timed text: its length in 16 bits goes before it (3GPP TS 26.245). */
function toTimedText(packet: Packet): void {
  const { pts, dts, duration, timeBase, flags, streamIndex } = packet;
  const text = packet.data ?? Buffer.alloc(0);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  packet.data = Buffer.concat([length, text]);
  // New data takes the rest along.
  Object.assign(packet, { pts, dts, duration, timeBase, flags, streamIndex });
}

async function openSubtitles(file: string, lines: Line[], format: SubtitleFormat): Promise<Demuxer> {
  const kind = format === 'mov_text' ? 'srt' : format;
  const script = `${file}.${kind}`;
  await writeFile(script, scripts[kind](lines));
  const demuxer = await Demuxer.open(script);
  // Read by now: so short a file fits the demuxer's buffer.
  await rm(script);
  return demuxer;
}

/** Writes a drawn photograph; the ending of the file name chooses the format. `orientation` is the EXIF value. */
export async function makePhoto(
  file: string,
  paint: Paint,
  { width = 320, height = 200, orientation }: { width?: number; height?: number; orientation?: number } = {},
): Promise<void> {
  const { data } = drawImage(paint, width, height);
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  await (orientation ? image.withMetadata({ orientation }) : image).toFile(file);
}

/** Writes an animated GIF, or WebP by the ending of the file name, of frames that follow each other every 200 ms. */
export async function makeAnimation(file: string, paints: Paint[]): Promise<void> {
  const frames = await Promise.all(
    paints.map((paint) => {
      const { width, height, data } = drawImage(paint, 64, 48);
      return sharp(data, { raw: { width, height, channels: 3 } })
        .png()
        .toBuffer();
    }),
  );
  const image = sharp(frames, { join: { animated: true } });
  const delay = paints.map(() => 200);
  await (file.endsWith('.webp') ? image.webp({ delay }) : image.gif({ delay })).toFile(file);
}
