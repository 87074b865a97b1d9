/** A part of a video, in seconds from its beginning. The frame at `end` is the first of the next shot and does not belong to it. */
export type Span = { start: number; end: number };

/** One frame at 25 per second; a browser does not know the file's own rate. */
export const frameSeconds = 1 / 25;

/** A frame this close before the end counts as the end, so that none of the next shot is shown. */
const endTolerance = 0.02;

/** Where a time is in a span: 0 at the start and before, 1 at the end and after. */
export const fractionOfSpan = ({ start, end }: Span, time: number): number =>
  Math.min(1, Math.max(0, (time - start) / Math.max(0.001, end - start)));

/** The time at a fraction of a span, 0..1. */
export const timeAtFraction = ({ start, end }: Span, fraction: number): number => start + fraction * (end - start);

/** The time nearest to a wanted one at which a frame of the span is shown. */
export const clampToSpan = ({ start, end }: Span, time: number): number =>
  Math.min(Math.max(time, start), lastFrameOf({ start, end }));

/** The time of the last frame of a span. */
export const lastFrameOf = ({ start, end }: Span): number => Math.max(start, end - frameSeconds);

/** Whether playback that has come to a time is over. */
export const isAtEnd = ({ end }: Span, time: number): boolean => time >= end - endTolerance;

/** Whether playback has to begin at the start instead of at a time: before the span, or at its end. */
export const startsOver = ({ start, end }: Span, time: number): boolean => time < start - 0.05 || time >= end - 0.06;

/**
 * The middle of the frame beside the one that is shown, seconds. A quarter of a frame is left for rates that are rounded: an hour at 29.97 has
 * 107,892 frames.
 * @param time anywhere from the beginning to the middle of the frame that is shown
 */
export const frameBeside = (time: number, direction: 1 | -1, frameRate: number): number =>
  (Math.floor(time * frameRate + 0.25) + direction + 0.5) / frameRate;
