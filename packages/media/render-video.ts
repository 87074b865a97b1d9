import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Muxer } from 'node-av/api';
import { AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P, AV_PKT_FLAG_CORRUPT } from 'node-av/constants';
import type { Stream } from 'node-av/lib';
import { maxOverhangSeconds } from './audio-track.ts';
import { encodeAudioTrack, encodeVideoTrack, type Track } from './encode-tracks.ts';
import { createFrameClock, nominalFrameDuration } from './frame-clock.ts';
import { isMachineError } from './machine-error.ts';
import { soundSecondsFor } from './media-limits.ts';
import { openDemuxer } from './open-demuxer.ts';
import { type ProbedVideo, toSeconds } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';
import type { ObservedVideo } from './read-video.ts';
import { previewFile } from './rendition-names.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** What becomes of each track. */
type RenditionPlan = {
  container: 'mp4' | 'webm';
  video: 'copy' | 'encode';
  audio: 'copy' | 'encode' | 'none';
  /** Whether it is smaller than what is to be watched. */
  isPreview?: true;
};

const maxSide = 1280;
/** Of a preview, which plays while the original is away. */
const maxPreviewSide = 640;
/** On x264's scale, where 23 is the default and lower is better. */
const quality = 23;

/**
 * Writes a rendition whose time 0 is the first frame, whatever the clock of the source.
 * @param target absolute path, in a folder that exists
 * @param onProgress is given the share that is done, 0..1
 */
