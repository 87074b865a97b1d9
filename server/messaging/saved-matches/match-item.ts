import { descriptionOf, isPlain, toExpression } from '@media-search/search-engine/text/expression';
import type { LRUCache } from 'lru-cache';
import type { SavedMatch } from '../../catalog/searches/saved-matches.ts';
import { ApiError } from '../../errors/api-error.ts';
import { createStageTimer } from '../../platform/metrics/stage-timer.ts';
import { isClearHit } from '../../search/clear-hit.ts';
import { readConditions } from '../../search/conditions/apply-conditions.ts';
import type { createKnownNames } from '../../search/conditions/known-names.ts';
import type { QueryEmbedder } from '../../search/embedding/text-embedders.ts';
import { type EngineHit, endOf } from '../../search/hits.ts';
import type { SearchEngine } from '../../search/search-engine.ts';
import type { SavedQuery } from './saved-query.ts';

/** Most moments of an item that a match names. */
const maxMoments = 3;

type WordQuery = Extract<SavedQuery, { kind: 'words' }>;
type LikeQuery = Extract<SavedQuery, { kind: 'like' }>;

type EmbedContext = { workspaceId: string; embedder: QueryEmbedder; signal: AbortSignal };
type Found = { hits: EngineHit[]; embedder: QueryEmbedder };
type Embedded = { vectors: Float32Array[]; embedder: QueryEmbedder };

/** What items of a workspace are compared by. */
export type Matching = {
  search: Pick<SearchEngine, 'getEmbedder' | 'searchByText' | 'searchByExpression' | 'searchByImage' | 'browse'>;
  /** The names of a workspace that a sentence may mean. */
  knownNames: ReturnType<typeof createKnownNames>;
  /** The vectors of an item or a moment of it. Throws `ApiError` where there is none. */
  embedLike: (context: EmbedContext, like: LikeQuery) => Promise<Float32Array[]>;
  workspaceId: string;
  /** Chunks of the workspace. */
  chunkCount: number;
  signal: AbortSignal;
  /** Vectors of the items that queries name, by workspace, item and moment, so that each is made once. */
  vectors: LRUCache<string, Promise<Embedded | null>>;
};

/**
 * The moments of an item that match a saved search, the best first: those that stand out, or hold what is looked for as text. A search always has
 * a nearest hit, so what the search page marks as weak is no match.
 */
export async function matchItem(matching: Matching, query: SavedQuery, mediaId: string): Promise<SavedMatch['hits']> {
  const { hits, embedder } =
    query.kind === 'words' ? await findByWords(matching, query, mediaId) : await findSimilar(matching, query, mediaId);
  return hits
    .filter((hit) => isClearHit(hit, embedder, matching.chunkCount))
    .map((hit) => ({ start: hit.chunk.start_time, end: endOf(hit), score: hit.score }));
}

async function findByWords(
  { search, knownNames, workspaceId, signal }: Matching,
  { q, asWritten, joined, without, ...given }: WordQuery,
  mediaId: string,
): Promise<Found> {
  // Nobody asks at that moment: days are those of the service.
  const when = { now: new Date(), zone: 'UTC' };
  const asked = { ...given, ...when, asWritten };
  const { words, filter, places, pictured } = await readConditions(knownNames, workspaceId, q, asked);
  const timer = createStageTimer();
  const options = { count: maxMoments, dedupe: true, timer, mediaId, places, asWritten, without, pictured, signal };
  const expression = toExpression(words, joined, asWritten);
  const description = descriptionOf(expression);
  if (description === '' && !without?.length) {
    const { hits, embedder } = await search.browse(workspaceId, filter, options);
    return { hits, embedder };
  }
  const { hits, problem, embedder } = isPlain(expression)
    ? await search.searchByText(workspaceId, description, filter, options)
    : await search.searchByExpression(workspaceId, { expression, like: null }, filter, options);
  // The item is compared again later; by texts alone too little would be found.
  if (problem !== null) throw new Error(problem);
  return { hits, embedder };
}

async function findSimilar(matching: Matching, query: LikeQuery, mediaId: string): Promise<Found> {
  const { search, workspaceId, signal, vectors } = matching;
  const named = JSON.stringify([workspaceId, query.mediaId, query.at, query.chunkId]);
  const embedding = vectors.get(named) ?? embed(matching, query);
  if (!vectors.has(named)) vectors.set(named, embedding);
  const options = { count: maxMoments, dedupe: true, timer: createStageTimer(), mediaId, signal };
  const embedded = await embedding;
  // It is gone or was never indexed, or is itself what is looked for.
  if (!embedded || query.mediaId === mediaId) return { hits: [], embedder: await search.getEmbedder(workspaceId) };
  if (query.also !== undefined) {
    const like = { vectors: embedded.vectors, embedderId: embedded.embedder.id, leftOut: [] };
    const asked = { expression: toExpression(query.also), like };
    return search.searchByExpression(workspaceId, asked, query.filter, options);
  }
  const hits = await search.searchByImage(workspaceId, embedded, query.filter, options);
  if (!hits) throw new Error('The model has just changed.');
  return { hits, embedder: embedded.embedder };
}

/** Null where there is nothing to compare with. */
async function embed({ search, embedLike, workspaceId, signal }: Matching, query: LikeQuery): Promise<Embedded | null> {
  const embedder = await search.getEmbedder(workspaceId);
  try {
    return { vectors: await embedLike({ workspaceId, embedder, signal }, query), embedder };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}
