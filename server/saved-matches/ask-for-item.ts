import { ApiError } from '../api-error.ts';
import type { SavedMatch } from '../catalog/saved-matches.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { EngineHit } from '../search/hits.ts';
import { backgroundSize, clearScore } from '../search/ranking/calibration.ts';
import { imageScore } from '../search/ranking/fuse.ts';
import type { SearchEngine } from '../search/search-engine.ts';
import { createStageTimer } from '../search/stage-timer.ts';
import type { AskedSearch } from './asked-search.ts';

/**
 * Whether a hit is a match: it stands out, by an image alone more than the best of so many chunks would by chance, or its text holds what is looked
 * for. The page of hits shows less than that, because somebody looks at it; see docs/search.md.
 */
function isMatch({ weak, score, signals }: EngineHit, { chanceMargin }: QueryEmbedder, chunkCount: number): boolean {
  const clear = clearScore(Math.min(chunkCount, backgroundSize), chanceMargin);
  return !weak && (signals.text !== undefined || clear === 0 || score >= imageScore(clear));
}

/** Most moments of an item that a match names. */
const maxMoments = 3;

type Like = Extract<AskedSearch, { kind: 'like' }>;

type EmbedContext = { workspaceId: string; embedder: QueryEmbedder; signal: AbortSignal };
type Found = { hits: EngineHit[]; embedder: QueryEmbedder };
type Embedded = { vector: Float32Array; embedder: QueryEmbedder };

type Parts = {
  search: Pick<SearchEngine, 'getEmbedder' | 'searchByText' | 'searchByVector'>;
  /** The vector of an item or a moment of it. Throws `ApiError` where there is none. */
  embedLike: (context: EmbedContext, like: Like) => Promise<Float32Array>;
};

export type Asking = Parts & {
  workspaceId: string;
  /** Chunks of the workspace. */
  chunkCount: number;
  signal: AbortSignal;
  /** Vectors of the items that are compared with, so that each is made once. */
  vectors: Map<AskedSearch, Promise<Embedded | null>>;
};

/**
 * The moments of an item that a saved search finds, the best first: those that stand out, or hold what is looked for as text. A search always has
 * a nearest hit, so what the search page marks as weak is no match.
 */
export async function findMoments(asking: Asking, asked: AskedSearch, mediaId: string): Promise<SavedMatch['hits']> {
  const { hits, embedder } =
    asked.kind === 'words' ? await askByWords(asking, asked, mediaId) : await askByItem(asking, asked, mediaId);
  return hits
    .filter((hit) => isMatch(hit, embedder, asking.chunkCount))
    .map(({ chunk: { start_time: start, end_time: end }, score }) => ({ start, end, score }));
}

async function askByWords(
  { search, workspaceId, signal }: Asking,
  { q, places, filter }: Extract<AskedSearch, { kind: 'words' }>,
  mediaId: string,
): Promise<Found> {
  const options = { count: maxMoments, dedupe: true, timer: createStageTimer(), mediaId, places, signal };
  const { hits, problem, embedder } = await search.searchByText(workspaceId, q, filter, options);
  // It is asked for again later; by texts alone too little would be found.
  if (problem !== null) throw new Error(problem);
  return { hits, embedder };
}

async function askByItem(asking: Asking, asked: Like, mediaId: string): Promise<Found> {
  const { search, workspaceId, signal, vectors } = asking;
  const embedding = vectors.get(asked) ?? embed(asking, asked);
  vectors.set(asked, embedding);
  const options = { count: maxMoments, dedupe: true, timer: createStageTimer(), mediaId, signal };
  const embedded = await embedding;
  // It is gone or was never indexed, or is itself what is looked for.
  if (!embedded || asked.mediaId === mediaId) return { hits: [], embedder: await search.getEmbedder(workspaceId) };
  const hits = await search.searchByVector(workspaceId, embedded, asked.filter, options);
  if (!hits) throw new Error('The model has just changed.');
  return { hits, embedder: embedded.embedder };
}

/** Null where there is nothing to compare with. */
async function embed({ search, embedLike, workspaceId, signal }: Asking, asked: Like): Promise<Embedded | null> {
  const embedder = await search.getEmbedder(workspaceId);
  try {
    return { vector: await embedLike({ workspaceId, embedder, signal }, asked), embedder };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}
