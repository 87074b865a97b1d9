import type { AskedThing } from '@media-search/models/builtin/things/asked-things';
import type { ThingEvidence } from '@media-search/models/builtin/things/thing-evidence';
import type { VisionModel } from '@media-search/models/vision-model';
import { unwantedLikelihood } from '@media-search/search-engine/ranking/score-candidates';
import { dot } from '@media-search/search-engine/vectors';
import { readEmbeddings } from '../../catalog/media/chunk-views.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { EngineHit } from '../hits.ts';
import type { ViewQuery } from '../query-parts.ts';
import { type RerankContext, type RerankDependencies, runWhenFree, withMediaSpan } from './rerank-context.ts';
import { isAboutContent, reorder, rerankDepth, thingDepth, viewSimilarity } from './scoring.ts';
import { seenThings, verdictWithThings, weighSeen } from './things.ts';

/**
 * How well hits fit the query, 0..1, by their place in the list; the last error when there was one; and what was seen in chunks, by their numbers.
 */
type Verdicts = { verdicts: Map<number, number>; failure: unknown; seen?: Map<number, ThingEvidence[]> };

/**
 * Judges hits, the best first, until all are judged or the deadline aborts. It does not wait for those that are being judged then.
 * @param places positions of the hits, the best first
 * @param judge null: no verdict
 * @param maxConcurrent how many hits are judged at a time
 */
export async function judgeInOrder(
  places: number[],
  judge: (place: number) => Promise<number | null>,
  maxConcurrent: number,
  deadline: AbortSignal,
): Promise<Verdicts> {
  const verdicts = new Map<number, number>();
  let failure: unknown;
  const waiting = [...places];
  const work = async () => {
    for (let place = waiting.shift(); place !== undefined && !deadline.aborted; place = waiting.shift()) {
      try {
        const verdict = await judge(place);
        if (verdict !== null) verdicts.set(place, verdict);
      } catch (error) {
        failure = error;
      }
    }
  };
  const ended = Promise.withResolvers<void>();
  const onDeadline = () => ended.resolve();
  deadline.addEventListener('abort', onDeadline);
  if (deadline.aborted) onDeadline();
  try {
    await Promise.race([ended.promise, Promise.all(Array.from({ length: maxConcurrent }, work))]);
  } finally {
    deadline.removeEventListener('abort', onDeadline);
  }
  // A copy: verdicts that come later must not change it.
  return { verdicts: new Map(verdicts), failure };
}

/**
 * Compares a query with the embeddings of each hit's views: of its alternatives the one that is most alike counts, of an alternative the weighted geometric mean of its
 * parts, as where hits are ranked. For words, what was recognised counts as well; what a view seems to show of what is excluded is taken off.
 * @param onlyStored hits whose views are not stored are left without a verdict; otherwise their media is read
 */
async function judgeByViews(
  { db, assets, search, queryPool }: RerankDependencies,
  { views: { alternatives, excluded }, embedder, asked }: SearchResult,
  { workspaceId, hits, deadline, whileWaiting }: RerankContext,
  onlyStored: boolean,
): Promise<Verdicts> {
  const all = alternatives.flat().map(({ vector }) => vector);
  const found = await Promise.all(
    all.map(async (query) => [query, await search.relevanceOf(workspaceId, query)] as const),
  );
  const relevances = new Map(found);
  const usual = await Promise.all(
    excluded.map(async (query) => embedder.mean ?? search.usualSimilarity(workspaceId, query)),
  );
  const toVerdict = (vector: Float32Array, views: Float32Array[]) => {
    const ofParts = alternatives.map((parts) =>
      parts.reduce((product, { vector: query, weight }) => {
        // The parts of a photograph say less than the whole where its looks are asked for.
        const compared = isAboutContent(query, embedder.contentDimensions) || !asked ? views : [];
        const relevance = relevances.get(query)?.(viewSimilarity(query, vector, compared)) ?? 0;
        return product * relevance ** weight;
      }, 1),
    );
    const shown = excluded.map((query, i) => {
      const most = Math.max(...[vector, ...views].map((view) => dot(view, query)));
      return unwantedLikelihood(most, usual[i] as number, embedder);
    });
    return Math.max(...ofParts) * (1 - Math.max(0, ...shown));
  };
  const stored = await readEmbeddings(
    db,
    workspaceId,
    embedder.id,
    hits.map(({ chunk }) => chunk.number),
  );
  const verdicts = new Map<number, number>();
  const seen = new Map<number, ThingEvidence[]>();
  const withoutViews = new Map<number, Float32Array>();
  for (const [place, { chunk }] of hits.entries()) {
    const { vector = null, views = null, things } = stored.get(chunk.number) ?? {};
    const here = asked && things ? seenThings(asked, things) : null;
    if (here) seen.set(chunk.number, here);
    if (vector && views) verdicts.set(place, verdictWithThings(toVerdict(vector, views), here));
    else if (vector) withoutViews.set(place, vector);
  }
  if (onlyStored || withoutViews.size === 0) return { verdicts, failure: undefined, seen };
  // Chunks that were indexed before views were stored: their media is read.
  const judge = async (place: number) => {
    const views = await withMediaSpan(assets, workspaceId, hits[place] as EngineHit, (span) =>
      runWhenFree(queryPool, workspaceId, { kind: 'views', span, embedder: embedder.reference }, deadline),
    );
    const vector = withoutViews.get(place) as Float32Array;
    return toVerdict(
      vector,
      views.map((view) => Float32Array.from(view)),
    );
  };
  const read = await whileWaiting(() => judgeInOrder([...withoutViews.keys()], judge, 1, deadline));
  return { verdicts: new Map([...verdicts, ...read.verdicts]), failure: read.failure, seen };
}

