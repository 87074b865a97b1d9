import type { Demuxer } from 'node-av/api';
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_STILL_IMAGE,
  AV_DISPOSITION_TIMED_THUMBNAILS,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants';
import { avGetCodecName, type Stream } from 'node-av/lib';
import { maxFramePixels } from './media-limits.ts';
import { type OpenedMedia, openDemuxer } from './open-demuxer.ts';
import { ProcessorTimeExceededError, withProcessorTimeLimit } from './processor-time-limit.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** How a decoded frame is set upright: mirrored left to right first, then turned clockwise. */
export type Orientation = { mirrored: boolean; rotation: 0 | 90 | 180 | 270 };

/** What the headers of a file with pictures, sound, or both say. */
export type ProbedMedia = AsyncDisposable & {
  demuxer: Demuxer;
  /** The first track of moving pictures. */
  video: Stream | undefined;
  audio: Stream | undefined;
  /** A picture that stands for the file: the cover of a record. */
  cover: Stream | undefined;
  subtitles: Stream[];
  /** Seconds as the container states them; 0 when it does not. */
  duration: number;
  /** Time of the first video frame, or without pictures of the first sound, in the container's clock, seconds. */
  startTime: number;
  /** Codec name of FFmpeg, such as `aac`. */
  audioCodec: string | undefined;
  /** FFmpeg's names of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  container: string;
  majorBrand: string;
  tags: string;
  /** All tags of the container, by the names that FFmpeg gives them. */
  metadata: Record<string, string>;
};

export type ProbedVideo = ProbedMedia & {
  video: Stream;
  orientation: Orientation;
  /** Pixels as displayed: orientation and pixel aspect applied. */
  width: number;
  height: number;
  /** Codec name of FFmpeg, such as `h264`. */
  videoCodec: string;
};

/** How long reading the headers may take, seconds of processor time. Usual ones take less than one. */
const maxHeaderSeconds = 60;

