/** A text that is shown for some time. `start`, `end`: seconds. `uncertain`: it may well be wrong, and is written in italics. */
export type Cue = { start: number; end: number; text: string; uncertain?: boolean };

/** A form of captions as a file. Cues are written one by one, so that a file of any length is streamed. */
export type CaptionFormat = {
  mimeType: string;
  /** What the file begins with. @param about what is known of the captions, a line each */
  head: (about: string[]) => string;
  /** A cue. @param number from 1 */
  cue: (cue: Cue, number: number) => string;
};

/** How long a cue stands that has no length of its own, seconds. */
const shortest = 1;

/**
 * When a cue is shown, as `01:02:03.456`. Hours have two digits or more.
 * @param separator between seconds and thousandths
 * @returns an end that is after the start
 */
export function timesOf({ start, end }: Cue, separator: '.' | ','): { from: string; to: string } {
  const from = toMilliseconds(start);
  const to = toMilliseconds(end);
  return {
    from: formatClock(from, separator),
    to: formatClock(to > from ? to : from + shortest * 1000, separator),
  };
}

const toMilliseconds = (seconds: number): number => Math.max(0, Math.round(seconds * 1000));

function formatClock(milliseconds: number, separator: '.' | ','): string {
  const digits = (value: number, count: number) => String(Math.floor(value)).padStart(count, '0');
  const seconds = milliseconds / 1000;
  return `${digits(seconds / 3600, 2)}:${digits((seconds / 60) % 60, 2)}:${digits(seconds % 60, 2)}${separator}${digits(milliseconds % 1000, 3)}`;
}

/** The lines of a text that show something. An empty line would end the cue. */
export const linesOf = (text: string): string[] =>
  text
    .toWellFormed()
    .split(/[\n\r\u0085\u2028\u2029]+/)
    .map((line) => line.replaceAll(/\p{Cc}+/gu, ' ').trim())
    .filter((line) => line !== '');