/** Questions to the vision-language model at a time. */
const maxConcurrentQuestions = 4;

/** Asks the vision-language model of each hit whether its frames show what the sentence says. */
async function judgeByVisionModel(
  { assets, queryPool }: RerankDependencies,
  visionModel: VisionModel,
  sentence: string,
  { workspaceId, hits, deadline, whileWaiting }: RerankContext,
): Promise<Verdicts> {
  // One hit at a time is read, so that the frames of the best are there first and other requests get their turn in between.
  let reading: Promise<unknown> = Promise.resolve();
  const judge = (place: number) => {
    const hit = hits[place] as EngineHit;
    // Nothing is seen in a recording.
    if (hit.chunk.type === 'audio') return Promise.resolve(null);
    const readFrames = () => {
      const frames = reading.then(() =>
        withMediaSpan(assets, workspaceId, hit, (span) =>
          runWhenFree(queryPool, workspaceId, { kind: 'frames', span }, deadline),
        ),
      );
      reading = frames.catch(() => undefined);
      return frames;
    };
    return visionModel.judge(sentence, hit.chunk.id, readFrames, deadline);
  };
  return whileWaiting(() => judgeInOrder([...hits.keys()], judge, maxConcurrentQuestions, deadline));
}

/** How long a rerank may take. Hits without a verdict by then keep their places. */
const rerankTimeoutMs = 8000;

/** What a search found. */
export type SearchResult = {
  hits: EngineHit[];
  /** Of an image it has those of the pictures inside of it as well; nothing when no word of the query has a meaning for the embedder. */
  views: ViewQuery;
  embedder: QueryEmbedder;
  /** The things that words name; null for an image, and where there are none. */
  asked: AskedThing[] | null;
};

export type RerankRequest = {
  workspaceId: string;
  /** What was searched for; null when it was an image. */
  sentence: string | null;
  /** Judges only hits whose views are stored, and says nothing about the others. */
  onlyStored: boolean;
  signal: AbortSignal;
  /** Runs work that waits for other processes, so that the caller can let other requests run meanwhile. */
  whileWaiting: RerankContext['whileWaiting'];
};

export type RerankResult = {
  hits: EngineHit[];
  reranked: boolean;
  /** The model that judged: the embedder by its identifier, or the vision-language model by its name. Absent where none did. */
  rerankedBy?: string;
  /** What was not possible, in a sentence; null when all was. */
  notice: string | null;
  /** The last error among the hits. A failure never fails the search. */
  failure: unknown;
};

/**
 * Whether to judge hits by what is stored of them costs next to nothing and finds more: where no other model judges, and the query is about what is shown, or
 * names things that are recognised.
 */
export const isCheapToRerank = (
  { visionModel }: Pick<RerankDependencies, 'visionModel'>,
  { views: { alternatives }, embedder, asked }: Pick<SearchResult, 'views' | 'embedder' | 'asked'>,
): boolean =>
  !visionModel &&
  alternatives.length > 0 &&
  (asked !== null || alternatives.flat().every(({ vector }) => isAboutContent(vector, embedder.contentDimensions)));

/**
 * Judges the best hits a second time and sorts them by that: by the vision-language model when there is one and the query is a sentence,
 * otherwise by the embeddings of their views.
 */
export async function rerankHits(
  dependencies: RerankDependencies,
  { workspaceId, sentence, onlyStored, signal, whileWaiting }: RerankRequest,
  found: SearchResult,
): Promise<RerankResult> {
  const { hits, views, embedder, asked } = found;
  const { visionModel } = dependencies;
  if (hits.length === 0) return { hits, reranked: false, notice: null, failure: undefined };
  const timeout = AbortSignal.timeout(rerankTimeoutMs);
  const context = {
    workspaceId,
    hits: hits.slice(0, asked && !visionModel ? thingDepth : rerankDepth),
    deadline: AbortSignal.any([signal, timeout]),
    whileWaiting,
  };
  let judge: { name: string; run: () => Promise<Verdicts> };
  if (visionModel && sentence !== null) {
    const run = () => judgeByVisionModel(dependencies, visionModel, sentence, context);
    judge = { name: visionModel.name, run };
  } else if (views.alternatives.length > 0) {
    judge = { name: embedder.id, run: () => judgeByViews(dependencies, found, context, onlyStored) };
  } else {
    const notice = 'Not reranked: the model understands no word of the query.';
    return { hits, reranked: false, notice, failure: undefined };
  }
  const judged = await judge.run().catch((error: unknown): Verdicts => ({ verdicts: new Map(), failure: error }));
  const result = toResult(hits, context.hits.length, judged, timeout.aborted);
  const weighed = asked && judged.seen ? weighSeen(result.hits, asked, judged.seen) : result.hits;
  return {
    ...result,
    hits: weighed,
    ...(result.reranked ? { rerankedBy: judge.name } : {}),
    ...(onlyStored ? { notice: null } : {}),
  };
}

function toResult(hits: EngineHit[], depth: number, { verdicts, failure }: Verdicts, isLate: boolean): RerankResult {
  if (verdicts.size === 0) {
    const notice = 'Not reranked: comparing the results took too long or was not possible.';
    return { hits, reranked: false, notice, failure };
  }
  const late = isLate ? ' in time' : '';
  const missing = `Only ${verdicts.size} of the best ${depth} results could be reranked${late}; the others keep their places.`;
  const ordered = Array.from({ length: depth }, (_, place) => verdicts.get(place) ?? null);
  return {
    hits: reorder(hits, ordered),
    reranked: true,
    notice: verdicts.size === depth ? null : missing,
    failure,
  };
}
