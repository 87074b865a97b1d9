import { meanDirection } from '@media-search/search-engine/vectors';
import { type AssetStore, glance, original } from '../../assets/asset-store.ts';
import { readItemVectors } from '../../catalog/media/chunk-vectors.ts';
import { findChunksById } from '../../catalog/media/chunks.ts';
import { findMedia } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import type { OutboundAccess } from '../../platform/outbound/checked-agent.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { QueryPool } from '../query-workers/query-pool.ts';
import { CrashError } from '../query-workers/task-errors.ts';
import { fetchImage } from './fetch-image.ts';

type MediaSource = { kind: 'media'; mediaId: string; at: number | undefined; chunkId: string | undefined };

/**
 * Where a query image comes from: a file that was sent (`file`: in a form, `image`: in JSON), a URL whose image is stored at `path`, or
 * an item of the workspace: all of it, one chunk, or `at` so many seconds.
 */
export type ImageSource =
  | { kind: 'file' | 'image'; path: string }
  | { kind: 'url'; url: string; path: string }
  | MediaSource;

/** What embedding a query image needs. */
export type ImageQueryParts = { db: Catalog; assets: AssetStore; queryPool: QueryPool; outbound: OutboundAccess };

/** For whom, and by which embedder, a query image is embedded. */
type Context = {
  workspaceId: string;
  embedder: QueryEmbedder;
  signal: AbortSignal;
  /** Words that are embedded with the image in one call; nothing for an embedder that does not compose (`embedder.composes`). */
  words?: string | undefined;
};

/**
 * The vectors of a query image: of what is inside of its border, and of each picture inside of that, as in a screenshot or a collage. Throws
 * `unreadable_media`, and for an item of the workspace `not_found`, `not_ready` and `validation_error`.
 */
export async function embedImageQuery(
  dependencies: ImageQueryParts,
  context: Context,
  source: ImageSource,
): Promise<Float32Array[]> {
  if (source.kind === 'media') return embedMedia(dependencies, context, source);
  if (source.kind === 'url') {
    await fetchImage(source.url, source.path, dependencies.outbound, context.signal);
  }
  return embedFile(dependencies, context, source.path);
}

async function embedFile(
  { queryPool }: ImageQueryParts,
  { workspaceId, embedder, signal, words }: Context,
  path: string,
): Promise<Float32Array[]> {
  try {
    const task = { kind: 'image' as const, path, embedder: embedder.reference, words };
    return toVectors(await queryPool.run(workspaceId, task, signal));
  } catch (error) {
    throw toFailure(error, 'image');
  }
}

const toVectors = (lists: number[][]): Float32Array[] => lists.map((list) => Float32Array.from(list));

/** Errors of a worker come as plain errors with the name of theirs. */
function toFailure(error: unknown, what: 'image' | 'moment'): unknown {
  if (error instanceof Error && error.name === 'UnreadableMediaError') {
    return new ApiError('unreadable_media', error.message);
  }
  if (error instanceof CrashError) {
    return new ApiError('unreadable_media', `This ${what} cannot be decoded: the decoder crashed.`);
  }
  return error;
}

/** The vectors of a moment, that of a chunk, or the mean of all chunks of an item. With words, what is shown is read again. */
async function embedMedia(
  dependencies: ImageQueryParts,
  context: Context,
  { mediaId, at: asked, chunkId }: MediaSource,
): Promise<Float32Array[]> {
  const { db, assets, queryPool } = dependencies;
  const { workspaceId, embedder, signal } = context;
  const words = embedder.composes ? context.words : undefined;
  const media = await findMedia(db, workspaceId, mediaId);
  if (!media) throw notFoundError('media item');
  if (media.status !== 'complete') {
    throw new ApiError('not_ready', `This item is \`${media.status}\`; only a complete one can be searched by.`);
  }
  if (media.type === 'audio') {
    throw new ApiError(
      'unreadable_media',
      'This item is a recording without pictures, so no image can be searched by.',
    );
  }
  if (words !== undefined && media.type === 'image') {
    return assets.withLocalCopy(original(media), (path) => embedFile(dependencies, context, path), { signal });
  }
  const at = asked ?? (words === undefined ? undefined : await findMiddle(db, workspaceId, media, chunkId));
  if (at !== undefined && media.type === 'video') {
    if (at > (media.duration ?? 0)) {
      throw validationError([{ path: 'body.at', message: `must be at most ${media.duration}, where the video ends` }]);
    }
    const read = (path: string) =>
      queryPool.run(workspaceId, { kind: 'moment', path, at, embedder: embedder.reference, words }, signal);
    const lists = await assets.withLocalCopy(glance(media), read, { signal }).catch((error: unknown) => {
      // The file in the bucket is gone; on a disk the decoder says so.
      if (hasErrorCode(error, 'ENOENT')) throw new ApiError('unreadable_media', 'The file of this video is missing.');
      throw toFailure(error, 'moment');
    });
    return toVectors(lists);
  }
  const vectors = await readItemVectors(db, workspaceId, embedder.id, media.id, chunkId);
  if (vectors.length === 0) throw notFoundError('chunk of this item');
  return [meanDirection(vectors)];
}

/** The middle of a chunk, or of all of a video, seconds. Throws `not_found`. */
async function findMiddle(
  db: Catalog,
  workspaceId: string,
  { id, duration }: { id: string; duration: number | null },
  chunkId: string | undefined,
): Promise<number> {
  if (chunkId === undefined) return (duration ?? 0) / 2;
  const [chunk] = await findChunksById(db, workspaceId, [chunkId]);
  if (chunk?.media_id !== id) throw notFoundError('chunk of this item');
  return (chunk.start_time + chunk.end_time) / 2;
}
