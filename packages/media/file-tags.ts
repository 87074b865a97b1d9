import type { MediaDetails } from '../../contract/media-details.ts';

/** When, where and with what something was recorded, as its file says; null where it says nothing. */
export type Recording = {
  /** RFC 3339 in UTC, with milliseconds. Where `takenZone` is null, the local clock time as if it were UTC. */
  takenAt: string | null;
  /** Such as `+02:00`. */
  takenZone: string | null;
  /** The date as the tag says it, and the name of the tag. */
  takenText: string | null;
  takenSource: string | null;
  /** Make and model. */
  camera: string | null;
  /** Degrees, WGS 84; both or neither. */
  latitude: number | null;
  longitude: number | null;
  /** City and country. */
  place: string | null;
};

/** What a file says of itself. */
export type FileTags = {
  recording: Recording;
  details: MediaDetails;
  /** Title, description, keywords and the like, a line each, by which it is found; empty when there are none. */
  tags: string;
  /** Stars, 1 to 5; null: it says none. */
  rating: number | null;
  /** What its parts, or those of one burst, have in common; null or left out: it stands alone. */
  stackKey?: string | null;
};

type Taken = Pick<Recording, 'takenAt' | 'takenZone' | 'takenText' | 'takenSource'>;

/** A tag that holds a date. `zone` and `fraction` come from tags beside it, where a format has them there. */
export type DateTag = { source: string; text: unknown; zone?: unknown; fraction?: unknown };

/** A longer text is cut, characters. */
const maxLength = 200;

/** A text from a file as it may be shown: without control characters, on one line. Null when nothing is left. */
export function cleanText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, 4 * maxLength)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\uFFFD]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return Array.from(text).slice(0, maxLength).join('') || null;
}

/** The same, with what is not known left out, as `MediaDetails` has it. */
export const known = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && !Number.isNaN(value)),
  ) as { [Key in keyof Fields]?: NonNullable<Fields[Key]> };

/** Make and model, without saying the make twice. */
export function nameCamera(make: unknown, model: unknown): string | null {
  const [by, name] = [cleanText(make), cleanText(model)];
  if (!by || !name) return name ?? by;
  const first = by.split(' ')[0] as string;
  return name.toLowerCase().startsWith(first.toLowerCase()) ? name : cleanText(`${by} ${name}`);
}

/** A position on the earth; none where a number is missing or out of range. 0, 0 is what devices without a position write. */
export function position(latitude: unknown, longitude: unknown): Pick<Recording, 'latitude' | 'longitude'> {
  const isValid =
    typeof latitude === 'number' &&
    typeof longitude === 'number' &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180 &&
    (latitude !== 0 || longitude !== 0);
  return isValid ? { latitude, longitude } : { latitude: null, longitude: null };
}

/** City and country. */
export const namePlace = (city: unknown, country: unknown): string | null =>
  cleanText([cleanText(city), cleanText(country)].filter(Boolean).join(', '));

/** The first photograph was taken in 1826. */
const firstYear = 1826;
/** What devices write that know no date. */
const lastYear = 9998;

/** A date with a time of day; `:`, `-` and `/` divide dates. In what follows it stands a fraction, a time zone, or both. */
const datePattern =
  /^(\d{4})[:/-](\d{2})[:/-](\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?(?:[.,](\d{1,9}))?\s*(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The first of some tags that holds a date that can be; nulls when none does. */
export function findDate(tags: DateTag[]): Taken {
  for (const { source, text, zone, fraction } of tags) {
    const said = cleanText(text);
    const match = said && datePattern.exec(said);
    if (!match) continue;
    const local = clockTime(match.slice(1, 7), match[7] ?? cleanText(fraction));
    const takenZone = parseZone(match[8] ?? cleanText(zone));
    if (local === null) continue;
    const takenAt = new Date(local - zoneMinutes(takenZone) * 60_000).toISOString();
    return { takenAt, takenZone, takenText: said, takenSource: source };
  }
  return { takenAt: null, takenZone: null, takenText: null, takenSource: null };
}

/** A clock time as if it were UTC, milliseconds since 1970; null for one that no clock shows. */
function clockTime(parts: (string | undefined)[], fraction: string | null): number | null {
  const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (year < firstYear || year > lastYear || hour > 23 || minute > 59 || second > 59) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  // The 30th of February is another day.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const milliseconds = Math.floor(Number(`0.${/^\d+$/.exec(fraction ?? '')?.[0] ?? 0}`) * 1000);
  return Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
}

/** A time zone as `+02:00`; null for what is none. */
function parseZone(text: string | null): string | null {
  if (text === 'Z') return '+00:00';
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(text ?? '');
  if (!match || Number(match[2]) > 14 || Number(match[3]) > 59) return null;
  return `${match[1]}${match[2]}:${match[3]}`;
}

/** How far a zone is ahead of UTC. */
function zoneMinutes(zone: string | null): number {
  if (zone === null) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

/** Time zones are apart by quarters of an hour, minutes; clocks of cameras by less than two minutes from the time of satellites. */
const zoneStep = 15;
const clockError = 2;

/**
 * A date whose zone is unknown, with the zone that follows from a second clock: that of the satellites, which is in UTC.
 * @param satellite their time, milliseconds since 1970; NaN where the file has none
 */
export function withZoneOf(taken: Taken, satellite: number): Taken {
  if (taken.takenAt === null || taken.takenZone !== null) return taken;
  const ahead = (Date.parse(taken.takenAt) - satellite) / 60_000;
  const rounded = Math.round(ahead / zoneStep) * zoneStep;
  if (!(Math.abs(ahead - rounded) < clockError && Math.abs(rounded) <= 14 * 60)) return taken;
  const digits = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(rounded);
  const takenZone = `${rounded < 0 ? '-' : '+'}${digits(size / 60)}:${digits(size % 60)}`;
  return { ...taken, takenZone, takenAt: new Date(Date.parse(taken.takenAt) - rounded * 60_000).toISOString() };
}
