/** Frames a second as a fraction. */
export type Rate = { num: number; den: number };

/** Number of the frame that is nearest to a time, seconds. */
export const toFrames = (seconds: number, { num, den }: Rate): number => Math.round((seconds * num) / den);

/** Frames of a span in its own video: between those that its ends are nearest to, at least one. */
export const countFrames = ({ start, end }: { start: number; end: number }, rate: Rate): number =>
  Math.max(1, toFrames(end, rate) - toFrames(start, rate));

/** As many seconds in frames of another rate, at least one. At the same rate as many frames. */
export const convertFrames = (frames: number, from: Rate, to: Rate): number =>
  Math.max(1, toFrames((frames * from.den) / from.num, to));

/** Frames that a timecode counts in each of its seconds. */
const nominal = ({ num, den }: Rate): number => Math.round(num / den);

/** Whether timecode at this rate leaves numbers out, so that it keeps to the clock (SMPTE ST 12-1): at 29.97 and 59.94. */
export const dropsFrames = (rate: Rate): boolean => rate.den === 1001 && nominal(rate) % 30 === 0;

/** Numbers that are left out in each minute but every tenth. */
const droppedPerMinute = (rate: Rate): number => nominal(rate) / 15;

/** `01:00:00:00`, with `;` before the frames in drop-frame counting. */
export function formatTimecode(frames: number, rate: Rate, drop = dropsFrames(rate)): string {
  const perSecond = nominal(rate);
  let number = frames;
  if (drop) {
    const dropped = droppedPerMinute(rate);
    const perMinute = perSecond * 60 - dropped;
    const perTenMinutes = perMinute * 10 + dropped;
    const inTen = frames % perTenMinutes;
    // The first minute of ten leaves nothing out.
    const minutes = Math.max(0, Math.floor((inTen - dropped) / perMinute));
    number += dropped * (9 * Math.floor(frames / perTenMinutes) + minutes);
  }
  const parts = [
    Math.floor(number / (perSecond * 3600)) % 24,
    Math.floor(number / (perSecond * 60)) % 60,
    Math.floor(number / perSecond) % 60,
  ].map(pad);
  return `${parts.join(':')}${drop ? ';' : ':'}${pad(number % perSecond)}`;
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** Number of the frame that a timecode names; `;` or `.` before the frames stands for drop-frame counting. */
export function parseTimecode(timecode: string, rate: Rate): number {
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = timecode.split(/[:;.]/).map(Number);
  const perSecond = nominal(rate);
  const number = ((hours * 60 + minutes) * 60 + seconds) * perSecond + frames;
  const isDrop = /[;.]/.test(timecode) && dropsFrames(rate);
  const allMinutes = hours * 60 + minutes;
  return isDrop ? number - droppedPerMinute(rate) * (allMinutes - Math.floor(allMinutes / 10)) : number;
}

/** The rate that most have; of as many the first. */
export function mostCommonRate(rates: Rate[]): Rate {
  const counts = new Map<string, { rate: Rate; count: number }>();
  for (const rate of rates) {
    const key = `${rate.num}/${rate.den}`;
    const entry = counts.get(key) ?? { rate, count: 0 };
    entry.count += 1;
    counts.set(key, entry);
  }
  const [most] = [...counts.values()].toSorted((a, b) => b.count - a.count);
  return most?.rate ?? { num: 25, den: 1 };
}
