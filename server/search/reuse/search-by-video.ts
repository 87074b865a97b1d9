import { frameBytes, framesPerSecond } from '@media-search/indexing/reuse/fingerprint';
import type { SharedSpan } from '@media-search/indexing/reuse/relate';
import { findMedia } from '../../catalog/media/media-items.ts';
import type { Copy } from '../../catalog/reuse/copies.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { QueryPool } from '../query-workers/query-pool.ts';
import { CrashError } from '../query-workers/task-errors.ts';
import type { SearchEngine } from '../search-engine.ts';
import { findCopies, type Footage } from './find-copies.ts';
import { readFootage } from './start-finding-copies.ts';

/** What is looked for: the seconds of a file that was sent, or of an item, that lie in a span. */
export type VideoQuery = {
  source: { kind: 'file'; path: string } | { kind: 'media'; mediaId: string };
  span: { start: number; end: number };
};

type Parts = {
  db: Catalog;
  search: Pick<SearchEngine, 'getEmbedder' | 'findNearest'>;
  queryPool: QueryPool;
};

type Context = { workspaceId: string; signal: AbortSignal };

/**
 * Finds the items that show the footage of a video or a photograph. Throws `unreadable_media`, and of an item `not_found` and `not_ready`.
 * @returns the surest first; spans are those of all that was sent
 */
export async function searchByVideo(
  parts: Parts,
  { workspaceId, signal }: Context,
  { source, span }: VideoQuery,
): Promise<Copy[]> {
  const embedder = await parts.search.getEmbedder(workspaceId);
  const footage =
    source.kind === 'file'
      ? await readFile(parts, { workspaceId, signal }, source.path, embedder)
      : await readItem(parts, workspaceId, source.mediaId, embedder);
  // What is not there is used nowhere, which nobody meant to ask.
  if (footage.duration !== null && span.start >= footage.duration)
    throw validationError([{ path: 'body.start', message: 'must lie before the end of the video' }]);
  const mediaId = source.kind === 'media' ? source.mediaId : undefined;
  const found = await findCopies({ ...parts, workspaceId, embedder, mediaId, signal }, cutFootage(footage, span));
  if (!found) throw new ApiError('unavailable', 'The model has just changed. Try again in a moment.');
  return found.copies
    .map((copy) => moveSpans(copy, footage.duration === null ? 0 : frameStart(span.start)))
    .toSorted((a, b) => b.relation.score - a.relation.score);
}

async function readFile(
  { queryPool }: Parts,
  { workspaceId, signal }: Context,
  path: string,
  embedder: QueryEmbedder,
): Promise<Footage> {
  try {
    const task = { kind: 'footage' as const, path, embedder: embedder.reference };
    const { fingerprint, moments, ...read } = await queryPool.run(workspaceId, task, signal);
    return {
      ...read,
      fingerprint: Buffer.from(fingerprint, 'base64'),
      moments: moments.map(({ vector, ...moment }) => ({ ...moment, vector: Float32Array.from(vector) })),
    };
  } catch (error) {
    if (error instanceof Error && error.name === 'UnreadableMediaError') {
      throw new ApiError('unreadable_media', error.message);
    }
    if (error instanceof CrashError) {
      throw new ApiError('unreadable_media', 'This file cannot be decoded: the decoder crashed.');
    }
    throw error;
  }
}

async function readItem(
  { db }: Parts,
  workspaceId: string,
  mediaId: string,
  embedder: QueryEmbedder,
): Promise<Footage> {
  const media = await findMedia(db, workspaceId, mediaId);
  if (!media) throw notFoundError('media item');
  const footage = media.status === 'complete' ? await readFootage(db, workspaceId, mediaId, embedder.id) : undefined;
  if (!footage) throw new ApiError('not_ready', 'This item is not compared yet; ask again when it is.');
  return footage;
}

/** Where the frame of a fingerprint begins that a time lies in, seconds. */
const frameStart = (seconds: number): number => Math.floor(seconds * framesPerSecond) / framesPerSecond;

/** What lies in a span of some footage, counted from its start. */
function cutFootage(footage: Footage, { start, end }: VideoQuery['span']): Footage {
  if (footage.duration === null || (start === 0 && end >= footage.duration)) return footage;
  const from = frameStart(start);
  const until = Math.min(end, footage.duration);
  const bytes = (seconds: number) => Math.round(seconds * framesPerSecond) * frameBytes;
  return {
    ...footage,
    duration: Math.max(0, until - from),
    fingerprint: footage.fingerprint.subarray(bytes(from), bytes(until)),
    moments: footage.moments
      .filter((moment) => moment.end > from && moment.start < until)
      .map((moment) => ({
        ...moment,
        start: Math.max(0, moment.start - from),
        end: Math.min(until, moment.end) - from,
      })),
  };
}

function moveSpans({ otherId, relation }: Copy, by: number): Copy {
  const moved = (span: SharedSpan): SharedSpan => ({ ...span, a: { start: span.a.start + by, end: span.a.end + by } });
  return { otherId, relation: { ...relation, spans: relation.spans.map(moved) } };
}
