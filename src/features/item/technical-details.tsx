import { ChevronRight } from 'lucide-react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';

type Details = NonNullable<MediaItem['details']>;
type Rows = [name: string, value: string | undefined][];

/** The technical details of a file, folded until somebody asks. Nothing where none are known. */
export function TechnicalDetails({ details }: { details: Details | null }) {
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
