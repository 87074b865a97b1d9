import { ChevronRight, MapPin } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatBytes, formatCount, formatDate, formatTime } from '../../lib/format.ts';
import { formatTaken } from '../../lib/taken.ts';
import { describeReading } from '../../lib/text-reading.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/** What is known of the file of an item. */
export function ItemDetails({
  item,
  badge,
  children,
}: {
  item: MediaItem;
  /** Its status, where that needs attention. */
  badge: ReactNode;
  /** What people say of it: its labels. */
  children: ReactNode;
}) {
  const rows: [name: string, value: string | null, title?: string | null][] = [
    ['Type', item.mime_type],
    ['Duration', item.duration === null ? null : formatTime(item.duration, true)],
    ['Dimensions', item.width === null ? null : `${item.width} × ${item.height}`],
    ['Size', formatBytes(item.size)],
    ['Scenes', item.type === 'video' && item.chunk_count > 0 ? String(item.chunk_count) : null],
    ['On-screen text', describeReading(item.ocr), item.ocr?.message],
    ['Speech', describeReading(item.speech), item.speech?.message],
    ['Uploaded', formatDate(item.created_at)],
    ['Indexed', item.indexed_at && formatDate(item.indexed_at)],
    ['SHA-256', `${item.sha256.slice(0, 16)}…`, item.sha256],
  ];
  return (
    <section aria-label="Details" className="rounded-card border border-line bg-surface p-4">
      <div className="mb-3 flex items-center justify-between">
        <h2 className="font-semibold">Details</h2>
        {badge}
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        <CaptureRows item={item} />
        {rows.map(([name, value, title]) =>
          value === null ? null : (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className="truncate text-right tabular-nums" title={title ?? value}>
                {value}
              </dd>
            </div>
          ),
        )}
      </dl>
      <TechnicalDetails details={item.details} />
      <div className="mt-4">{children}</div>
    </section>
  );
}

/** When, where and with what an item was recorded, as rows of its details; what its file does not say is left out. */
function CaptureRows({ item: { taken_at: takenAt, capture } }: { item: MediaItem }) {
  if (!capture) return null;
  const { zone, camera, place, latitude, longitude } = capture;
  return (
    <>
      {takenAt ? (
        <Row name="Taken">
          <time dateTime={takenAt}>{formatTaken(takenAt, zone)}</time>
          <span className="block text-xs text-quiet">
            {capture.text} · {zone === null ? 'time zone unknown' : `UTC${zone === '+00:00' ? '' : zone}`}
          </span>
          <span className="block text-xs text-quiet">{capture.source}</span>
        </Row>
      ) : null}
      {camera ? <Row name="Camera">{camera}</Row> : null}
      {place ? <Row name="Place">{place}</Row> : null}
      {latitude === null || longitude === null ? null : (
        <Row name="Position">
          <Position latitude={latitude} longitude={longitude} />
        </Row>
      )}
    </>
  );
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-quiet">{name}</dt>
    <dd className="text-right break-words tabular-nums">{children}</dd>
  </div>
);

/** Digits behind the point: a step of 11 m, better than the receivers of cameras. */
const digits = 4;
/** Streets and their names can be read. */
const mapZoom = 15;

/** A position to copy, and to see on a map on request: no third party learns of it before. */
function Position({ latitude, longitude }: { latitude: number; longitude: number }) {
  const text = `${latitude.toFixed(digits)}, ${longitude.toFixed(digits)}`;
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${mapZoom}/${latitude}/${longitude}`;
  return (
    <span className="-my-2 inline-flex items-center">
      {text}
      <CopyButton text={text} label="Copy position" />
      <Button asChild variant="quiet" size="icon" className="-mr-2.5">
        <a href={map} target="_blank" rel="noreferrer" aria-label="Show on OpenStreetMap" title="Show on OpenStreetMap">
          <MapPin aria-hidden />
        </a>
      </Button>
    </span>
  );
}

type Details = NonNullable<MediaItem['details']>;
type Rows = [name: string, value: string | undefined][];

/** The technical details of a file, folded until they are opened. Nothing where none are known. */
function TechnicalDetails({ details }: { details: Details | null }) {
  const rows = [...containerRows(details ?? {}), ...videoRows(details?.video), ...audioRows(details?.audio)]
    .concat(imageRows(details?.image))
    .filter((row): row is [string, string] => row[1] !== undefined);
  if (rows.length === 0) return null;
  return (
    <details className="group mt-3 border-t border-line pt-3">
      <summary className="flex cursor-pointer list-none items-center gap-1 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 text-quiet transition-transform group-open:rotate-90" aria-hidden />
        Technical details
      </summary>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="text-right break-words tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const join = (...parts: (string | undefined)[]): string | undefined => parts.filter(Boolean).join(' · ') || undefined;

/** Bits per second in the unit that people compare. */
const rate = (bits: number | undefined): string | undefined =>
  bits === undefined
    ? undefined
    : bits < 1e6
      ? `${Math.round(bits / 1000)} kbit/s`
      : `${(bits / 1e6).toFixed(bits < 1e7 ? 1 : 0)} Mbit/s`;

const containerRows = ({ container, bit_rate, audio_tracks, subtitle_tracks }: Details): Rows => [
  ['Container', container],
  ['Bit rate', rate(bit_rate)],
  ['Audio tracks', audio_tracks === undefined ? undefined : String(audio_tracks)],
  ['Subtitle tracks', subtitle_tracks ? String(subtitle_tracks) : undefined],
];

const videoRows = (video: Details['video']): Rows =>
  video
    ? [
        ['Video', join(video.codec?.toUpperCase(), video.profile, rate(video.bit_rate))],
        ['Frame rate', video.frame_rate === undefined ? undefined : `${video.frame_rate} fps`],
        ['Pixels', join(video.pixel_format, video.colour_space, video.hdr)],
        ['Rotation', video.rotation === undefined ? undefined : `${video.rotation}°`],
      ]
    : [];

const audioRows = (audio: Details['audio']): Rows =>
  audio
    ? [
        [
          'Audio',
          join(
            audio.codec?.toUpperCase(),
            audio.channels === undefined ? undefined : (channelNames[audio.channels] ?? `${audio.channels} channels`),
            audio.sample_rate === undefined ? undefined : `${formatCount(audio.sample_rate)} Hz`,
            rate(audio.bit_rate),
          ),
        ],
      ]
    : [];

const channelNames: Record<number, string> = { 1: 'mono', 2: 'stereo', 6: '5.1', 8: '7.1' };

const imageRows = (image: Details['image']): Rows =>
  image
    ? [
        ['Format', join(image.format, image.bit_depth === undefined ? undefined : `${image.bit_depth} bit`)],
        ['Colour space', image.colour_space === 'srgb' ? 'sRGB' : image.colour_space],
        ['Lens', image.lens],
        [
          'Exposure',
          join(
            image.exposure_time === undefined ? undefined : exposure(image.exposure_time),
            image.f_number === undefined ? undefined : `f/${Number(image.f_number.toFixed(1))}`,
            image.iso === undefined ? undefined : `ISO ${image.iso}`,
          ),
        ],
        ['Focal length', image.focal_length === undefined ? undefined : `${Number(image.focal_length.toFixed(1))} mm`],
      ]
    : [];

/** Seconds as photographers say them: `1/200 s`, `2.5 s`. */
const exposure = (seconds: number): string =>
  seconds < 0.3 ? `1/${Math.round(1 / seconds)} s` : `${Number(seconds.toFixed(1))} s`;
