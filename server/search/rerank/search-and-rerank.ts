import { descriptionOf, isPlain } from '@media-search/search-engine/text/expression';
import type { MediaFilter } from '../../../contract/filters.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { AskedExpression } from '../composed-search.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { type TextSearchOptions, type TextSearchResult } from '../find-hits.ts';
import { preferHits } from '../prefer-hits.ts';
import { embedImageQuery, type ImageQueryParts, type ImageSource } from '../query-images/embed-image-query.ts';
import { readWords, toViewQuery } from '../query-parts.ts';
import type { RerankDependencies } from './rerank-context.ts';
import {
  isCheapToRerank,
  rerankHits,
  type RerankRequest,
  type RerankResult,
  type SearchResult,
} from './rerank-hits.ts';
import { rerankDepth, thingDepth } from './scoring.ts';
import { askedThings } from './things.ts';

type SearchRequest = Pick<RerankRequest, 'workspaceId' | 'signal' | 'whileWaiting'> &
  Pick<TextSearchOptions, 'dedupe' | 'timer' | 'onPartial'> & {
    /** How many hits are returned. */
    n: number;
    /** Whether hits are judged again; undefined: where it costs next to nothing. */
    rerank: boolean | undefined;
  };

/** Where a search by words looks, and how it reads them. */
type AmongOptions = Pick<TextSearchOptions, 'mediaId' | 'places' | 'asWritten' | 'without' | 'pictured'> & {
  /** Filters that hits need not pass; see `preferHits`. */
  preferred?: MediaFilter[];
};

/** So many hits are weighed by what is preferred, if not more are asked for. */
const mostWeighed = 100;

const notReranked = { reranked: false, notice: null, failure: undefined };

/** How many hits a search has to find: those that are returned, or as many as a rerank judges. */
const candidateCount = (n: number, rerank: boolean | undefined, namesThings: boolean): number =>
  rerank === false ? n : Math.max(n, namesThings ? thingDepth : rerankDepth);

/** Searches by text, and reranks what was found where that is wanted, or costs next to nothing. Only hits of images can be reranked. */
export async function searchByText(
  dependencies: RerankDependencies,
  request: SearchRequest,
  q: string,
  filter: MediaFilter,
  { preferred = [], ...among }: AmongOptions,
): Promise<TextSearchResult & RerankResult> {
  const { workspaceId, dedupe, timer, signal, onPartial } = request;
  const { search, db } = dependencies;
  const isVisual = among.places?.includes('visual') ?? true;
  const rerank = isVisual ? request.rerank : false;
  // What is preferred may be below those that would be returned otherwise; what does not say the words is left out.
  const n = preferred.length > 0 || among.pictured !== undefined ? Math.max(request.n, mostWeighed) : request.n;
  const options = { ...among, dedupe, timer, signal, onPartial };
  if (q === '' && !among.without?.length)
    return { ...(await search.browse(workspaceId, filter, { ...options, count: request.n })), ...notReranked };
  const embedder = await search.getEmbedder(workspaceId);
  const namesThings = isVisual && (await askedThings(embedder, (await readWords(q, embedder, among)).text)) !== null;
  const count = candidateCount(n, rerank, namesThings);
  const found = await search.searchByText(workspaceId, q, filter, { ...options, count });
  // Read again, because words may have been corrected.
  const asked = isVisual ? await askedThings(found.embedder, found.text) : null;
  const judged = await rerankIfWanted(dependencies, { ...request, n, rerank }, q, { ...found, asked });
  const hits = (await preferHits(db, workspaceId, judged.hits, preferred)).slice(0, request.n);
  const ranked = { ...judged, hits };
  const notice = request.rerank && !isVisual ? 'Not reranked: images were not searched.' : ranked.notice;
  return { ...found, ...ranked, notice };
}

/** What a search by an expression joins: words, and an image that hits are to be like. */
export type Composition = Pick<AskedExpression, 'expression'> & {
  like: { source: ImageSource; leftOut: number[] } | null;
};

