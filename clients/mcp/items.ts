import { z } from 'zod';
import { formatBytes, formatTime } from '../shared/format.ts';
import { expiryOf, pageLink } from '../shared/links.ts';
import type { Client, MediaItem } from '../typescript/index.ts';
import { clean, cleanName, quote } from './safe-text.ts';

/** An item as tools hand it on. */
export const item = z.object({
  media_id: z.string(),
  filename: z.string(),
  type: z.enum(['video', 'image', 'audio']),
  status: z.enum(['pending', 'indexing', 'complete', 'error']),
  progress: z.number().nullable().describe('0..1 while it is pending or indexing.'),
  error: z.string().nullable().describe('Why it could not be indexed.'),
  rating: z.number().describe('Stars; 0: not rated.'),
  duration: z.number().nullable().describe('Seconds; null for images.'),
  width: z.number().nullable(),
  height: z.number().nullable(),
  size: z.number().describe('Bytes.'),
  taken_at: z.string().nullable().describe('When it was recorded; null: unknown.'),
  created_at: z.string().describe('When it was uploaded.'),
  location: z.string().nullable().describe('Where its original lies that is indexed in place; null: it was uploaded.'),
  page: z.string().describe('The page of the dashboard that shows it, for people who are signed in there.'),
  url: z.string().nullable().describe('Plays or shows it without a key until `url_expires_at`.'),
  url_expires_at: z.string().nullable(),
});
export type Item = z.output<typeof item>;

export function toItem(client: Client, media: MediaItem): Item {
  const { id, filename, type, status, progress, error, duration, width, height, size, taken_at, created_at, url } =
    media;
  return {
    media_id: id,
    filename: cleanName(filename),
    type,
    status,
    progress: progress?.fraction ?? null,
    error: error ? clean(error.message, 300) : null,
    // Services that conform to the specification may leave these out.
    rating: media.rating ?? 0,
    duration: duration ?? null,
    width: width ?? null,
    height: height ?? null,
    size: size ?? 0,
    taken_at: taken_at ?? null,
    created_at,
    location: media.source ? clean(media.source.location, 500) : null,
    page: pageLink(client, id),
    url: url ?? null,
    url_expires_at: url ? expiryOf(url) : null,
  };
}

/** An item in one line, without its identifier. */
export function writeItem({
  filename,
  type,
  status,
  progress,
  error,
  rating,
  duration,
  width,
  height,
  size,
  taken_at,
  created_at,
  location,
}: Item) {
  const state = {
    complete: null,
    pending: 'waits to be indexed',
    indexing: `being indexed (${Math.round((progress ?? 0) * 100)} %)`,
    error: `not indexed: ${error?.replace(/\.$/, '') ?? 'unknown error'}`,
  }[status];
  const facts = [
    type,
    duration === null ? null : `${formatTime(duration)} long`,
    rating === 0 ? null : `${rating} of 5 stars`,
    width === null || height === null ? null : `${width}×${height}`,
    formatBytes(size),
    taken_at === null ? `uploaded ${created_at.slice(0, 10)}` : `recorded ${taken_at.slice(0, 10)}`,
    location === null ? null : `at ${quote(location)}`,
    state,
  ];
  return `${quote(filename)} ${facts.filter((fact) => fact !== null).join(', ')}`;
}
