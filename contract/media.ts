import { z } from 'zod';
import { labelName } from './creators.ts';
import { orders } from './fields.ts';
import { listFilterParameters } from './filters.ts';
import { capture, mediaDetails } from './media-details.ts';
import { identifier, mediaStatus, mediaType, pageParameters, timestamp, integerParameter } from './parameters.ts';
import { itemSource } from './sources.ts';
import { textExtraction } from './texts.ts';

export type MediaStatus = z.output<typeof mediaStatus>;

export type MediaType = z.output<typeof mediaType>;

export const reviewState = z.enum(['none', 'approved', 'needs_changes']);
export type ReviewState = z.output<typeof reviewState>;

/** What a review decided of an item. */
export const review = z.object({
  state: reviewState,
  by: z.string().nullable().describe('The name of the person; null: a script with a key, or nobody yet.'),
  at: timestamp.nullable().describe('Null: not reviewed yet.'),
});

export const indexingStage = z.enum(['queued', 'reading', 'analysing', 'rendering', 'storing']);
export type IndexingStage = z.output<typeof indexingStage>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 checksum, 64 hexadecimal digits in lower case');

/** A picture of an item in one size. */
const picture = z
  .object({
    width: z.int().min(1).describe('Pixels.'),
    height: z.int().min(1).describe('Pixels.'),
    url: z.url().describe('Signed, expiring.'),
  })
  .meta({ id: 'Picture' });
export type Picture = z.output<typeof picture>;

/** A thumbnail in the sizes that a client can choose from. */
export const thumbnailSizes = z
  .array(picture)
  .describe(
    'The thumbnail in each of its sizes (longest side 320, 640, 1280), the smallest first, as for `srcset`. Never cropped, never larger than the item; empty before it is indexed.',
  );

export const rating = z.int().min(0).max(5);

const files = 'http://127.0.0.1:8080/files/01a1fbe4-6806-793e-a30f-22b8a44e4f80/01a1fbe4-6806-793e-a30f-22b8a44e4f85';
const signature = '?expires=1795284000&signature=Zm9yIGV4YW1wbGU';

export const exampleItem = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  filename: 'harbour.mp4',
  type: 'video',
  status: 'complete',
  progress: null,
  error: null,
  warning: null,
  creator_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f90',
  category_id: null,
  collection_ids: [],
  tag_ids: ['01a1fbe4-6806-793e-a30f-22b8a44e4fb0'],
  rating: 4,
  review: { state: 'approved', by: 'Ana Lima', at: '2026-11-22T14:03:00.000Z' },
  comments: { total: 3, open: 1 },
  duration: 42.6,
  width: 1920,
  height: 1080,
  size: 18_273_645,
  mime_type: 'video/mp4',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  source: null,
  chunk_count: 9,
  stack: null,
  taken_at: '2026-07-14T19:12:08.000Z',
  capture: {
    text: '2026-07-14T21:12:08+0200',
    source: 'QuickTime creationdate',
    zone: '+02:00',
    camera: 'Apple iPhone 15',
    latitude: 53.5459,
    longitude: 9.9695,
    place: null,
  },
  details: {
    container: 'MP4',
    bit_rate: 3_431_000,
    video: { codec: 'h264', profile: 'High', frame_rate: 30, bit_rate: 3_300_000, pixel_format: 'yuv420p' },
    audio: { codec: 'aac', channels: 2, sample_rate: 48_000, bit_rate: 128_000 },
    audio_tracks: 1,
    subtitle_tracks: 0,
  },
  ocr: { state: 'complete', progress: null, language: 'en', model: 'pp-ocrv4', message: null },
  speech: { state: 'pending', progress: 0.4, language: null, model: null, message: null },
  url: `${files}/original${signature}`,
  download_url: `${files}/download${signature}`,
  thumbnail: `${files}/poster-1280.webp${signature}`,
  thumbnails: [
    { width: 320, height: 180, url: `${files}/poster-320.webp${signature}` },
    { width: 640, height: 360, url: `${files}/poster-640.webp${signature}` },
    { width: 1280, height: 720, url: `${files}/poster-1280.webp${signature}` },
  ],
  preview: null,
  waveform: null,
  placeholder: '3OcRJYB4d3h/iIeHeEh3eIhw+j2w',
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:07.000Z',
  indexed_at: '2026-11-21T09:30:07.000Z',
};

