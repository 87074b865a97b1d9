import { FFmpegError } from 'node-av/lib';

/**
 * Whether an error says that a file's own numbers make no sense: FFmpeg refuses them, or JavaScript does as a size or an offset.
 * Another attempt at the same file ends the same way.
 */
export const isInvalidDataError = (error: unknown): boolean =>
  error instanceof RangeError || error instanceof FFmpegError;
