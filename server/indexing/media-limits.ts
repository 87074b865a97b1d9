import { type MediaLimits, UnreadableMediaError } from './indexed-media.ts';

/** Pictures of an animated image: GIF, WebP and PNG are decoded much slower than video for what they show. */
const mostAnimationFrames = 10_000;

/** Pixels of one frame of a video: twice those of 8K. A decoder holds many frames at once. */
export const mostFramePixels = 67_108_864;

/** Bytes of text that are kept of one item: subtitles of a hundred films. */
export const mostText = 2 ** 24;

/** The limits for a type of file. Images that move are read as videos. */
export const limitsFor = (mimeType: string, { seconds, frames }: MediaLimits): MediaLimits => ({
  seconds,
  frames: mimeType.startsWith('image/') ? Math.min(frames, mostAnimationFrames) : frames,
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
    `This file has more than ${most.toLocaleString('en')} pictures. Export it as a video with fewer frames, or cut it into parts.`,
  );
}
