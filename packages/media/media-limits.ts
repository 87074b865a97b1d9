import { UnreadableMediaError } from './unreadable-media-error.ts';

/** How much of one video is read. What is read counts, because headers may claim anything. */
export type MediaLimits = {
  /** From its first frame to the end of its last. */
  maxSeconds: number;
  maxFrames: number;
};

/** Frames of an animated image: GIF, WebP and PNG decode much slower than video of the same content. */
const maxAnimationFrames = 10_000;

/** The longest animation that is written, seconds. */
export const maxAnimationSeconds = 15;

/**
 * Pixels of all frames of an animated image together: 10,000 frames of a million each. A frame takes a few bytes where little of it
 * changes, but is decoded as a whole.
 */
const maxAnimationPixels = 10_000_000_000;

/**
 * Pixels of all frames of a video together: half an hour of 4K at 60 a second whatever its size, and 20,000 more for each byte, which
 * is a still screen at 25 kbit/s in 1080p. Frames of a few bytes that repeat the one before cost as much to decode as others.
 */
const baseVideoPixels = 1_000_000_000_000;
const videoPixelsPerByte = 20_000;

/** Pixels of one frame of a video: twice those of 8K. A decoder holds many frames at once. */
export const maxFramePixels = 67_108_864;

/**
 * Processor time for indexing one file: two minutes whatever its size, and 100 seconds more for each megabyte. An hour of slides, with a
 * picture to embed every five seconds, takes a third of it; a film takes a hundredth.
 */
const baseProcessorSeconds = 120;
const processorSecondsPerByte = 100e-6;

/** Sound of one file: two hours whatever its size, and as much as 4 kbit a second make of its bytes, less than any speech needs. */
const baseSoundSeconds = 7200;
const soundSecondsPerByte = 8 / 4000;

/** Bytes of text that are kept of one item: subtitles of a hundred films. */
export const maxSubtitleLength = 2 ** 24;

/**
 * The limits for a file of a type. Animated images are read as videos.
 * @param file pixels of one of its frames, and its size in bytes
 */
export function limitsFor(
  mimeType: string,
  { framePixels, bytes }: { framePixels: number; bytes: number },
  { maxSeconds: seconds, maxFrames: frames }: MediaLimits,
): MediaLimits {
  const most = mimeType.startsWith('image/')
    ? Math.min(maxAnimationFrames, maxAnimationPixels / framePixels)
    : (baseVideoPixels + videoPixelsPerByte * bytes) / framePixels;
  return { maxSeconds: seconds, maxFrames: Math.min(frames, Math.floor(most)) };
}

/** How much processor time indexing a file of that many bytes may take, seconds. */
export const processorSecondsFor = (bytes: number): number => baseProcessorSeconds + processorSecondsPerByte * bytes;

/** Up to where the sound of a file of that many bytes is read, seconds from its first frame. What comes after is silence. */
export const soundSecondsFor = (bytes: number): number => baseSoundSeconds + soundSecondsPerByte * bytes;

/** The error of a file that would take more than that. */
export const tooMuchWork = (): UnreadableMediaError =>
  new UnreadableMediaError(
    'too_large',
    'Reading this file takes far more work than its size allows: it holds very much that shows and sounds the same. Export it as a usual video, or cut it into parts.',
  );

/** Throws `UnreadableMediaError` when a video or a recording lasts longer than is allowed. */
export function checkDuration(seconds: number, { maxSeconds: most }: MediaLimits): void {
  if (seconds <= most) return;
  const length = most >= 7200 ? `${Math.round(most / 3600)} hours` : `${most} seconds`;
  throw new UnreadableMediaError(
    'too_large',
    `This file lasts longer than ${length}, or says so by wrong time stamps. Cut it into shorter parts and upload those.`,
  );
}

/** Throws `UnreadableMediaError` when a video has more frames than are allowed. */
export function checkFrameCount(frames: number, { maxFrames: most }: MediaLimits): void {
  if (frames <= most) return;
  throw new UnreadableMediaError(
    'too_large',
    `This file has more than ${most.toLocaleString('en')} frames, too many for its type and size. Export it as a smaller video with fewer frames, or cut it into parts.`,
  );
}
