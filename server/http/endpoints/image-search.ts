import type { FastifyBodyParser, FastifyInstance, FastifyRequest } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import { type ImageSearchBody, imageSearchBody, imageSearchFields } from '../../../contract/search.ts';
import { ApiError, notFoundError } from '../../api-error.ts';
import { playback } from '../../assets/asset-store.ts';
import { readItemVectors } from '../../catalog/chunk-vectors.ts';
import { findMedia } from '../../catalog/media-items.ts';
import type { QueryEmbedder } from '../../embedding/text-embedders.ts';
import { fetchImage, maxQueryImageBytes, type ImageFetching } from '../../query-images/fetch-image.ts';
import { CrashError } from '../../query-workers/query-pool.ts';
import { rerankDepth } from '../../search/rerank.ts';
import { createStageTimer } from '../../search/stage-timer.ts';
import { meanDirection } from '../../vectors.ts';
import { consumeSearchQuota } from '../limits/quota.ts';
import { validationError, validate, serveOperation } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/base-url.ts';
import { receiveForm } from '../request-bodies/receive-form.ts';
import { receiveJsonImage } from '../request-bodies/receive-json-image.ts';
import { rerankHits } from '../rerank.ts';
import { toSearchHit } from './search-hit.ts';
import { millisecondsSince, type SearchRouteDependencies } from './search.ts';

export type ImageSearchDependencies = SearchRouteDependencies & { imageFetching: ImageFetching };

const tooLarge = () => new ApiError('payload_too_large', 'A query picture may hold at most 32 MiB.');
const imageLimit = { bytes: maxQueryImageBytes, refusal: tooLarge };

/** `POST /media/search/image`: by a picture in a form, in base64, at an address, or by what is in the workspace. */
export async function serveImageSearch(scope: FastifyInstance, parts: ImageSearchDependencies): Promise<void> {
  const { searchCounter, assets, search, secrets, publicUrl } = parts;
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  // Handed on unread: the picture in it goes to disk as it arrives.
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', (_request, payload, done) => done(null, payload));

  serveOperation(
    scope,
    operations.searchMediaByImage,
    ({ workspaceId, query, request, reply, signal }) =>
      assets.withScratchFolder(async (folder) => {
        const began = performance.now();
        const timer = createStageTimer();
        const { members, body, file } = request.isMultipart()
          ? await receiveImageForm(request, folder, signal)
          : await receiveImageJson(request, folder, signal, parseJson);
        const { n, dedupe, rerank, ...filter } = mergeParameters(query, members);
        await consumeSearchQuota(searchCounter, request);
        const embedder = await search.getEmbedder(workspaceId);
        const context = { parts, workspaceId, embedder, signal };
        const vector = await timer.time('embed', () =>
          body ? embedBody(context, body, file) : embedFile(context, file),
        );
        const hits = await search.searchByVector(workspaceId, { vector, embedder }, filter, {
          count: rerank ? Math.max(n, rerankDepth) : n,
          dedupe,
          timer,
        });
        if (!hits) throw new ApiError('unavailable', 'The embedder has just changed; ask again.');
        const look = rerank
          ? await timer.time('rerank', () => rerankHits(parts, { request, signal }, null, { hits, vector, embedder }))
          : { hits, reranked: false, notice: null };
        const baseUrl = getBaseUrl(request, publicUrl);
        void reply.header('Server-Timing', timer.header());
        return {
          data: look.hits.slice(0, n).map((hit) => toSearchHit(hit, workspaceId, secrets, baseUrl)),
          meta: {
            query: null,
            n,
            took_ms: millisecondsSince(began),
            embedder: embedder.id,
            reranked: look.reranked,
            ...(look.notice === null ? {} : { notice: look.notice }),
            source: sourceOf(body),
          },
        };
      }),
    { streamsBody: true, kind: 'heavy', timeoutSeconds: 60 },
  );
}

/** What came with an image search: the parameters, the JSON body when it was one, and the file of a picture that came along. */
type Received = { members: object; body: ImageSearchBody | undefined; file: string };

async function receiveImageForm(request: FastifyRequest, folder: string, signal: AbortSignal): Promise<Received> {
  const { file, fields } = await receiveForm(request, folder, imageLimit, signal);
  return { members: validate(imageSearchFields, fields, 'body'), body: undefined, file: file.path };
}

async function receiveImageJson(
  request: FastifyRequest,
  folder: string,
  signal: AbortSignal,
  parseJson: FastifyBodyParser<string>,
): Promise<Received> {
  const parse = (text: string) =>
    new Promise<unknown>((resolve, reject) => {
      void parseJson(request, text, (error, value) => (error ? reject(error) : resolve(value)));
    });
  const received = await receiveJsonImage(request, folder, imageLimit, signal);
  const body = validate(imageSearchBody, received.text === '' ? {} : await parse(received.text), 'body');
  received.checkImage();
  return { members: body, body, file: received.file };
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
type Context = { parts: ImageSearchDependencies; workspaceId: string; embedder: QueryEmbedder; signal: AbortSignal };

async function embedBody(context: Context, body: ImageSearchBody, file: string): Promise<Float32Array> {
  if (body.media_id !== undefined) return embedMedia(context, body);
  if (body.url !== undefined) await fetchImage(body.url, file, context.parts.imageFetching, context.signal);
  return embedFile(context, file);
}

async function embedFile({ parts, workspaceId, embedder, signal }: Context, file: string): Promise<Float32Array> {
  try {
    const task = { kind: 'picture' as const, path: file, embedder: embedder.reference };
    return Float32Array.from(await parts.queryPool.run(workspaceId, task, signal));
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
  if (!media) throw notFoundError('media item');
  if (media.status !== 'complete') {
    throw new ApiError('not_ready', `This item is \`${media.status}\`; only a complete one can be searched by.`);
  }
  if (at !== undefined && media.type === 'video') {
    if (at > (media.duration ?? 0)) {
      throw validationError([{ path: 'body.at', message: `must be at most ${media.duration}, where the video ends` }]);
    }
    const vector = await assets.withLocalCopy(playback(media), (path) =>
      queryPool.run(workspaceId, { kind: 'moment', path, at, embedder: embedder.reference }, signal),
    );
    return Float32Array.from(vector);
  }
  const vectors = await readItemVectors(db, workspaceId, embedder.id, media.id, chunk_id);
  if (vectors.length === 0) throw notFoundError('chunk of this item');
  return meanDirection(vectors);
}
