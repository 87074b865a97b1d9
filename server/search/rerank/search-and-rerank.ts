import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import type { MediaFilter } from '../../../contract/filters.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { embedImageQuery, type ImageQueryParts, type ImageSource } from '../query-images/embed-image-query.ts';
import type { TextSearchOptions, TextSearchResult } from '../search-engine.ts';
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

/** How many hits a search has to find: those that are returned, or as many as a rerank judges. */
const candidateCount = (n: number, rerank: boolean | undefined, namesThings: boolean): number =>
  rerank === false ? n : Math.max(n, namesThings ? thingDepth : rerankDepth);

/** Searches by text, and reranks what was found where that is wanted, or costs next to nothing. Only hits of images can be reranked. */
export async function searchByText(
  dependencies: RerankDependencies,
  request: SearchRequest,
  q: string,
  filter: MediaFilter,
  among: Pick<TextSearchOptions, 'mediaId' | 'places' | 'asWritten'>,
): Promise<TextSearchResult & RerankResult> {
  const { workspaceId, n, dedupe, timer, signal, onPartial } = request;
  const isVisual = among.places?.includes('visual') ?? true;
  const rerank = isVisual ? request.rerank : false;
  const embedder = await dependencies.search.getEmbedder(workspaceId);
  const namesThings = isVisual && (await askedThings(embedder, parseTextQuery(q, among))) !== null;
  const count = candidateCount(n, rerank, namesThings);
  const options = { ...among, count, dedupe, timer, signal, onPartial };
  const found = await dependencies.search.searchByText(workspaceId, q, filter, options);
  // Read again, because words may have been corrected.
  const asked = isVisual ? await askedThings(found.embedder, found.text) : null;
  const searched = { ...found, asked, vectors: found.vector ? [found.vector] : [] };
  const ranked = await rerankIfWanted(dependencies, { ...request, rerank }, q, searched);
  const notice = request.rerank && !isVisual ? 'Not reranked: images were not searched.' : ranked.notice;
  return { ...found, ...ranked, notice };
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
  return { ...(await rerankIfWanted(dependencies, request, null, { hits, vectors, embedder, asked: null })), embedder };
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
  if (isLeftOut) return { hits: found.hits.slice(0, n), reranked: false, notice: null, failure: undefined };
  const request = { workspaceId, sentence, onlyStored: rerank === undefined, signal, whileWaiting };
  const ranked = await timer.time('rerank', () => rerankHits(dependencies, request, found));
  return { ...ranked, hits: ranked.hits.slice(0, n) };
}
