import exifReader from 'exifreader';
import { cleanText, type DateTag, namePlace, position, type Recording } from './file-tags.ts';

/** What XMP says of a file: what people noted, and where it was recorded. Null, or empty, where it says nothing. */
export type XmpTags = {
  /** Stars, 1 to 5; rejected (-1) and not rated (0) are null. */
  rating: number | null;
  title: string | null;
  description: string | null;
  keywords: string[];
  /** Dates of the recording, the surest first; see `findDate`. */
  dates: DateTag[];
  place: string | null;
} & Pick<Recording, 'latitude' | 'longitude'>;

/** A longer text is not read, characters: those of Lightroom with many masks have some hundred thousand. */
const maxLength = 2 ** 20;
const maxKeywords = 100;
const maxDepth = 40;

const nothing: XmpTags = {
  rating: null,
  title: null,
  description: null,
  keywords: [],
  dates: [],
  latitude: null,
  longitude: null,
  place: null,
};

/**
 * Reads XMP as it is embedded in files, or stands beside them (`.xmp`). It may come from anybody: a text with a document type or entities, of more than 1 MiB, of deeply
 * nested elements, or that is no XMP, says nothing. Nothing is thrown for what it holds.
 */
export function readXmp(text: string): XmpTags {
  const tags = parse(text);
  if (!tags) return nothing;
  const valueOf = (name: string) => plain(tags[name]);
  const rating = Number(valueOf('Rating'));
  return {
    rating: Number.isInteger(rating) && rating >= 1 && rating <= 5 ? rating : null,
    title: cleanText(valueOf('title') ?? valueOf('Headline')),
    description: cleanText(valueOf('description')),
    keywords: listOf(tags['subject']).slice(0, maxKeywords),
    dates: [
      { source: 'XMP DateTimeOriginal', text: valueOf('DateTimeOriginal') },
      { source: 'XMP DateCreated', text: valueOf('DateCreated') },
      { source: 'XMP CreateDate', text: valueOf('CreateDate') },
    ],
    ...position(readDegrees(valueOf('GPSLatitude'), 'NS'), readDegrees(valueOf('GPSLongitude'), 'EW')),
    place: namePlace(valueOf('City') ?? valueOf('Location'), valueOf('Country') ?? valueOf('CountryName')),
  };
}

/** What a person is to find an item by, each on a line of its own: title, description, keywords. */
export const textsOf = ({
  title,
  description,
  keywords,
}: Pick<XmpTags, 'title' | 'description' | 'keywords'>): string =>
  [...new Set([title, description, ...keywords])].filter(Boolean).join('\n');

type Tags = Record<string, unknown>;

/** The tags by their names without namespaces. */
function parse(text: string): Tags | null {
  if (text.length > maxLength || /<!(?:DOCTYPE|ENTITY)/i.test(text) || !isFlat(text)) return null;
  const start = text.search(/<[a-z]/i);
  // A packet ends with an instruction that is no part of its XML.
  const packetEnd = text.lastIndexOf('<?xpacket end');
  const end = text.lastIndexOf('>', packetEnd > start ? packetEnd : undefined);
  if (start < 0 || end < start) return null;
  // What a packet begins with: by it the library takes the text for a file of XMP.
  const packet = Buffer.from(`<?xpacket begin=""?>${text.slice(start, end + 1)}`);
  try {
    // oxlint-disable-next-line import/no-named-as-default-member -- CommonJS, whose names Node does not find
    return exifReader.load(packet, { expanded: true, includeTags: { xmp: true } }).xmp ?? null;
  } catch {
    return null;
  }
}

/** Whether elements stand within each other no deeper than any program writes them: the parser takes the square of the depth in time. */
function isFlat(text: string): boolean {
  let depth = 0;
  for (const [, close, own] of text.matchAll(/<(\/?)[a-z][^<>]*?(\/?)>/gi)) {
    if (close) depth -= 1;
    else if (!own) depth += 1;
    if (depth > maxDepth) return false;
  }
  return true;
}

/** The text of a tag; of one in several languages the first. */
function plain(tag: unknown): unknown {
  if (typeof tag !== 'object' || tag === null) return undefined;
  const { value, description } = tag as { value?: unknown; description?: unknown };
  // The library describes some values in words of its own: positions as degrees without a sign.
  return Array.isArray(value) ? listOf(tag)[0] : typeof value === 'string' ? value : description;
}

/** The texts of a tag that is a list. */
function listOf(tag: unknown): string[] {
  if (typeof tag !== 'object' || tag === null) return [];
  const { value } = tag as { value?: unknown };
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries.flatMap((entry) => {
    const text = typeof entry === 'object' && entry !== null ? (entry as { value?: unknown }).value : entry;
    return cleanText(text) ?? [];
  });
}

/** Degrees as XMP writes them (part 2, 1.2.4): `53,32.754N` or `53,32,45N`. NaN for what is none. */
function readDegrees(text: unknown, signs: 'NS' | 'EW'): number {
  const match = /^(\d{1,3}),(\d{1,2}(?:\.\d{1,10})?)(?:,(\d{1,2}(?:\.\d{1,10})?))?([NSEW])$/.exec(
    typeof text === 'string' ? text.trim() : '',
  );
  const [, degrees, minutes, seconds = '0', sign = ''] = match ?? [];
  if (!signs.includes(sign) || sign === '') return NaN;
  const value = Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600;
  return sign === signs[1] ? -value : value;
}
