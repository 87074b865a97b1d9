/**
 * A time as editing software writes it: `00:01:02.500`, or with a frame rate `00:01:02:12`, the last number being the frame within its second.
 * Frames are counted without leaving numbers out (non-drop), at the rate rounded to a whole number (SMPTE ST 12-1).
 * @param seconds from the beginning
 */
export function formatTimecode(seconds: number, frameRate?: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  if (frameRate) {
    const rate = Math.round(frameRate);
    // A hair more: a frame is named by the time at which it begins.
    const frame = Math.floor(seconds * frameRate + 0.01);
    const whole = Math.floor(frame / rate);
    return `${clock(whole)}:${two(frame % rate)}`;
  }
  const milliseconds = Math.round(seconds * 1000);
  return `${clock(Math.floor(milliseconds / 1000))}.${String(milliseconds % 1000).padStart(3, '0')}`;

  function clock(whole: number): string {
    return [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60].map(two).join(':');
  }
}

/**
 * A moment in a URL.
 * @returns seconds, never negative; null where none, or no number, is given
 */
export function readMoment(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** The time of a frame as it stands in a URL: rounded up to milliseconds, because rounded down it would name the frame before. */
export const toMoment = (seconds: number): number => Math.ceil(seconds * 1000 - 0.001) / 1000;