/**
 * Searches by an expression of several parts. What was found of one moment is reranked by its views where that is wanted, or where something must not be there: several
 * descriptions by themselves are found no better by it, nor by what is recognised (`lab/bench/composed.ts`). A vision model is asked about sentences only.
 */
export async function searchByExpression(
  dependencies: RerankDependencies & ImageQueryParts,
  request: SearchRequest,
  { expression, like }: Composition,
  filter: MediaFilter,
  { preferred = [], ...among }: AmongOptions,
): Promise<TextSearchResult & RerankResult> {
  const { search, db } = dependencies;
  const { workspaceId, dedupe, timer, signal, onPartial } = request;
  const n = preferred.length > 0 ? Math.max(request.n, mostWeighed) : request.n;
  const embedder = await search.getEmbedder(workspaceId);
  // An embedder that composes reads one description with the image in one call.
  const isComposed = embedder.composes && isPlain(expression) && descriptionOf(expression) !== '';
  const words = isComposed ? (await readWords(descriptionOf(expression), embedder, among)).text.visualText : undefined;
  const images = like && {
    vectors: await timer.time('embed', () =>
      embedImageQuery(dependencies, { workspaceId, embedder, signal, words }, like.source),
    ),
    embedderId: embedder.id,
    leftOut: like.leftOut,
  };
  const isSequence = expression.steps.length > 1;
  const rerank = isSequence ? false : request.rerank;
  const options = { ...among, count: candidateCount(n, rerank, false), dedupe, timer, signal, onPartial };
  const found = await search.searchByExpression(workspaceId, { expression, like: images }, filter, options);
  const isLeftOut = isSequence || (rerank === undefined && found.views.excluded.length === 0);
  const judging = { ...request, n, rerank: isLeftOut ? false : rerank };
  const ranked = await rerankIfWanted(dependencies, judging, null, { ...found, asked: null });
  const hits = (await preferHits(db, workspaceId, ranked.hits, preferred)).slice(0, request.n);
  const notice = request.rerank && isSequence ? 'Not reranked: several moments were searched for.' : ranked.notice;
  return { ...found, ...ranked, hits, notice };
}

/** Searches by an image, and reranks what was found where that is wanted. Throws what `embedImageQuery` throws, and `unavailable`. */
export async function searchByImage(
  dependencies: RerankDependencies & ImageQueryParts,
  request: SearchRequest & { rerank: boolean },
  source: ImageSource,
  filter: MediaFilter,
): Promise<RerankResult & { embedder: QueryEmbedder }> {
  const { search } = dependencies;
  const { workspaceId, n, rerank, dedupe, timer, signal, onPartial } = request;
  const embedder = await search.getEmbedder(workspaceId);
  const vectors = await timer.time('embed', () =>
    embedImageQuery(dependencies, { workspaceId, embedder, signal }, source),
  );
  const options = { count: candidateCount(n, rerank, false), dedupe, timer, signal, onPartial };
  const hits = await search.searchByImage(workspaceId, { vectors, embedder }, filter, options);
  if (!hits) throw new ApiError('unavailable', 'The model has just changed. Try again.');
  const found = { hits, views: toViewQuery(vectors), embedder, asked: null };
  return { ...(await rerankIfWanted(dependencies, request, null, found)), embedder };
}

/**
 * Reranks what a search found where that is wanted, and cuts it to what is returned.
 * @param sentence the text query; null for an image
 */
async function rerankIfWanted(
  dependencies: RerankDependencies,
  { workspaceId, n, rerank, timer, signal, whileWaiting }: SearchRequest,
  sentence: string | null,
  found: SearchResult,
): Promise<RerankResult> {
  const isLeftOut = rerank === false || (rerank === undefined && !isCheapToRerank(dependencies, found));
  if (isLeftOut) return { hits: found.hits.slice(0, n), ...notReranked };
  const request = { workspaceId, sentence, onlyStored: rerank === undefined, signal, whileWaiting };
  const ranked = await timer.time('rerank', () => rerankHits(dependencies, request, found));
  return { ...ranked, hits: ranked.hits.slice(0, n) };
}
