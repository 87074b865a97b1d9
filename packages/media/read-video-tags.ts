import {
  AV_PKT_DATA_DOVI_CONF,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  AVMEDIA_TYPE_AUDIO,
} from 'node-av/constants';
import { avGetPixFmtName, type Stream } from 'node-av/lib';
import type { MediaDetails } from '../../contract/media-details.ts';
import { cleanText, type FileTags, findDate, known, nameCamera, position } from './file-tags.ts';
import type { ProbedMedia, ProbedVideo } from './probe-video.ts';
import { toStackKey } from './read-apple-notes.ts';

/** What a video or a recording says of itself: date, camera, position, title and technical details. */
export function readVideoTags(probed: ProbedMedia | ProbedVideo, mimeType: string): FileTags {
  const tags = lowerCase(probed.metadata);
  // MP4 and QuickTime count from 1904, and a device without a clock writes 0; others count from 1970.
  const created = /^(1904|1970)-01-01/.test(tags['creation_time'] ?? '') ? undefined : tags['creation_time'];
  return {
    recording: {
      ...findDate([
        { source: 'QuickTime creationdate', text: tags['com.apple.quicktime.creationdate'] },
        { source: 'Matroska DATE_RECORDED', text: tags['date_recorded'] },
        { source: 'creation_time', text: created },
        { source: 'date', text: tags['date'] },
      ]),
      camera: nameCamera(
        tags['com.apple.quicktime.make'] ?? tags['com.android.manufacturer'] ?? tags['make'],
        tags['com.apple.quicktime.model'] ?? tags['com.android.model'] ?? tags['model'],
      ),
      ...parseLocation(tags['com.apple.quicktime.location.iso6709'] ?? tags['location']),
      place: null,
    },
    tags: probed.tags,
    rating: null,
    details: describeTracks(probed, tags, mimeType),
    stackKey: toStackKey({ content: tags['com.apple.quicktime.content.identifier'] }),
  };
}

const lowerCase = (metadata: Record<string, string>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]));

/** A position as ISO 6709 (annex H) writes it in degrees, in degrees and minutes, or with seconds: `+53.5459+009.9695+012.3/`, `+5332.754+00958.170/`. */
function parseLocation(text: string | undefined) {
  const match = /^([+-])(\d{1,6})(\.\d{1,15})?([+-])(\d{1,7})(\.\d{1,15})?/.exec(text ?? '');
  if (!match) return position(null, null);
  const [, north, latitude = '', latitudeRest = '', east, longitude = '', longitudeRest = ''] = match;
  return position(
    (north === '-' ? -1 : 1) * toDegrees(latitude, latitudeRest, 2),
    (east === '-' ? -1 : 1) * toDegrees(longitude, longitudeRest, 3),
  );
}

/** Degrees from digits: those before the last two or four, which then are minutes and seconds. NaN for what is none. */
function toDegrees(digits: string, fraction: string, degreeDigits: number): number {
  if (digits.length <= degreeDigits) return Number(digits + fraction);
  const parts = [digits.slice(0, degreeDigits), ...(digits.slice(degreeDigits).match(/../g) ?? [])];
  if (parts.join('') !== digits) return NaN;
  const [degrees, minutes, seconds] = parts.map((part, i) => Number(i === parts.length - 1 ? part + fraction : part));
  if ((minutes ?? 0) >= 60 || (seconds ?? 0) >= 60) return NaN;
  return (degrees ?? NaN) + (minutes ?? 0) / 60 + (seconds ?? 0) / 3600;
}

/** Containers by their media types. */
const containers: Record<string, string> = {
  'video/mp4': 'MP4',
  'video/x-m4v': 'M4V',
  'video/quicktime': 'QuickTime',
  'video/3gpp': '3GPP',
  'video/3gpp2': '3GPP2',
  'video/matroska': 'Matroska',
  'video/webm': 'WebM',
  'video/vnd.avi': 'AVI',
  'video/mpeg': 'MPEG',
  'video/MP1S': 'MPEG',
  'video/MP2P': 'MPEG',
  'video/mp2t': 'MPEG-TS',
  'video/x-flv': 'Flash Video',
  'video/x-ms-asf': 'Windows Media',
  'application/vnd.ms-asf': 'Windows Media',
  'video/ogg': 'Ogg',
  'video/x-dv': 'DV',
  'application/mxf': 'MXF',
  'application/vnd.rn-realmedia': 'RealMedia',
  'audio/mpeg': 'MP3',
  'audio/mp4': 'MP4',
  'audio/quicktime': 'QuickTime',
  'audio/matroska': 'Matroska',
  'audio/webm': 'WebM',
  'audio/aac': 'AAC',
  'audio/wav': 'WAV',
  'audio/flac': 'FLAC',
  'audio/ogg': 'Ogg',
  'audio/aiff': 'AIFF',
  'audio/amr': 'AMR',
  'audio/x-caf': 'Core Audio',
  'audio/x-ms-asf': 'Windows Media',
  'image/gif': 'GIF',
  'image/apng': 'APNG',
  'image/webp': 'WebP',
};

