import { readFile, stat } from 'node:fs/promises';
import exifReader, { type ExpandedTags } from 'exifreader';
import sharp, { type Metadata } from 'sharp';
import type { MediaDetails } from '../../contract/media-details.ts';
import { maxImagePixels } from './decode-image.ts';
import { cleanText, type FileTags, findDate, known, nameCamera, namePlace, position, withZoneOf } from './file-tags.ts';
import { rawFormats } from './raw/raw-photo.ts';
import { readRawPreview } from './raw/read-raw-preview.ts';
import { readRaw } from './raw/read-raw.ts';
import { readAppleStackKey } from './read-apple-notes.ts';
import { readXmp, textsOf } from './read-xmp.ts';

/** The EXIF tags that are asked for; all else, such as notes of the maker and previews, is passed over. */
const exifTags = [
  'Make',
  'Model',
  'LensModel',
  'DateTimeOriginal',
  'DateTimeDigitized',
  'DateTime',
  'OffsetTimeOriginal',
  'OffsetTimeDigitized',
  'OffsetTime',
  'SubSecTimeOriginal',
  'SubSecTimeDigitized',
  'SubSecTime',
  'ExposureTime',
  'FNumber',
  'ISOSpeedRatings',
  'FocalLength',
  'GPSLatitude',
  'GPSLatitudeRef',
  'GPSLongitude',
  'GPSLongitudeRef',
  'GPSDateStamp',
  'GPSTimeStamp',
];

/** Tags that a library could make sense of. Each may hold anything: files are as their makers wrote them. */
type Tags = Record<'exif' | 'gps' | 'iptc' | 'icc', Record<string, unknown>>;

/**
 * Reads what an image says of itself: dates, camera, position, place and technical details. Only the headers of the file are read.
 * Tags that are damaged count as missing; nothing is thrown for what a file holds.
 */
export async function readImageTags(path: string, mimeType: string): Promise<FileTags> {
  const raw = mimeType in rawFormats ? await readRaw(path) : null;
  const picture = raw ? await readRawPreview(path, raw) : path;
  const metadata = await sharp(picture, { limitInputPixels: maxImagePixels, failOn: 'none' })
    .metadata()
    .catch(() => undefined);
  const tags = parseTags(raw?.tags ?? (await openTags(path, mimeType, metadata)));
  const { exif, gps, iptc } = tags;
  const xmp = readXmp(metadata?.xmp?.toString() ?? '');
  const taken = findDate([
    { source: 'EXIF DateTimeOriginal', text: exif['DateTimeOriginal'], ...beside(exif, 'Original') },
    { source: 'EXIF DateTimeDigitized', text: exif['DateTimeDigitized'], ...beside(exif, 'Digitized') },
    ...xmp.dates,
    { source: 'EXIF DateTime', text: exif['DateTime'], ...beside(exif, '') },
  ]);
  const where = position(
    towards(gps['Latitude'], exif['GPSLatitudeRef'], 'NS'),
    towards(gps['Longitude'], exif['GPSLongitudeRef'], 'EW'),
  );
  return {
    recording: {
      ...withZoneOf(taken, satelliteTime(exif)),
      camera: nameCamera(exif['Make'], exif['Model']),
      ...(where.latitude === null ? { latitude: xmp.latitude, longitude: xmp.longitude } : where),
      place: xmp.place ?? namePlace(iptc['City'], iptc['Country/Primary Location Name']),
    },
    details: { image: describeImage(mimeType, metadata, tags) },
    tags: textsOf(xmp),
    rating: xmp.rating,
    stackKey: metadata?.exif ? await readAppleStackKey(withoutHead(metadata.exif)) : null,
  };
}

/** EXIF as a TIFF. */
const withoutHead = (exif: Buffer): Buffer => (exif.toString('latin1', 0, 4) === 'Exif' ? exif.subarray(6) : exif);

/** The tags beside a date that hold its zone and its fraction of a second. */
const beside = (exif: Tags['exif'], which: string) => ({
  zone: exif[`OffsetTime${which}`],
  fraction: exif[`SubSecTime${which}`],
});

/** Degrees with the sign of their direction: the library takes any but `S` and `W` for north and east, and some programs write small letters or words. */
function towards(degrees: unknown, direction: unknown, [plus, minus]: string): unknown {
  const letter = cleanText(direction)?.charAt(0).toUpperCase();
  if (typeof degrees !== 'number' || (letter !== plus && letter !== minus)) return null;
  return letter === minus ? -Math.abs(degrees) : Math.abs(degrees);
}

