import { z } from 'zod';
import { identifier, ownershipFilters, pageParameters } from './parameters.ts';

export const mediaStatus = z.enum(['pending', 'indexing', 'complete', 'error']);
export type MediaStatus = z.output<typeof mediaStatus>;

export const mediaType = z.enum(['video', 'image']);
export type MediaType = z.output<typeof mediaType>;

const timestamp = z.iso.datetime();

const indexingStage = z.enum(['queued', 'reading', 'analysing', 'rendering', 'storing']);
export type IndexingStage = z.output<typeof indexingStage>;

export const mediaItem = z
  .object({
    id: identifier,
    filename: z.string().describe('As uploaded, path parts stripped. Text to show, never a path to use.'),
    type: mediaType.describe('An animated image counts as video.'),
    status: mediaStatus,
    progress: z
      .object({ stage: indexingStage, fraction: z.number().min(0).max(1).describe('Never goes backwards.') })
      .nullable()
      .describe('While pending or indexing.'),
    error: z
      .object({ code: z.string(), message: z.string().describe('A sentence that the uploader can act on.') })
      .nullable()
      .describe('Only in status `error`.'),
    creator_id: identifier.nullable(),
    category_id: identifier.nullable(),
    duration: z.number().min(0).nullable().describe('Seconds; null for images.'),
    width: z.int().min(1).nullable().describe('Pixels as displayed, rotation applied.'),
    height: z.int().min(1).nullable().describe('Pixels as displayed, rotation applied.'),
    size: z.int().min(0).describe('Bytes of the original.'),
    mime_type: z.string().describe('Read from the content, not from the name.'),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    chunk_count: z.int().min(0),
    url: z.url().nullable().describe('Playable or displayable in a browser. Signed, expiring, serves byte ranges.'),
    download_url: z.url().describe('The original, byte for byte. Signed, expiring.'),
    thumbnail: z.url().nullable().describe('Signed, expiring.'),
    created_at: timestamp,
    updated_at: timestamp,
    indexed_at: timestamp.nullable(),
  })
  .meta({ id: 'MediaItem' });
export type MediaItem = z.output<typeof mediaItem>;

const sortKeys = ['created_at', 'filename', 'duration', 'size'] as const;
const mediaSort = z.enum([...sortKeys, ...sortKeys.map((key) => `-${key}` as const)]);

export const listMediaQuery = z.object({
  ...pageParameters,
  ...ownershipFilters,
  status: mediaStatus.optional(),
  type: mediaType.optional(),
  q: z.string().max(500).optional().describe('Text to find in the file name.'),
  sort: mediaSort.default('-created_at').describe('Field to sort by; `-` in front for descending.'),
});
export type ListMediaQuery = z.output<typeof listMediaQuery>;

/** The text fields of an upload's multipart form; the part `file` carries the bytes. */
export const uploadFields = z.object({
  creator_id: identifier.optional(),
  category_id: identifier.optional(),
});

export const deletedMedia = z.object({ id: identifier, deleted: z.literal(true) }).meta({ id: 'DeletedMedia' });