/** Items that stand together as one. */
export const itemStack = z.object({
  id: identifier.describe('The item that is shown for all of them in lists.'),
  count: z.int().min(1).describe('Items in it.'),
  live: z.boolean().describe('Whether a film is one of them: a Live Photo.'),
});

export const mediaItem = z
  .object({
    id: identifier,
    filename: z.string().describe('As uploaded, path parts stripped. Text to show, never a path to use.'),
    type: mediaType.describe('An animated image counts as video, and a video without pictures as audio.'),
    status: mediaStatus,
    progress: z
      .object({ stage: indexingStage, fraction: z.number().min(0).max(1).describe('Never goes backwards.') })
      .nullable()
      .describe('While pending or indexing.'),
    error: z
      .object({ code: z.string(), message: z.string().describe('A sentence that the uploader can act on.') })
      .nullable()
      .describe('Only in status `error`.'),
    warning: z
      .object({
        code: z
          .string()
          .describe(
            '`truncated_media`: the file is cut off, so what comes after is missing; `original_missing`: the original is no ' +
              'longer on the server; `original_damaged`: it is not as it was uploaded; `audio_damaged`: a part of its sound ' +
              'could not be read.',
          ),
        message: z.string().describe('A sentence that the uploader can act on.'),
      })
      .nullable()
      .describe('What is wrong with the file of an item, in any status.'),
    creator_id: identifier.nullable(),
    category_id: identifier.nullable(),
    collection_ids: z
      .array(identifier)
      .describe('The collections that it is in, the one it was added to first in front.'),
    tag_ids: z.array(identifier).describe('Its tags, the one that it got first in front.'),
    rating: rating.describe('Stars that people gave it, as `xmp:Rating` has them; 0: not rated.'),
    review: review.describe('Whether it was approved. `POST /media/:id/review` changes it.'),
    comments: z
      .object({ total: z.int().min(0), open: z.int().min(0).describe('Not resolved, without replies.') })
      .describe('How many comments it has, with replies.'),
    duration: z.number().min(0).nullable().describe('Seconds; null for images.'),
    width: z
      .int()
      .min(1)
      .nullable()
      .describe('Pixels as displayed, rotation applied. Of a recording those of its picture.'),
    height: z.int().min(1).nullable().describe('See `width`.'),
    size: z.int().min(0).describe('Bytes of the original.'),
    mime_type: z.string().describe('Read from the content, not from the name.'),
    sha256: sha256
      .nullable()
      .describe('Of the original; null for one that is indexed in place, which is not read whole.'),
    source: itemSource.nullable().describe('Where it is indexed in place; null: it was uploaded.'),
    chunk_count: z.int().min(0),
    stack: itemStack
      .nullable()
      .describe(
        'What it stands together with: the parts of a Live Photo, or a burst, by what the files say, or chosen by `PATCH /media/:id`. `GET /media?stack_id=` lists them; null: it stands alone.',
      ),
    taken_at: timestamp
      .nullable()
      .describe(
        'When it was recorded, as the file says; null: unknown. Without a `capture.zone` it is the local clock time written as if it were UTC.',
      ),
    capture: capture.nullable().describe('What the file says about its recording; null: nothing.'),
    details: mediaDetails.nullable().describe('Technical details of the file; null: not read yet.'),
    ocr: textExtraction.describe('The reading of what is written in the picture. It goes on behind a complete item.'),
    speech: textExtraction.describe('The transcription of what is said. It goes on behind a complete item.'),
    url: z.url().nullable().describe('Playable or displayable in a browser. Signed, expiring, serves byte ranges.'),
    download_url: z.url().describe('The original, byte for byte. Signed, expiring.'),
    thumbnail: z.url().nullable().describe('The largest of `thumbnails`. Signed, expiring.'),
    thumbnails: thumbnailSizes,
    preview: picture
      .nullable()
      .describe(
        'A photograph with at most 2048 pixels a side, to be shown before the original; null: no photograph, or `url` is as small.',
      ),
    waveform: z
      .url()
      .nullable()
      .describe(
        'How loud a recording is over its time: JSON `{ "peaks": [0..255, …] }`, at most 20,000, relative to the loudest. Signed, expiring; null: no recording, or not indexed yet.',
      ),
    placeholder: z.string().nullable().describe('ThumbHash of the thumbnail in base64, to show until that is loaded.'),
    created_at: timestamp,
    updated_at: timestamp,
    indexed_at: timestamp.nullable(),
  })
  .meta({ id: 'MediaItem', examples: [exampleItem] });