/** The time of the satellites, milliseconds since 1970; NaN where there is none. */
function satelliteTime(exif: Tags['exif']): number {
  const [date, time] = [cleanText(exif['GPSDateStamp']), exif['GPSTimeStamp']];
  if (!date || !Array.isArray(time)) return NaN;
  const [hour = NaN, minute = NaN, second = NaN] = time.map(Number);
  return Date.parse(`${date.replaceAll(':', '-')}T00:00:00Z`) + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** A longer TIFF is not read: its tags may be anywhere in it, bytes. */
const maxTiffBytes = 2 ** 26;

/** The bytes that hold the tags of an image, as a file that the library reads; undefined where there are none. */
async function openTags(path: string, mimeType: string, metadata: Metadata | undefined): Promise<Buffer | undefined> {
  if (mimeType === 'image/tiff') return (await stat(path)).size > maxTiffBytes ? undefined : readFile(path);
  return metadata && toJpeg(metadata);
}

/** A segment of a JPEG holds no more, bytes. */
const maxSegment = 65_533;

/**
 * A JPEG without a picture that holds the tags of an image of any format: one way to read all of them, and a limit of what is read.
 * The segments are those of EXIF 2.32 (4.7.2) and ICC.1 (annex B.4). XMP is read by `readXmp`: it may be longer than a segment.
 */
function toJpeg({ exif, iptc, icc }: Metadata): Buffer {
  const segment = (marker: number, head: string, content: Buffer | undefined) => {
    if (!content) return [];
    const start = Buffer.from(head, 'latin1');
    const bytes = content.subarray(0, start.length).equals(start) ? content : Buffer.concat([start, content]);
    const cut = bytes.subarray(0, maxSegment);
    return [Buffer.from([0xff, marker, (cut.length + 2) >> 8, (cut.length + 2) & 0xff]), cut];
  };
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segment(0xe1, 'Exif\0\0', exif),
    ...segment(0xed, 'Photoshop 3.0\0', iptc),
    ...segment(0xe2, 'ICC_PROFILE\0\u0001\u0001', icc),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** The tags by group and name, each as a text, a number or a list of them. */
function parseTags(file: Buffer | undefined): Tags {
  let groups: Partial<ExpandedTags> = {};
  try {
    if (file)
      // oxlint-disable-next-line import/no-named-as-default-member -- CommonJS, whose names Node does not find
      groups = exifReader.load(file, {
        expanded: true,
        computed: true,
        includeTags: { exif: exifTags, gps: true, iptc: true, icc: true },
      });
  } catch {
    // Tags that cannot be read are none: the picture counts.
  }
  const valuesOf = (group: object | undefined) =>
    Object.fromEntries(Object.entries(group ?? {}).map(([name, tag]) => [name, plainValue(tag)]));
  return {
    exif: valuesOf(groups.exif),
    gps: valuesOf(groups.gps),
    iptc: valuesOf(groups.iptc),
    icc: valuesOf(groups.icc),
  };
}

/** The value of a tag, as the library gives it: computed for EXIF, described for others, as it is for positions. */
function plainValue(tag: unknown): unknown {
  if (typeof tag !== 'object' || tag === null) return tag;
  const { computed, description } = tag as { computed?: unknown; description?: unknown };
  return computed ?? description;
}

/** Formats by their media types. */
const formats: Record<string, string> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
  'image/gif': 'GIF',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
  'image/heif': 'HEIF',
  'image/tiff': 'TIFF',
  'image/bmp': 'BMP',
  'image/jp2': 'JPEG 2000',
  'image/jpx': 'JPEG 2000',
  ...rawFormats,
};

const bitsOf: Record<string, number> = { uchar: 8, char: 8, ushort: 16, short: 16, float: 32 };

function describeImage(mimeType: string, metadata: Metadata | undefined, { exif, icc }: Tags): MediaDetails['image'] {
  const positive = (value: unknown) => (typeof value === 'number' && value > 0 && value < 1e9 ? value : undefined);
  const iso = positive(Array.isArray(exif['ISOSpeedRatings']) ? exif['ISOSpeedRatings'][0] : exif['ISOSpeedRatings']);
  const profile = cleanText(icc['ICC Description'] ?? icc['Profile Description']);
  return known({
    format: formats[mimeType] ?? mimeType.replace('image/', '').toUpperCase(),
    colour_space: profile ?? metadata?.space,
    // Of a raw photograph that of its preview says nothing.
    bit_depth:
      mimeType in rawFormats ? undefined : metadata && (metadata.bitsPerSample ?? bitsOf[metadata.depth ?? '']),
    orientation: metadata?.orientation,
    lens: cleanText(exif['LensModel']),
    exposure_time: positive(exif['ExposureTime']),
    f_number: positive(exif['FNumber']),
    iso: iso && Math.round(iso),
    focal_length: positive(exif['FocalLength']),
  });
}