async function writeRendition(
  target: string,
  { container, video: videoMode, audio: audioMode, isPreview }: RenditionPlan,
  input: { source: string; probed: ProbedVideo; observed: ObservedVideo },
  reading: Reading,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { probed, observed } = input;
  const until = Math.min(observed.duration + maxOverhangSeconds, soundSecondsFor((await stat(input.source)).size));
  await using opened = await openDemuxer(input.source, reading.signal);
  const { demuxer } = opened;
  // The index goes to the front, so that playing starts before all has arrived.
  await using output = await Muxer.open(
    // As a URL, because for a path the folder is created: that of an item which is deleted meanwhile would be there again.
    `file://${target}`,
    // Written in the background, a packet that cannot be written would end the process.
    container === 'mp4'
      ? { format: 'mp4', options: { movflags: '+faststart' }, useAsyncWrite: false }
      : { format: 'webm', useAsyncWrite: false },
  );
  const streamOf = ({ index }: Stream) => demuxer.getStream(index) ?? fail('A track is gone.');
  const source = { ...probed, video: streamOf(probed.video) };
  const clock = createFrameClock(source);
  using videoTrack =
    videoMode === 'copy'
      ? copyTrack(output, source.video, observed.origin)
      : await encodeVideoTrack(
          output,
          source,
          { maxSide: isPreview ? maxPreviewSide : maxSide, quality, place: (frame) => clock.advance(frame) },
          reading.signal,
        );
  using audioTrack =
    audioMode === 'none' || !probed.audio
      ? undefined
      : audioMode === 'copy'
        ? copyTrack(output, streamOf(probed.audio), observed.origin)
        : await encodeAudioTrack(output, streamOf(probed.audio), { ...observed, until }, reading.signal);
  const tracks: Track[] = audioTrack ? [videoTrack, audioTrack] : [videoTrack];
  for await (using packet of readPackets(demuxer, reading)) {
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

/** A file that browsers play, by its name within the output directory. */
type Rendition = { file: string; mimeType: string };

/** From this share of interlaced frames on a video counts as interlaced; encoders mark single progressive ones too. */
const minInterlacedShare = 0.1;

const isIn = (codec: string | undefined, codecs: string[]): boolean => codec === undefined || codecs.includes(codec);

/** Whether H.264 here is of the kind that every browser decodes: 8 bits, 4:2:0. */
const isPlainH264 = ({ videoCodec, video }: ProbedVideo): boolean =>
  videoCodec === 'h264' && [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P].some((format) => format === video.codecpar.format);

const hasMp4Audio = ({ audioCodec }: ProbedVideo): boolean => isIn(audioCodec, ['aac', 'mp3']);

/** The container that the file would play in as it is in Chromium, Firefox and Safari, by its headers. */
function browserContainerOf(probed: ProbedVideo, mimeType: string): RenditionPlan['container'] | null {
  const { videoCodec, audioCodec, majorBrand } = probed;
  if (mimeType === 'video/webm') {
    return isIn(videoCodec, ['vp8', 'vp9', 'av1']) && isIn(audioCodec, ['opus', 'vorbis']) ? 'webm' : null;
  }
  return mimeType === 'video/mp4' && majorBrand !== 'qt' && isPlainH264(probed) && hasMp4Audio(probed) ? 'mp4' : null;
}

/** Whether the headers already say that browsers cannot play the file as it is. */
export const needsRendition = (probed: ProbedVideo, mimeType: string): boolean =>
  browserContainerOf(probed, mimeType) === null;

/** What has to be done so that a browser plays the video on its item's clock: null when nothing. */
function planRendition(
  { probed, observed, truncated }: { probed: ProbedVideo; observed: ObservedVideo; truncated: boolean },
  mimeType: string,
): RenditionPlan | null {
  const container = browserContainerOf(probed, mimeType);
  const interlaced = observed.interlacedFrames > minInterlacedShare * observed.frames;
  // A browser gives up a file that is cut off as soon as it comes near its end.
  // Browsers differ in what they make of a timeline that does not begin at 0, and none fills gaps of the audio.
  const onTime = Math.abs(observed.origin) <= nominalFrameDuration(probed) / 2;
  // Some turn but do not mirror; Chromium shows a mirrored video but draws nothing of it.
  const { mirrored } = probed.orientation;
  const plays = !interlaced && !mirrored && !truncated && onTime && !observed.hasAudioGaps;
  if (container && plays) return null;
  const canCopyVideo = !interlaced && !mirrored && !observed.hasHiddenFrames;
  if (container === 'webm' && canCopyVideo && !observed.hasAudioGaps) {
    return { container, video: 'copy', audio: 'copy' };
  }
  // Others do not say enough of their packets.
  const canCopy = /^(mov|matroska|mpegts|flv)/.test(probed.container);
  const canCopyAudio = canCopy && hasMp4Audio(probed) && !observed.hasAudioGaps;
  return {
    container: 'mp4',
    video: canCopy && canCopyVideo && isPlainH264(probed) ? 'copy' : 'encode',
    audio: !probed.audio ? 'none' : canCopyAudio ? 'copy' : 'encode',
  };
}

/**
 * Makes the version of a video that browsers play, where one is needed, or else a preview, where one is wanted. Tracks that browsers play are taken over as they are.
 * Throws `UnreadableMediaError`.
 * @param onProgress is given the share that is done, 0..1
 */
export async function renderVideo({
  mimeType,
  wantsPreview,
  outputDirectory,
  reading,
  onProgress,
  ...input
}: {
  source: string;
  probed: ProbedVideo;
  observed: ObservedVideo;
  /** Whether the file is cut off. */
  truncated: boolean;
  mimeType: string;
  /** Whether a video that browsers play as it is gets a small version. */
  wantsPreview: boolean;
  outputDirectory: string;
  reading: Reading;
  onProgress: (fraction: number) => void;
}): Promise<Rendition | null> {
  const preview: RenditionPlan = {
    container: 'mp4',
    video: 'encode',
    audio: input.probed.audio ? 'encode' : 'none',
    isPreview: true,
  };
  const plan = planRendition(input, mimeType) ?? (wantsPreview ? preview : null);
  if (!plan) return null;
  const isPreview = plan.isPreview ? { isPreview: true as const } : {};
  // Audio that does not decode must not fail the whole rendition, so the last attempt leaves it out.
  const plans: RenditionPlan[] = [
    plan,
    { container: 'mp4', video: 'encode', audio: plan.audio === 'none' ? 'none' : 'encode', ...isPreview },
    { container: 'mp4', video: 'encode', audio: 'none', ...isPreview },
  ];
  let failure: unknown;
  for (const way of plans) {
    const file = way.isPreview ? previewFile : `playback.${way.container}`;
    try {
      await writeRendition(path.join(outputDirectory, file), way, input, reading, onProgress);
      return { file, mimeType: `video/${way.container}` };
    } catch (error) {
      reading.signal.throwIfAborted();
      // A full disk is no reason to leave the audio out.
      if (isMachineError(error)) throw error;
      failure = error;
    }
  }
  throw new UnreadableMediaError(
    'unsupported_codec',
    'No version of this video that browsers play could be made. Convert it to H.264 in MP4 and upload that.',
    { cause: failure },
  );
}