export type MediaItem = z.output<typeof mediaItem>;

const mediaSort = z.enum([...orders.map(({ value }) => value), 'position']);

/** Which items a list has, and in which order. */
const orderedList = {
  ...listFilterParameters,
  sort: mediaSort
    .default('-created_at')
    .describe(
      'Field to sort by; `-` in front for descending. By `taken_at`: by the month of the local calendar, then by time; items without a date are last. `position`: the order of the collection `collection_id`.',
    ),
};

/** Whether the items have the order that is asked for: places are those in one collection. */
const hasOrder = ({ sort, collection_id: collection }: { sort: string; collection_id?: string | undefined }) =>
  sort !== 'position' || collection !== undefined;
const noOrder = { path: ['sort'], message: 'can be `position` with `collection_id` only' };

export const listMediaQuery = z.object({ ...pageParameters, ...orderedList }).refine(hasOrder, noOrder);
export type ListMediaQuery = z.output<typeof listMediaQuery>;

export const listAspectRatiosQuery = z.object(orderedList).refine(hasOrder, noOrder);
export type ListAspectRatiosQuery = z.output<typeof listAspectRatiosQuery>;

export const listMediaIdsQuery = z
  .object({
    ...orderedList,
    offset: integerParameter(0, 1_000_000_000).default(0).describe('How many items of the list come before.'),
    limit: integerParameter(1, 20_000).default(1000).describe('Items, at most 20000.'),
  })
  .refine(hasOrder, noOrder);
export type ListMediaIdsQuery = z.output<typeof listMediaIdsQuery>;

export const aspectRatio = z
  .int()
  .min(0)
  .meta({ examples: [150] });

export const listMonthsQuery = z.object({ ...listFilterParameters });

export const mediaMonth = z
  .object({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .nullable()
      .describe('Of the local calendar of the recordings; null: those without a date.'),
    count: z.int().min(1),
  })
  .meta({ id: 'MediaMonth', examples: [{ month: '2026-07', count: 212 }] });

const tagNames = z.array(labelName).max(20, 'must have at most 20 entries');

/** The text fields of an upload's multipart form; the part `file` carries the bytes. */
export const uploadFields = z.object({
  creator_id: identifier.optional().describe('A creator of this workspace.'),
  category_id: identifier.optional().describe('A category of this workspace.'),
  collection_id: identifier.optional().describe('A collection of this workspace that a new item goes into.'),
  tags: z
    .string()
    .max(1000, 'must have at most 1000 characters')
    .transform((text) => text.split(','))
    .pipe(tagNames)
    .optional()
    .describe('Names of tags of a new item, separated by commas. Those that do not exist are created.'),
});
export type UploadFields = z.output<typeof uploadFields>;

export const notApplied = z
  .array(z.enum(['creator_id', 'category_id', 'collection_id', 'tags']))
  .optional()
  .describe(
    'Labels that were sent with bytes which are here already, and which the existing item does not have: it keeps its own. `PATCH /media/:id` and the items of collections and tags change them.',
  );

export const duplicateMeta = z
  .object({
    duplicate: z.literal(true).optional().describe('These bytes were in the workspace already.'),
    not_applied: notApplied,
  })
  .meta({ examples: [{}] });

/** The name of a file as people give it: up to 255 characters as they count them, no path, nothing that cannot be seen. */
const filename = z
  .string()
  .trim()
  .normalize('NFC')
  .min(1, 'must not be empty')
  .refine((name) => Array.from(name).length <= 255, 'must have at most 255 characters')
  .refine((name) => !/[/\\]/.test(name) && name !== '.' && name !== '..', 'must not be a path')
  // Among them the marks that turn the direction of writing: "gpj.exe" must not read "exe.jpg".
  .refine((name) => !/\p{C}/u.test(name), 'must not hold control characters or invisible marks')
  .meta({ maxLength: 255 });

