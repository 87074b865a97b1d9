/** No zone is further ahead of UTC, or behind it, minutes. */
const maxAhead = 14 * 60;

/**
 * When something was recorded, as `PATCH /media/:id` takes it: the local clock time, with its offset where Immich knows the zone.
 * @param local the local clock time as if it were UTC, as Immich writes it
 * @param instant the same moment in UTC
 * @param zone such as `Europe/Lisbon` or `UTC+2`; null: unknown, then `instant` is a guess
 * @returns null for what is no time
 */
export function toTaken(local: string, instant: string, zone: string | null): string | null {
  const [clock, moment] = [Date.parse(local), Date.parse(instant)];
  // Beyond these years the text has other digits.
  if (Number.isNaN(clock) || clock < Date.UTC(1826) || clock >= Date.UTC(9999)) return null;
  const text = new Date(clock).toISOString().slice(0, -1);
  const ahead = Math.round((clock - moment) / 60_000);
  if (!zone || Number.isNaN(ahead) || Math.abs(ahead) > maxAhead) return text;
  const pad = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(ahead);
  return `${text}${ahead < 0 ? '-' : '+'}${pad(size / 60)}:${pad(size % 60)}`;
}
