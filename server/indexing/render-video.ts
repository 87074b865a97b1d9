import path from 'node:path';
import { Decoder, type Demuxer, Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P, FF_ENCODER_AAC, FF_ENCODER_LIBX264 } from 'node-av/constants';
import type { Frame, Packet, Stream } from 'node-av/lib';
import { type IndexedMedia, UnreadableMediaError } from './indexed-media.ts';
import { openDemuxer } from './open-demuxer.ts';
import { type ProbedVideo, secondsOf } from './probe-video.ts';
import { fit, turn } from './sample-video.ts';

/**
 * Makes the rendition and tells how far it is (0..1).
 * @param duration of the video, seconds
 */
type Render = (
  outputDirectory: string,
  duration: number,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
) => Promise<IndexedMedia['rendition']>;

const renditionFile = 'playback.mp4';
const longestSide = 1280;

/** Whether H.264 here is of the kind that every browser decodes: 8 bits, 4:2:0. */
const isPlainH264 = ({ videoCodec, video }: ProbedVideo): boolean =>
  videoCodec === 'h264' && [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P].some((format) => format === video.codecpar.format);

const isIn = (codec: string | undefined, codecs: string[]): boolean => codec === undefined || codecs.includes(codec);

/** Whether Chromium, Firefox and Safari play the file as it is. */
function isPlayable(probed: ProbedVideo, mimeType: string): boolean {
  const { videoCodec, audioCodec, majorBrand } = probed;
  if (mimeType === 'video/webm') {
    return isIn(videoCodec, ['vp8', 'vp9', 'av1']) && isIn(audioCodec, ['opus', 'vorbis']);
  }
  return mimeType === 'video/mp4' && majorBrand !== 'qt' && isPlainH264(probed) && isIn(audioCodec, ['aac', 'mp3']);
}

/** Whether the streams may stay as they are and only the container has to change. */
const isRemuxable = (probed: ProbedVideo): boolean =>
  isPlainH264(probed) && isIn(probed.audioCodec, ['aac', 'mp3']) && /^(mov|matroska|mpegts)/.test(probed.container);

/** What has to be done so that a browser plays the video: null when nothing, else the work, to be called later. */
export function renderVideo(source: string, probed: ProbedVideo, mimeType: string): Render | null {
  if (isPlayable(probed, mimeType)) return null;
  return async (outputDirectory, duration, signal, onProgress) => {
    const target = path.join(outputDirectory, renditionFile);
    const ways = [
      ...(isRemuxable(probed) ? [() => remux(source, target, signal)] : []),
      ...(probed.audio ? [() => transcode(source, target, probed, true, duration, signal, onProgress)] : []),
      () => transcode(source, target, probed, false, duration, signal, onProgress),
    ];
    // Sound that does not decode must not sink the picture, so the last way goes without.
    let failure: unknown;
    for (const way of ways) {
      try {
        await way();
        return { file: renditionFile, mimeType: 'video/mp4' };
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
      }
    }
    throw new UnreadableMediaError(
      'unsupported_codec',
      'No version of this video that browsers play could be made. Convert it to H.264 in MP4 and upload that.',
      { cause: failure },
    );
  };
}

const openTarget = (target: string, input: Demuxer) =>
  // The index goes to the front, so that playing starts before all has arrived.
  Muxer.open(target, { input, format: 'mp4', options: { movflags: '+faststart' } });

async function remux(source: string, target: string, signal: AbortSignal): Promise<void> {
  await using opened = await openDemuxer(source, signal);
  const input = opened.demuxer;
  await using output = await openTarget(target, input);
  const streams = [input.video(), input.audio()].filter((stream): stream is Stream => stream !== undefined);
  const places = new Map<number, number>(streams.map((stream) => [stream.index, output.addStream(stream)]));
  for await (using packet of input.packets()) {
    signal.throwIfAborted();
    const place = packet ? places.get(packet.streamIndex) : undefined;
    if (packet && place !== undefined) await output.writePacket(packet, place);
  }
}

async function transcode(
  source: string,
  target: string,
  { video, rotation, width, height }: ProbedVideo,
  withSound: boolean,
  duration: number,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<void> {
  await using opened = await openDemuxer(source, signal);
  const input = opened.demuxer;
  const picture = input.getStream(video.index);
  const sound = withSound ? input.audio() : undefined;
  if (!picture) throw new Error('The video track is gone.');
  const size = fit({ width, height }, longestSide);
  const even = (pixels: number) => Math.max(2, pixels - (pixels % 2));
  using decoder = await Decoder.create(picture, { exitOnError: false, signal });
  using filter = FilterAPI.create(
    `${turn(rotation)}scale=${even(size.width)}:${even(size.height)}:flags=bicubic,setsar=1,format=yuv420p`,
  );
  using encoder = await Encoder.create(FF_ENCODER_LIBX264, {
    decoder,
    filter,
    gopSize: 60,
    options: { preset: 'veryfast', crf: 23 },
  });
  using soundDecoder = sound ? await Decoder.create(sound, { exitOnError: false, signal }) : undefined;
  using soundEncoder = soundDecoder
    ? await Encoder.create(FF_ENCODER_AAC, { decoder: soundDecoder, bitrate: '128k', autoResample: true })
    : undefined;
  await using output = await openTarget(target, input);
  const picturePlace = output.addStream(encoder, { inputStream: picture });
  const soundPlace = soundEncoder && sound ? output.addStream(soundEncoder, { inputStream: sound }) : -1;

  async function write(packets: Packet[], place: number): Promise<void> {
    for (using packet of packets) await output.writePacket(packet, place);
  }
  async function encodePicture(frames: (Frame | null)[]): Promise<void> {
    for (using frame of frames) {
      for (using turned of await filter.processAll(frame)) await write(await encoder.encodeAll(turned), picturePlace);
    }
  }

  for await (using packet of input.packets()) {
    signal.throwIfAborted();
    if (!packet) continue;
    if (packet.streamIndex === picture.index) {
      await encodePicture(await decoder.decodeAll(packet));
      const at = secondsOf(packet.pts, picture);
      if (at !== undefined && duration > 0) onProgress(Math.min(1, Math.max(0, at / duration)));
    } else if (soundDecoder && soundEncoder && packet.streamIndex === sound?.index) {
      for (using frame of await soundDecoder.decodeAll(packet))
        await write(await soundEncoder.encodeAll(frame), soundPlace);
    }
  }
  await encodePicture([...(await decoder.decodeAll(null)), null]);
  await write(await encoder.encodeAll(null), picturePlace);
  if (soundDecoder && soundEncoder) {
    for (using frame of await soundDecoder.decodeAll(null))
      await write(await soundEncoder.encodeAll(frame), soundPlace);
    await write(await soundEncoder.encodeAll(null), soundPlace);
  }
}