/** Where a file is that the service downloads, and the labels of the new item. */
export const importMediaBody = z
  .object({
    ...uploadFields.shape,
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2048, 'must have at most 2048 characters')
      .describe('URL of the file itself. Private IP addresses are refused unless the operator allows them.'),
    filename: filename.optional().describe('Name of a new item; by default the one that the server of the URL gives.'),
    tags: tagNames.optional().describe('Names of tags of a new item. Those that do not exist are created.'),
  })
  .meta({ examples: [{ url: 'https://example.org/harbour.mp4', tags: ['ferries'] }] });

/** The first photograph was taken in 1826; no zone is 15 hours ahead or behind; no clock shows more than nanoseconds. */
const isTakenAt = (text: string) => text >= '1826' && !/[+-](?:1[5-9]|2\d):\d\d$|\.\d{10}/.test(text);

/** What can be changed on an item. */
export const mediaChanges = z
  .object({
    filename: filename.optional().describe('A new name. The file itself and its type stay as they are.'),
    creator_id: identifier.nullable().optional().describe('A creator of this workspace, or null to clear it.'),
    category_id: identifier.nullable().optional().describe('A category of this workspace, or null to clear it.'),
    rating: rating.optional().describe('Stars, 1 to 5; 0 takes the rating away.'),
    taken_at: z.iso
      .datetime({ offset: true, local: true, error: 'must be a time such as 2026-07-14T21:12:08+02:00' })
      .refine(isTakenAt, 'must be a time from 1826 on, in a zone of this earth')
      .optional()
      .describe(
        'When it was recorded, with a zone; without one where only the local clock time is known. It stays when the file is indexed again.',
      ),
    stack_id: identifier
      .nullable()
      .optional()
      .describe(
        'Another item: it is shown for this one from now on, in one stack. Null takes this one out of its stack.',
      ),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must hold at least one field')
  .meta({ examples: [{ category_id: '01a1fbe4-6806-793e-a30f-22b8a44e4fa0' }] });
export type MediaChanges = z.output<typeof mediaChanges>;

export const deletedMedia = z
  .object({ id: identifier, deleted: z.literal(true) })
  .meta({ id: 'DeletedMedia', examples: [{ id: exampleItem.id, deleted: true }] });

export const checkMediaBody = z
  .object({
    sha256: z.array(sha256).min(1).max(1000).describe('SHA-256 checksums of files, in lower-case hexadecimal.'),
  })
  .meta({ examples: [{ sha256: [exampleItem.sha256] }] });

export const checkedMedia = z
  .object({ sha256, media_id: identifier.nullable().describe('The item with these bytes; null: not here yet.') })
  .meta({ id: 'CheckedMedia', examples: [{ sha256: exampleItem.sha256, media_id: exampleItem.id }] });

export const chunk = z
  .object({
    id: identifier,
    start: z.number().min(0).describe('Seconds; 0 for an image.'),
    end: z.number().min(0).describe('Seconds; 0 for an image.'),
    thumbnail: z.url().describe('Signed, expiring.'),
    thumbnails: thumbnailSizes,
    text: z
      .string()
      .nullable()
      .describe('What is said and written in it (subtitles, chapter titles, speech, on-screen text), or null.'),
  })
  .meta({
    id: 'Chunk',
    examples: [
      {
        id: '01a1fbe4-7002-7d3a-8f10-0d1c5b9e2a11',
        start: 12.5,
        end: 17.04,
        thumbnail: `${files}/chunk-00002.webp${signature}`,
        thumbnails: [
          { width: 320, height: 180, url: `${files}/chunk-00002-320.webp${signature}` },
          { width: 480, height: 270, url: `${files}/chunk-00002.webp${signature}` },
        ],
        text: 'The ferry leaves at noon.',
      },
    ],
  });

export const listChunksQuery = z.object({ ...pageParameters });