/** Opens a file and reads what its headers say. Throws `UnreadableMediaError`; after a `ProcessorTimeExceededError` the process must end. */
export async function probeMedia(path: string, signal: AbortSignal): Promise<ProbedMedia> {
  // Discontinuities are corrected by the demuxer; an unknown duration comes out as a negative number.
  const opened = await withProcessorTimeLimit(openDemuxer(path, signal), maxHeaderSeconds).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ProcessorTimeExceededError) throw error;
    throw new UnreadableMediaError(
      'unreadable_media',
      'This file cannot be read as a video or as sound. It may be damaged or cut off; play it on your computer and export it again.',
      { cause: error },
    );
  });
  try {
    return describeMedia(opened);
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** The same of a file with pictures. Throws `UnreadableMediaError` with `no_picture` for one without. */
export async function probeVideo(path: string, signal: AbortSignal): Promise<ProbedVideo> {
  const probed = await probeMedia(path, signal);
  try {
    return describeVideo(probed);
  } catch (error) {
    await probed[Symbol.asyncDispose]();
    throw error;
  }
}

function describeMedia(opened: OpenedMedia): ProbedMedia {
  const { demuxer } = opened;
  const { streams } = demuxer;
  const ofType = (type: number) => streams.filter(({ codecpar }) => codecpar.codecType === type);
  const video = ofType(AVMEDIA_TYPE_VIDEO).find(isMoving);
  const [audio] = ofType(AVMEDIA_TYPE_AUDIO);
  const first = video ?? audio;
  const ofContainer = demuxer.getFormatContext().metadata?.getAll() ?? {};
  // Ogg has the tags of a recording in its track.
  const metadata = video ? ofContainer : { ...audio?.metadata?.getAll(), ...ofContainer };
  return {
    demuxer,
    video,
    audio,
    cover: ofType(AVMEDIA_TYPE_VIDEO).find((stream) => stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC)),
    subtitles: ofType(AVMEDIA_TYPE_SUBTITLE),
    duration: Number.isFinite(demuxer.duration) ? Math.max(0, demuxer.duration) : 0,
    startTime: (first && toSeconds(first.startTime, first)) ?? 0,
    audioCodec: audio && (avGetCodecName(audio.codecpar.codecId) ?? 'unknown'),
    container: demuxer.formatName,
    majorBrand: metadata['major_brand']?.trim() ?? '',
    tags: tagsOf(metadata),
    metadata,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** What the headers say of the pictures of a file. Throws `UnreadableMediaError`; the file stays open. */
export function describeVideo(probed: ProbedMedia): ProbedVideo {
  const { video } = probed;
  if (!video) {
    throw new UnreadableMediaError('no_picture', 'This file has no pictures.');
  }
  const { width: codedWidth, height: codedHeight } = video.codecpar;
  if (codedWidth < 1 || codedHeight < 1) {
    throw new UnreadableMediaError(
      'unsupported_codec',
      'The video track cannot be decoded here. Convert it to H.264 in MP4 and upload that.',
    );
  }
  if (codedWidth * codedHeight > maxFramePixels) {
    throw new UnreadableMediaError(
      'too_large',
      'The frames of this video have more than 67 million pixels. Scale it down and upload that.',
    );
  }
  const orientation = orientationOf(video);
  // As browsers do: one side grows, so that no pixel is lost.
  const aspect = pixelAspectOf(video);
  const wide = Math.round(codedWidth * Math.max(1, aspect));
  const high = Math.round(codedHeight * Math.max(1, 1 / aspect));
  const upright = orientation.rotation % 180 === 0;
  return {
    ...probed,
    video,
    orientation,
    width: upright ? wide : high,
    height: upright ? high : wide,
    videoCodec: avGetCodecName(video.codecpar.codecId) ?? 'unknown',
  };
}

/** Cover art and preview images are video streams too. */
const isMoving = (stream: Stream): boolean =>
  !stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC) &&
  !stream.hasDisposition(AV_DISPOSITION_TIMED_THUMBNAILS) &&
  !stream.hasDisposition(AV_DISPOSITION_STILL_IMAGE);

/** A time stamp of a stream in seconds, or undefined when the file has none there. */
export function toSeconds(timestamp: bigint, { timeBase }: Pick<Stream, 'timeBase'>): number | undefined {
  const none = -(2n ** 63n);
  return timestamp === none || timeBase.den === 0 ? undefined : (Number(timestamp) * timeBase.num) / timeBase.den;
}

/**
 * Reads the display matrix (ISO/IEC 14496-12, 8.5.2.3): nine 32-bit fixed-point numbers, of which the first two rows say where the
 * image's right and its bottom point to.
 */
function orientationOf(stream: Stream): Orientation {
  const matrix = stream.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
  if (!matrix || matrix.length < 36) return { mirrored: false, rotation: 0 };
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => matrix.readInt32LE(at)) as [number, number, number, number];
  const mirrored = a * d - b * c < 0;
  const sign = mirrored ? -1 : 1;
  const degrees = (Math.atan2(sign * b, sign * a) * 180) / Math.PI;
  const rotation = ((((Math.round(degrees / 90) * 90) % 360) + 360) % 360) as Orientation['rotation'];
  return { mirrored, rotation };
}

/** Width of a pixel relative to its height: what the container says counts more than what the codec does. Nonsense counts as square. */
function pixelAspectOf({ sampleAspectRatio, codecpar }: Stream): number {
  const { num, den } = sampleAspectRatio.num > 0 ? sampleAspectRatio : codecpar.sampleAspectRatio;
  const aspect = den > 0 ? num / den : 0;
  return aspect > 0.1 && aspect < 10 ? aspect : 1;
}

const indexedTags = new Set([
  'title',
  'artist',
  'album_artist',
  'composer',
  'album',
  'show',
  'genre',
  'keywords',
  'description',
  'synopsis',
  'comment',
]);

/** A longer tag is cut, characters. */
const maxTagLength = 10_000;

const tagsOf = (metadata: Record<string, string>): string =>
  Object.entries(metadata)
    .filter(([name]) => indexedTags.has(name.toLowerCase()) || /^lyrics\b/i.test(name))
    .map(([, value]) => value.slice(0, maxTagLength).trim())
    .filter((value) => value !== '')
    .join('\n');
