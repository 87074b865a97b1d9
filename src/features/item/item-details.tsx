import { clsx } from 'clsx';
import { ChevronRight, ExternalLink, MapPinned } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatBytes, formatCount, formatDate, formatTime } from '../../lib/format.ts';
import { formatTaken } from '../../lib/taken.ts';
import { describeReading } from '../../lib/text-reading.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/** What is known of an item: what people say of it, when and where it was recorded, and its file. */
export const ItemDetails = ({
  item,
  badge,
  children,
}: {
  item: MediaItem;
  /** Its status, where that needs attention. */
  badge: ReactNode;
  /** What people say of it: its labels. */
  children: ReactNode;
}) => (
  <section aria-label="Details">
    <div className="mb-4 flex items-start justify-between gap-3">
      <FileName key={item.id} name={item.filename} />
      {badge}
    </div>
    {children}
    <dl className="mt-5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 border-t border-line pt-4">
      <CaptureRows item={item} />
      {item.duration === null ? null : <Row name="Duration">{formatTime(item.duration)}</Row>}
      <Row name="Size">{formatBytes(item.size)}</Row>
      <Row name={item.source ? 'Added' : 'Uploaded'}>{formatDate(item.created_at)}</Row>
    </dl>
    <TechnicalDetails item={item} />
  </section>
);

/** A name has two lines; one that is longer, which cameras and archives make, unfolds. */
function FileName({ name }: { name: string }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <div className="min-w-0">
      <h2 className={clsx('text-title font-semibold wrap-anywhere', !isWhole && 'line-clamp-2')}>{name}</h2>
      {name.length > longName ? (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="mt-1 text-label font-medium text-accent hover:underline pointer-coarse:min-h-11"
        >
          {isWhole ? 'Show less' : 'Show the whole name'}
        </button>
      ) : null}
    </div>
  );
}

/** Letters that surely fit two lines. */
const longName = 60;

/** When, where and with what an item was recorded, as rows of its details; what its file does not say is left out. */
function CaptureRows({ item: { taken_at: takenAt, capture, details } }: { item: MediaItem }) {
  if (!capture) return null;
  const { zone, camera, place, latitude, longitude } = capture;
  const lens = details?.image?.lens ?? details?.video?.lens;
  return (
    <>
      {takenAt ? (
        <Row name="Taken">
          <time dateTime={takenAt}>{formatTaken(takenAt, zone)}</time>
        </Row>
      ) : null}
      {camera ? <Row name="Camera">{camera}</Row> : null}
      {lens ? <Row name="Lens">{lens}</Row> : null}
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

/** A position to copy, to see among the others, and on a map of streets on request: no third party learns of it before. */
function Position({ latitude, longitude }: { latitude: number; longitude: number }) {
  const text = `${latitude.toFixed(digits)}, ${longitude.toFixed(digits)}`;
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=${mapZoom}/${latitude}/${longitude}`;
  return (
    <span className="-my-2 inline-flex items-center">
      {text}
      <CopyButton text={text} label="Copy position" />
      <Button asChild variant="quiet" size="icon">
        <Link to={paths.mapAt(latitude, longitude)} aria-label="Show on the map" title="Show on the map">
          <MapPinned aria-hidden />
        </Link>
      </Button>
      <Button asChild variant="quiet" size="icon" className="-mr-2.5">
        <a href={map} target="_blank" rel="noreferrer" aria-label="Show on OpenStreetMap" title="Show on OpenStreetMap">
          <ExternalLink aria-hidden />
        </a>
      </Button>
    </span>
  );
}

type Details = NonNullable<MediaItem['details']>;
type Rows = [name: string, value: string | undefined, title?: string | undefined][];

/** What few people look for, folded until it is opened: the file, how far its texts are read, and what it was encoded with. */
function TechnicalDetails({ item }: { item: MediaItem }) {
  const { details } = item;
  const rows = [...dateRows(item), ...fileRows(item), ...containerRows(details ?? {}), ...videoRows(details?.video)]
    .concat(audioRows(details?.audio), imageRows(details?.image))
    .filter((row): row is [string, string, string?] => row[1] !== undefined);
  return (
    <details className="group mt-4 border-t border-line pt-3">
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-1 font-medium pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 text-quiet transition-transform group-open:rotate-90" aria-hidden />
        Technical details
      </summary>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {rows.map(([name, value, title]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="text-right break-words tabular-nums" title={title}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The date as the file has it and where in the file, or as a client set it. */
const dateRows = ({ capture }: MediaItem): Rows =>
  capture?.text
    ? [
        ['Date', `${capture.text} · ${describeZone(capture.zone)}`],
        ['Date from', capture.source ?? undefined],
      ]
    : [];

const describeZone = (zone: string | null): string =>
  zone === null ? 'time zone unknown' : `UTC${zone === '+00:00' ? '' : zone}`;

const fileRows = (item: MediaItem): Rows => [
  ['Type', item.mime_type],
  ['Title', item.details?.title],
  ['Artist', item.details?.artist],
  ['Album', item.details?.album],
  ['Dimensions', item.width === null || item.type === 'audio' ? undefined : `${item.width} × ${item.height}`],
  ['Scenes', item.type === 'video' && item.chunk_count > 0 ? String(item.chunk_count) : undefined],
  // Nothing is written in a recording.
  ...(item.type === 'audio'
    ? []
    : ([['On-screen text', describeReading(item.ocr) ?? undefined, item.ocr?.message ?? undefined]] satisfies Rows)),
  // Nobody speaks in a photograph.
  ...(item.type !== 'image'
    ? ([['Speech', describeReading(item.speech) ?? undefined, item.speech?.message ?? undefined]] satisfies Rows)
    : []),
  ['Indexed', item.indexed_at === null ? undefined : formatDate(item.indexed_at)],
  ...(item.sha256 === null ? [] : ([['SHA-256', `${item.sha256.slice(0, 16)}…`, item.sha256]] satisfies Rows)),
];

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
