import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Encoder, FilterAPI, Muxer } from 'node-av/api';
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_LOG_FATAL,
  AV_SAMPLE_FMT_FLT,
  FF_ENCODER_AAC,
  FF_ENCODER_FLAC,
  FF_ENCODER_LIBMP3LAME,
  FF_ENCODER_LIBOPUS,
  FF_ENCODER_PCM_S16BE,
  FF_ENCODER_PCM_S16LE,
} from 'node-av/constants';
import { Dictionary, Frame, Log } from 'node-av/lib';

Log.setLevel(AV_LOG_FATAL);

/** How the sound of each ending is encoded, and the format of samples that its encoder takes. */
const codecs = {
  '.mp3': [FF_ENCODER_LIBMP3LAME, 's16p'],
  '.m4a': [FF_ENCODER_AAC, 'fltp'],
  '.mp4': [FF_ENCODER_AAC, 'fltp'],
  '.wav': [FF_ENCODER_PCM_S16LE, 's16'],
  '.aiff': [FF_ENCODER_PCM_S16BE, 's16'],
  '.flac': [FF_ENCODER_FLAC, 's16'],
  '.ogg': [FF_ENCODER_LIBOPUS, 'flt'],
} as const;

/** Samples a second. */
const rate = 48_000;

export type RecordingOptions = {
  /** Mono, -1..1, 48,000 a second. */
  samples: Float32Array;
  /** Tags by the names that FFmpeg gives them, such as `title`. */
  tags?: Record<string, string>;
  /** A picture to stand for it, JPEG; of `.mp3` only. */
  cover?: Buffer;
};

/** Samples of a tone that is as loud as `loudness` says at each time in seconds, 0..1. */
export const drawSound = (seconds: number, loudness: (time: number) => number): Float32Array =>
  Float32Array.from({ length: Math.round(seconds * rate) }, (_, i) => loudness(i / rate) * Math.sin(i * 0.06));

/** Writes a recording without pictures. The ending of the file name chooses its form. */
export async function makeRecording(file: string, { samples, tags, cover }: RecordingOptions): Promise<void> {
  const [codec, format] = codecs[path.extname(file) as keyof typeof codecs];
  {
    using filter = FilterAPI.create(`aformat=sample_fmts=${format}:sample_rates=${rate}:channel_layouts=mono`);
    using encoder = await Encoder.create(codec, { bitrate: '64k', filter });
    await using output = await Muxer.open(file, {
      ...(file.endsWith('.m4a') ? { format: 'ipod' } : {}),
      configure: (context) => {
        if (tags) context.metadata = Dictionary.fromObject(tags);
      },
    });
    const place = output.addStream(encoder);
    const step = 960;
    for (let at = 0; at < samples.length; at += step) {
      const part = samples.slice(at, at + step);
      using frame = Frame.fromAudioBuffer(Buffer.from(part.buffer), {
        nbSamples: part.length,
        format: AV_SAMPLE_FMT_FLT,
        sampleRate: rate,
        channelLayout: AV_CHANNEL_LAYOUT_MONO,
        timeBase: { num: 1, den: rate },
        pts: BigInt(at),
      });
      for (using converted of await filter.processAll(frame)) {
        for (using packet of await encoder.encodeAll(converted)) await output.writePacket(packet, place);
      }
    }
    for (using converted of await filter.processAll(null)) {
      for (using packet of await encoder.encodeAll(converted)) await output.writePacket(packet, place);
    }
    for (using packet of await encoder.encodeAll(null)) await output.writePacket(packet, place);
  }
  if (cover) await writeFile(file, Buffer.concat([drawCover(cover), await readFile(file)]));
}

/** A tag of ID3v2.3 that holds a picture of the front cover (id3.org, ID3v2.3.0, 4.15). */
function drawCover(picture: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('\0image/jpeg\0\u0003\0', 'latin1'), picture]);
  const frame = Buffer.concat([Buffer.from('APIC'), Buffer.alloc(4), Buffer.alloc(2), body]);
  frame.writeUInt32BE(body.length, 4);
  const head = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1');
  // Seven bits of each byte count.
  for (let i = 0; i < 4; i++) head[6 + i] = (frame.length >> (7 * (3 - i))) & 0x7f;
  return Buffer.concat([head, frame]);
}
