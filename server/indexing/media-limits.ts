import { type MediaLimits, UnreadableMediaError } from './indexed-media.ts';

/** Pictures of an animated image: GIF, WebP and PNG are decoded much slower than video for what they show. */
const mostAnimationFrames = 10_000;

/**
 * Pixels of all pictures of an animated image together: 10,000 of a million each. A picture takes a few bytes where little of it
 * changes, and is decoded whole all the same.
 */
const mostAnimationPixels = 10_000_000_000;

/** Pixels of one frame of a video: twice those of 8K. A decoder holds many frames at once. */
export const mostFramePixels = 67_108_864;

/** Bytes of text that are kept of one item: subtitles of a hundred films. */
export const mostText = 2 ** 24;

/**
 * The limits for a type of file. Images that move are read as videos.
 * @param framePixels pixels of one frame
 */
export const limitsFor = (mimeType: string, framePixels: number, { seconds, frames }: MediaLimits): MediaLimits => ({
  seconds,
  frames: mimeType.startsWith('image/')
    ? Math.min(frames, mostAnimationFrames, Math.floor(mostAnimationPixels / framePixels))
    : frames,
});

/** Throws `UnreadableMediaError` when a video lasts longer than is allowed. */
export function checkSeconds(seconds: number, { seconds: most }: MediaLimits): void {
  if (seconds <= most) return;
  const length = most >= 7200 ? `${Math.round(most / 3600)} hours` : `${most} seconds`;
  throw new UnreadableMediaError(
    'too_large',
    `This video lasts longer than ${length}, or says so by wrong time stamps. Cut it into shorter parts and upload those.`,
  );
}

/** Throws `UnreadableMediaError` when a video has more frames than are allowed. */
export function checkFrames(frames: number, { frames: most }: MediaLimits): void {
  if (frames <= most) return;
  throw new UnreadableMediaError(
    'too_large',
    `This file has more than ${most.toLocaleString('en')} pictures, too many of their kind and size. Export it as a smaller video with fewer frames, or cut it into parts.`,
  );
}
