import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { type AssetStore, playback } from '../assets/asset-store.ts';
import { readEmbeddings } from '../catalog/chunk-views.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { VisionModel } from '../models/vision-model.ts';
import { BusyError, type QueryPool } from '../query-workers/query-pool.ts';
import type { MediaSpan, QueryResult, QueryTask } from '../query-workers/query-tasks.ts';
import { judgeInOrder } from '../rerank/judge-in-order.ts';
import type { EngineHit } from '../search/hits.ts';
import { reorder, rerankDepth, viewSimilarity } from '../search/rerank.ts';
import type { SearchEngine } from '../search/search-engine.ts';
import { withoutSlot } from './limits/concurrency-limit.ts';

/** How long a second look may take; what it has not seen by then keeps its place. */
const rerankTimeoutMs = 8000;
/** How long reading one hit may take before its file counts as one that cannot be read. */
const hitTimeoutMs = 10_000;
/** Questions to the vision-language model at a time. */
const maxConcurrentQuestions = 4;
const busyRetryMs = 100;

type Parts = {
  db: Catalog;
  assets: AssetStore;
  search: SearchEngine;
  queryPool: QueryPool;
  visionModel: VisionModel | null;
};
type SearchResult = { hits: EngineHit[]; vector: Float32Array | null; embedder: QueryEmbedder };
type Verdicts = { verdicts: Map<number, number>; failure: unknown };

/** Hits after another look; `notice` says in a sentence what of it was not possible. A failure is never an error of the search. */
type RerankResult = { hits: EngineHit[]; reranked: boolean; notice: string | null };

/**
 * Looks at the best hits again: by the vision-language model when there is one and a sentence to ask about, or else by the vectors of
 * their moments or crops.
 * @param sentence what was searched for; null when it was a picture
 */
export async function rerankHits(
  parts: Parts,
  { request, signal: given }: { request: FastifyRequest; signal: AbortSignal },
  sentence: string | null,
  { hits, vector, embedder }: SearchResult,
): Promise<RerankResult> {
  const { visionModel } = parts;
  if (hits.length === 0) return { hits, reranked: true, notice: null };
  const judged = hits.slice(0, rerankDepth);
  const overtime = AbortSignal.timeout(rerankTimeoutMs);
  const look = { request, hits: judged, timeUp: AbortSignal.any([given, overtime]) };
  let found: Verdicts;
  try {
    if (visionModel && sentence !== null) {
      found = await withoutSlot(request, () => askVisionModel(parts, visionModel, sentence, look));
    } else if (vector) {
      found = await compareViews(parts, vector, embedder, look);
    } else {
      const notice = 'Not re-ranked: no word of the query has a visual meaning for the embedder.';
      return { hits, reranked: false, notice };
    }
  } catch (error) {
    found = { verdicts: new Map(), failure: error };
  }
  const { verdicts, failure } = found;
  if (failure !== undefined) request.log.warn({ err: failure }, 'not all hits were looked at again');
  if (verdicts.size === 0) {
    return {
      hits,
      reranked: false,
      notice: 'Not re-ranked: the second look at the hits took too long or could not be had.',
    };
  }
  const late = overtime.aborted ? ' in time' : '';
  return {
    hits: reorder(
      hits,
      judged.map((_, place) => verdicts.get(place) ?? null),
    ),
    reranked: true,
    notice:
      verdicts.size === judged.length
        ? null
        : `Only ${verdicts.size} of the best ${judged.length} hits could be looked at again${late}; the others keep their places.`,
  };
}

/** What is looked at, and until when. */
type RerankContext = { request: FastifyRequest; hits: EngineHit[]; timeUp: AbortSignal };

async function askVisionModel(
  { assets, queryPool }: Parts,
  visionModel: VisionModel,
  sentence: string,
  { request, hits, timeUp }: RerankContext,
): Promise<Verdicts> {
  const { workspaceId } = request;
  // One hit at a time is read, so that the frames of the best are there first and other requests get their turn in between.
  let reading: Promise<unknown> = Promise.resolve();
  return judgeInOrder(
    [...hits.keys()],
    (place) => {
      const hit = hits[place] as EngineHit;
      const readFrames = () => {
        const frames = reading.then(() =>
          withMediaSpan(assets, workspaceId, hit, (span) =>
            runWhenFree(queryPool, workspaceId, { kind: 'frames', span }, timeUp),
          ),
        );
        reading = frames.catch(() => undefined);
        return frames;
      };
      return visionModel.judge(sentence, hit.chunk.id, readFrames, timeUp);
    },
    maxConcurrentQuestions,
    timeUp,
  );
}

async function compareViews(
  { db, assets, search, queryPool }: Parts,
  query: Float32Array,
  embedder: QueryEmbedder,
  { request, hits, timeUp }: RerankContext,
): Promise<Verdicts> {
  const { workspaceId } = request;
  const toVerdict = await search.relevanceOf(workspaceId, query);
  const numbers = hits.map(({ chunk }) => chunk.number);
  const stored = await readEmbeddings(db, embedder.id, numbers);
  const verdicts = new Map<number, number>();
  const unseen: number[] = [];
  for (const [place, number] of numbers.entries()) {
    const { vector, views } = stored.get(number) ?? { vector: null, views: null };
    if (vector && views) verdicts.set(place, toVerdict(viewSimilarity(query, vector, views)));
    else if (vector) unseen.push(place);
  }
  if (unseen.length === 0) return { verdicts, failure: undefined };
  // What was indexed before views were kept is read again.
  const readAgain = () =>
    judgeInOrder(
      unseen,
      async (place) => {
        const views = await withMediaSpan(assets, workspaceId, hits[place] as EngineHit, (span) =>
          runWhenFree(queryPool, workspaceId, { kind: 'views', span, embedder: embedder.reference }, timeUp),
        );
        const { vector } = stored.get(numbers[place] as number) as { vector: Float32Array };
        return toVerdict(
          viewSimilarity(
            query,
            vector,
            views.map((view) => Float32Array.from(view)),
          ),
        );
      },
      1,
      timeUp,
    );
  const read = await withoutSlot(request, readAgain);
  return { verdicts: new Map([...verdicts, ...read.verdicts]), failure: read.failure };
}

/**
 * Runs a task as soon as the pool has room. When time is up it is not begun any more; one under way goes on, because ending it would
 * end its process, and the model loaded there.
 */
async function runWhenFree<Kind extends 'frames' | 'views'>(
  queryPool: QueryPool,
  workspaceId: string,
  task: Extract<QueryTask, { kind: Kind }>,
  timeUp: AbortSignal,
): Promise<QueryResult[Kind]> {
  for (;;) {
    timeUp.throwIfAborted();
    try {
      return await queryPool.run(workspaceId, task, AbortSignal.timeout(hitTimeoutMs));
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
    }
    await delay(busyRetryMs, undefined, { signal: timeUp });
  }
}

/** Gives `work` the span of a hit in a local file, which is there until `work` returns. */
function withMediaSpan<Result>(
  assets: AssetStore,
  workspaceId: string,
  { chunk }: EngineHit,
  work: (span: MediaSpan) => Promise<Result>,
): Promise<Result> {
  const { rendition_file, renditions_token, type, mime_type, start_time: start, end_time: end } = chunk;
  const file = playback({ workspace_id: workspaceId, id: chunk.media_id, rendition_file, renditions_token });
  const mimeType = rendition_file && type === 'image' ? 'image/webp' : mime_type;
  return assets.withLocalCopy(file, (path) => work({ path, type, mimeType, start, end }));
}
