import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { operations } from '../../contract/operations.ts';
import { type ImageSearchBody, imageSearchFields } from '../../contract/search.ts';
import { readItemVectors } from '../catalog/chunk-vectors.ts';
import { findMedia } from '../catalog/media-items.ts';
import type { QueryEmbedder } from '../embedding/text-embedding.ts';
import { CrashError } from '../query-workers/query-pool.ts';
import { createStageTimer } from '../search/stage-timer.ts';
import { ApiError, notFound } from './api-error.ts';
import { baseUrlOf } from './base-url.ts';
import { fetchPicture, maxPictureBytes, type PictureFetching } from './fetch-picture.ts';
import { invalid, read, serveOperation } from './operation-routes.ts';
import { admitSearch } from './quota.ts';
import { receiveForm } from './receive-form.ts';
import { toSearchHit } from './search-hit.ts';
import { millisecondsSince, type SearchRouteParts } from './search.ts';

export type ImageSearchParts = SearchRouteParts & { pictureFetching: PictureFetching };

/** Base64 takes four characters for three bytes. */
const jsonLimit = Math.ceil((maxPictureBytes * 4) / 3) + 64 * 1024;

const tooLarge = () => new ApiError('payload_too_large', 'A query picture may hold at most 32 MiB.');

/** `POST /media/search/image`: by a picture in a form, in base64, at an address, or by what is in the workspace. */
export function serveImageSearch(app: FastifyInstance, parts: ImageSearchParts): void {
  const { db, assets, search, secrets, publicUrl } = parts;

  serveOperation(
    app,
    operations.searchMediaByImage,
    async ({ workspaceId, query, body, request, reply, signal }) => {
      const began = performance.now();
      const timer = createStageTimer();
      const folder = await assets.newUploadFolder();
      try {
        const form = body
          ? undefined
          : await receiveForm(request, folder, { bytes: maxPictureBytes, refusal: tooLarge }, signal);
        const members = body ?? read(imageSearchFields, form?.fields, 'body');
        const { n, dedupe, ...filter } = mergeParameters(query, members);
        await admitSearch(db, request);
        const embedder = await search.embedderOf(workspaceId);
        const context = { parts, workspaceId, embedder, signal };
        const vector = await timer.time('embed', () =>
          body ? embedBody(context, body, folder) : embedFile(context, form?.file.path ?? ''),
        );
        const hits = await search.searchByVector(workspaceId, { vector, embedder }, filter, {
          count: n,
          dedupe,
          timer,
        });
        if (!hits) throw new ApiError('unavailable', 'The embedder has just changed; ask again.');
        const baseUrl = baseUrlOf(request, publicUrl);
        void reply.header('Server-Timing', timer.header());
        return {
          data: hits.map((hit) => toSearchHit(hit, workspaceId, secrets, baseUrl)),
          meta: {
            query: null,
            n,
            took_ms: millisecondsSince(began),
            embedder: embedder.id,
            reranked: false,
            source: sourceOf(body),
          },
        };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    { bodyLimit: jsonLimit, seconds: 60 },
  );
}

/** What stands in the form or the JSON goes before what stands in the address. */
function mergeParameters<Query extends object>(query: Query, members: object): Query {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return { ...query, ...Object.fromEntries(given) };
}

function sourceOf(body: ImageSearchBody | undefined): 'file' | 'image' | 'url' | 'media' {
  if (!body) return 'file';
  if (body.image !== undefined) return 'image';
  return body.url === undefined ? 'media' : 'url';
}

/** What embedding a query picture needs to know. */
type Context = { parts: ImageSearchParts; workspaceId: string; embedder: QueryEmbedder; signal: AbortSignal };

async function embedBody(context: Context, body: ImageSearchBody, folder: string): Promise<Float32Array> {
  const { parts, signal } = context;
  if (body.media_id !== undefined) return embedMedia(context, body);
  const file = path.join(folder, 'file');
  const bytes =
    body.image === undefined
      ? await fetchPicture(body.url ?? '', parts.pictureFetching, signal)
      : decodeBase64(body.image);
  await writeFile(file, bytes);
  return embedFile(context, file);
}

/** Takes plain base64, base64url, and data URLs. */
function decodeBase64(text: string): Buffer {
  const content = text.replace(/^data:[^,]*;base64,/i, '').replaceAll(/\s/g, '');
  if (!/^[\w+/-]+={0,2}$/.test(content)) {
    throw invalid([{ path: 'body.image', message: 'must be base64, or a data URL with base64' }]);
  }
  const bytes = Buffer.from(content, 'base64');
  if (bytes.length > maxPictureBytes) throw tooLarge();
  return bytes;
}

async function embedFile({ parts, embedder, signal }: Context, file: string): Promise<Float32Array> {
  try {
    const task = { kind: 'picture' as const, path: file, embedder: embedder.reference };
    return Float32Array.from(await parts.queryPool.run(task, signal));
  } catch (error) {
    if (error instanceof Error && error.name === 'UnreadableMediaError') {
      throw new ApiError('unreadable_media', error.message);
    }
    if (error instanceof CrashError) {
      throw new ApiError('unreadable_media', 'This picture cannot be decoded: the decoder gave up on it.');
    }
    throw error;
  }
}

/** The vector of a chunk, of a moment, or the mean of all chunks of an item. */
async function embedMedia(
  { parts: { db, assets, queryPool }, workspaceId, embedder, signal }: Context,
  { media_id = '', at, chunk_id }: ImageSearchBody,
): Promise<Float32Array> {
  const media = await findMedia(db, workspaceId, media_id);
  if (!media) throw notFound('media item');
  if (media.status !== 'complete') {
    throw new ApiError('not_ready', `This item is \`${media.status}\`; only a complete one can be searched by.`);
  }
  if (at !== undefined && media.type === 'video') {
    if (at > (media.duration ?? 0)) {
      throw invalid([{ path: 'body.at', message: `must be at most ${media.duration}, where the video ends` }]);
    }
    const file = assets.playedOf(media);
    return Float32Array.from(
      await queryPool.run({ kind: 'moment', path: file, at, embedder: embedder.reference }, signal),
    );
  }
  const vectors = await readItemVectors(db, workspaceId, embedder.id, media.id, chunk_id);
  if (vectors.length === 0) throw notFound('chunk of this item');
  return meanDirection(vectors);
}

function meanDirection(vectors: Float32Array[]): Float32Array {
  const [first] = vectors;
  if (!first || vectors.length === 1) return first ?? new Float32Array();
  const sum = new Float32Array(first.length);
  for (const vector of vectors) for (const [i, value] of vector.entries()) sum[i] = (sum[i] as number) + value;
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}
