/** The time zone of the clock times that are shown: they are written as if they were UTC. */
const asIs = 'UTC';

/** The clock time where something was recorded, as if it were UTC. @param zone such as `+02:00`; null: unknown */
function localTime(takenAt: string, zone: string | null): Date {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):(\d{2})$/.exec(zone ?? '') ?? [];
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Date(Date.parse(takenAt) + ahead * 60_000);
}

/** When something was recorded, by the clock where that was. */
export const formatTaken = (takenAt: string, zone: string | null): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: asIs }).format(
    localTime(takenAt, zone),
  );

/** The day of it. */
export const formatTakenDay = (takenAt: string, zone: string | null): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: asIs }).format(localTime(takenAt, zone));

/** A month such as `2026-07`: `July 2026`; several, in either order: `May – Jul 2026`. Null stands for what has no date. */
export function formatMonths(one: string | null, other: string | null): string {
  if (one === null || other === null) return 'No date';
  const [first, last] = one < other ? [one, other] : [other, one];
  const format = new Intl.DateTimeFormat(undefined, {
    month: one === other ? 'long' : 'short',
    year: 'numeric',
    timeZone: asIs,
  });
  return format.formatRange(new Date(`${first}-01T00:00:00Z`), new Date(`${last}-01T00:00:00Z`));
}

/** A day such as `2026-07-14`, in the reader's words. */
export const formatCalendarDay = (day: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: asIs }).format(new Date(`${day}T00:00:00Z`));
