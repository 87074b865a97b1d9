import { formatCalendarDay } from './taken.ts';

/** A range of days on which something was recorded, both included; undefined where it is open. */
export type DateRange = { from: string | undefined; to: string | undefined };

/** A day as `YYYY-MM-DD`; undefined for what is none, such as a year that is still being typed. */
export function parseDay(text: string | null | undefined): string | undefined {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1826' || text >= '9999') return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}

/** The range in the URL. A day that does not exist is left out. */
export const readDates = (search: URLSearchParams): DateRange => ({
  from: parseDay(search.get('from')),
  to: parseDay(search.get('to')),
});

/** The range as the API takes it: the day after the last one is the first that does not count. */
export const takenWithin = ({ from, to }: DateRange) => ({
  taken_after: from,
  taken_before: to && addDays(to, 1),
});

/** A day that lies some days later, or earlier. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The day of the reader's calendar. */
export function today(now = new Date()): string {
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${digits(now.getMonth() + 1)}-${digits(now.getDate())}`;
}

/** A whole year. */
export const yearRange = (year: string): DateRange => ({ from: `${year}-01-01`, to: `${year}-12-31` });

/** The year that a range is exactly; undefined for another range. */
export function yearOf({ from, to }: DateRange): string | undefined {
  const year = from?.slice(0, 4);
  return year && from === yearRange(year).from && to === yearRange(year).to ? year : undefined;
}

/** What a range is called: `2026`, `Since 1 May 2026`, `1 – 5 May 2026`. */
export function describeDates(range: DateRange): string {
  const { from, to } = range;
  if (from && to) return yearOf(range) ?? (from === to ? formatCalendarDay(from) : formatDays(from, to));
  return from ? `Since ${formatCalendarDay(from)}` : `Until ${formatCalendarDay(to ?? '')}`;
}

const formatDays = (from: string, to: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
    new Date(`${from}T00:00:00Z`),
    new Date(`${to}T00:00:00Z`),
  );
