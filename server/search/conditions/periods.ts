/** Days of the calendar, without a time zone: the number of days since 1970-01-01. */
export type Day = number;

/** From one day to another, both included. */
export type Period = { from: Day; to: Day };

const msPerDay = 86_400_000;

/** @param month from 1; months and days beyond the ends count on */
export const dayOf = (year: number, month: number, day: number): Day => Date.UTC(year, month - 1, day) / msPerDay;

/** A day as `2026-07-14`. */
export const formatDay = (day: Day): string => new Date(day * msPerDay).toISOString().slice(0, 10);

/** The year, month from 1 and day of the month of a day, and its weekday from 0, Monday. */
export function partsOf(day: Day): { year: number; month: number; day: number; weekday: number } {
  const date = new Date(day * msPerDay);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: (date.getUTCDay() + 6) % 7,
  };
}

/** The day that it is at a time in a time zone. @param zone IANA name; throws a `RangeError` for one that does not exist */
export function dayIn(time: Date, zone: string): Day {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric', month: 'numeric', day: 'numeric' });
  const of = Object.fromEntries(parts.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return dayOf(of['year'] as number, of['month'] as number, of['day'] as number);
}

/** Months from one on, `count` of them. @param month from 1; others count on into other years */
export const months = (year: number, month: number, count = 1): Period => ({
  from: dayOf(year, month, 1),
  to: dayOf(year, month + count, 1) - 1,
});

export const yearOf = (year: number): Period => months(year, 1, 12);

/** First months of the seasons of the north, by the calendar of meteorology. */
export const seasons = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 } as const;

/** A season; winter is that which begins in December of the year. */
export const seasonOf = (year: number, season: keyof typeof seasons): Period => months(year, seasons[season], 3);

/** The last of what comes each year that began, or with `isOver` ended before a day. */
export function latest(of: (year: number) => Period, today: Day, isOver = false): Period {
  const { year } = partsOf(today);
  for (let candidate = year; ; candidate--) {
    const period = of(candidate);
    if ((isOver ? period.to : period.from - 1) < today) return period;
  }
}

/** Easter Sunday (Meeus, Astronomical Algorithms, 1991: the Gregorian calendar). */
function easter(year: number): Day {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  return dayOf(year, 3, h + l - 7 * m + 22);
}

/** Days that come each year, by how they are called. */
export const holidays: readonly { name: string; of: (year: number) => Day }[] = [
  { name: String.raw`christmas eve`, of: (year) => dayOf(year, 12, 24) },
  { name: String.raw`(?:christmas|xmas)(?: day)?`, of: (year) => dayOf(year, 12, 25) },
  { name: String.raw`boxing day`, of: (year) => dayOf(year, 12, 26) },
  { name: String.raw`new year['’]?s eve`, of: (year) => dayOf(year, 12, 31) },
  { name: String.raw`new year(?:['’]?s)?(?: day)?`, of: (year) => dayOf(year, 1, 1) },
  { name: String.raw`halloween`, of: (year) => dayOf(year, 10, 31) },
  { name: String.raw`valentine['’]?s(?: day)?`, of: (year) => dayOf(year, 2, 14) },
  { name: String.raw`(?:st\.? |saint )patrick['’]?s day`, of: (year) => dayOf(year, 3, 17) },
  { name: String.raw`good friday`, of: (year) => easter(year) - 2 },
  { name: String.raw`easter monday`, of: (year) => easter(year) + 1 },
  { name: String.raw`easter(?: sunday)?`, of: easter },
  // The fourth Thursday of November.
  {
    name: String.raw`thanksgiving(?: day)?`,
    of: (year) => dayOf(year, 11, 22 + ((3 - partsOf(dayOf(year, 11, 22)).weekday + 7) % 7)),
  },
];
