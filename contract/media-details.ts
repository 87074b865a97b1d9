import { z } from 'zod';

const text = z.string().max(200);
const count = z.int().min(0);

/** What `capture.source` says of a date that `PATCH /media/:id` set. */
export const setHere = 'Set in Media Search';

/** When and where an item was recorded, and with what, as its file says. */
export const capture = z
  .object({
    text: text.nullable().describe('The date as the file says it.'),
    source: text
      .nullable()
      .describe(`The tag that says it, such as \`EXIF DateTimeOriginal\`; \`${setHere}\`: \`PATCH /media/:id\` did.`),
    zone: z
      .string()
      .regex(/^[+-]\d{2}:\d{2}$/)
      .nullable()
      .describe(
        'Time zone of `taken_at`; null: unknown, then `taken_at` is the local clock time written as if it were UTC.',
      ),
    camera: text.nullable().describe('Make and model.'),
    latitude: z.number().min(-90).max(90).nullable().describe('Degrees, WGS 84.'),
    longitude: z.number().min(-180).max(180).nullable().describe('Degrees, WGS 84.'),
    place: text
      .nullable()
      .describe(
        'City, region and country: as the file names them, otherwise of the nearest place to the position, up to 50 km away.',
      ),
  })
  .meta({
    id: 'Capture',
    examples: [
      {
        text: '2026-07-14T21:12:08+0200',
        source: 'QuickTime creationdate',
        zone: '+02:00',
        camera: 'Apple iPhone 15',
        latitude: 53.5459,
        longitude: 9.9695,
        place: null,
      },
    ],
  });

const videoDetails = z.object({
  codec: text.optional(),
  profile: text.optional(),
  frame_rate: z.number().min(0).optional().describe('Frames per second.'),
  bit_rate: count.optional().describe('Bits per second.'),
  pixel_format: text.optional().describe('As FFmpeg names it, such as `yuv420p10le`.'),
  colour_space: text.optional().describe('Primaries, such as `bt2020`.'),
  hdr: z.enum(['HDR10', 'HLG', 'Dolby Vision']).optional(),
  lens: text.optional(),
  rotation: z
    .union([z.literal(90), z.literal(180), z.literal(270)])
    .optional()
    .describe('Degrees, clockwise.'),
});

const audioDetails = z.object({
  codec: text.optional(),
  channels: count.optional(),
  sample_rate: count.optional().describe('Hertz.'),
  bit_rate: count.optional().describe('Bits per second.'),
});

const imageDetails = z.object({
  format: text.optional(),
  colour_space: text.optional(),
  bit_depth: count.optional().describe('Bits of each channel.'),
  orientation: z.int().min(1).max(8).optional().describe('As EXIF numbers it; 1 is upright.'),
  lens: text.optional(),
  exposure_time: z.number().positive().optional().describe('Seconds.'),
  f_number: z.number().positive().optional(),
  iso: count.optional(),
  focal_length: z.number().positive().optional().describe('Millimetres.'),
});

/** Technical details of a file. What is not known is left out. */
export const mediaDetails = z
  .object({
    title: text.optional().describe('As the file says it, such as that of a piece of music.'),
    artist: text.optional(),
    album: text.optional(),
    cover: z.literal(true).optional().describe('A recording whose file has a picture, which is its thumbnail.'),
    container: text.optional().describe('Of a video or a recording, such as `MP4`.'),
    bit_rate: count.optional().describe('Of all tracks together, bits per second.'),
    video: videoDetails.optional(),
    audio: audioDetails.optional().describe('The first audio track.'),
    audio_tracks: count.optional(),
    subtitle_tracks: count.optional(),
    image: imageDetails.optional(),
  })
  .meta({
    id: 'MediaDetails',
    examples: [
      {
        container: 'MP4',
        bit_rate: 3_431_000,
        video: { codec: 'h264', profile: 'High', frame_rate: 30, bit_rate: 3_300_000, pixel_format: 'yuv420p' },
        audio: { codec: 'aac', channels: 2, sample_rate: 48_000, bit_rate: 128_000 },
        audio_tracks: 1,
        subtitle_tracks: 0,
      },
    ],
  });
export type MediaDetails = z.output<typeof mediaDetails>;