function describeTracks(
  probed: ProbedMedia | ProbedVideo,
  tags: Record<string, string | undefined>,
  mimeType: string,
): MediaDetails {
  const { demuxer, audio, audioCodec, subtitles } = probed;
  return known({
    title: cleanText(tags['title']),
    artist: cleanText(tags['artist'] ?? tags['album_artist']),
    album: cleanText(tags['album']),
    container: containers[mimeType],
    bit_rate: toCount(demuxer.getFormatContext().bitRate),
    video: 'videoCodec' in probed ? describePicture(probed) : undefined,
    audio: audio && describeSound(audio, audioCodec),
    audio_tracks: demuxer.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO).length,
    subtitle_tracks: subtitles.length,
  });
}

function describePicture({ video, videoCodec, orientation }: ProbedVideo): MediaDetails['video'] {
  const { codecpar, avgFrameRate } = video;
  const rate = avgFrameRate.den > 0 ? avgFrameRate.num / avgFrameRate.den : 0;
  return known({
    codec: videoCodec,
    profile: profiles[videoCodec]?.[codecpar.profile],
    frame_rate: rate > 0 && rate < 100_000 ? Math.round(rate * 1000) / 1000 : undefined,
    bit_rate: toCount(codecpar.bitRate),
    pixel_format: cleanText(avGetPixFmtName(codecpar.format as Parameters<typeof avGetPixFmtName>[0])),
    colour_space: primaries[codecpar.colorPrimaries],
    hdr: describeRange(video),
    rotation: orientation.rotation === 0 ? undefined : orientation.rotation,
  });
}

function describeRange({ codecpar }: Stream): NonNullable<MediaDetails['video']>['hdr'] {
  if (codecpar.getCodedSideData(AV_PKT_DATA_DOVI_CONF)) return 'Dolby Vision';
  if (codecpar.colorTrc === AVCOL_TRC_SMPTE2084) return 'HDR10';
  return codecpar.colorTrc === AVCOL_TRC_ARIB_STD_B67 ? 'HLG' : undefined;
}

const describeSound = ({ codecpar }: Stream, codec: string | undefined): MediaDetails['audio'] =>
  known({
    codec,
    channels: toCount(codecpar.channels),
    sample_rate: toCount(codecpar.sampleRate),
    bit_rate: toCount(codecpar.bitRate),
  });

/** A number that counts something; headers that state none hold 0, and damaged ones anything. */
function toCount(value: bigint | number): number | undefined {
  const count = Number(value);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** Primaries by their numbers in ITU-T H.273, table 2. */
const primaries: Record<number, string> = { 1: 'bt709', 5: 'bt470bg', 6: 'smpte170m', 9: 'bt2020', 12: 'Display P3' };

/** Profiles by codec and their numbers there: ITU-T H.264 (A.2), H.265 (A.3), AV1 (A.2); of ProRes as FFmpeg counts them. */
const profiles: Record<string, Record<number, string>> = {
  h264: {
    66: 'Baseline',
    578: 'Constrained Baseline',
    77: 'Main',
    88: 'Extended',
    100: 'High',
    110: 'High 10',
    122: 'High 4:2:2',
    244: 'High 4:4:4 Predictive',
  },
  hevc: { 1: 'Main', 2: 'Main 10', 3: 'Main Still Picture', 4: 'Range Extensions' },
  av1: { 0: 'Main', 1: 'High', 2: 'Professional' },
  vp9: { 0: 'Profile 0', 1: 'Profile 1', 2: 'Profile 2', 3: 'Profile 3' },
  prores: { 0: 'Proxy', 1: 'LT', 2: 'Standard', 3: 'HQ', 4: '4444', 5: '4444 XQ' },
};
