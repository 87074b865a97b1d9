import type { Translated } from '@media-search/languages/translate-query';
import type { RankingResult } from '@media-search/search-engine/ranking/search-tasks';
import type { WordEvidence } from '@media-search/search-engine/spelling/correct-query';
import type { Correction, TextQuery } from '@media-search/search-engine/text/text-query';
import { allSources } from '@media-search/search-engine/text/text-sources';
import type { MediaFilter } from '../../contract/filters.ts';
import type { Catalog } from '../catalog/schema.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RankedBy, StageTimer } from '../platform/metrics/stage-timer.ts';
import type { EmbeddedText } from './embed-text.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import type { EngineHit, HitOptions } from './hits.ts';
import { hydrate } from './hydrate.ts';
import type { ViewQuery, WordOptions } from './query-parts.ts';
import { isAhead, isOutdated, type Ranker, type SearchQuery, type SeenState } from './ranker.ts';

/** What searches need. */
export type Parts = {
  db: Catalog;
  ranker: Ranker;
  /** The active embedder of a workspace. `isOutdated`: what was said before is not true any more. */
  getEmbedder: (workspaceId: string, isOutdated?: boolean) => Promise<QueryEmbedder>;
};

/** How a search is done, whatever it looks for. */
export type TimedOptions = HitOptions & {
  timer: StageTimer;
  /** Only chunks of this item. */
  mediaId?: string | undefined;
  /** When it aborts, nobody waits for the answer. */
  signal?: AbortSignal | undefined;
  /** Called when not all vectors were compared. */
  onPartial?: (() => void) | undefined;
};

/** What a search by text may be asked besides its words. */
export type TextSearchOptions = TimedOptions &
  WordOptions & {
    /** What hits show, where the query is only looked for in texts, which all of them hold then. */
    pictured?: string | undefined;
  };

/** Hits by descending score, and the embedding of the query. */
export type TextSearchResult = EmbeddedText & {
  hits: EngineHit[];
  embedder: QueryEmbedder;
  /** Words that no text holds, and the ones that were searched for instead. */
  corrections: Correction[];
  /** What was searched for, with these corrections. */
  text: TextQuery;
  /** Words of another language that pictures were searched for as English ones. */
  translated: Translated[];
  /** What the images of hits are judged by again. */
  views: ViewQuery;
};

/** A search is done again when items were deleted or indexed again meanwhile, so often at most. */
export const maxAttempts = 5;

/** Asks with the active embedder of a workspace, again when another one became active meanwhile. */
export async function askWithEmbedder<Answer>(
  { getEmbedder }: Pick<Parts, 'getEmbedder'>,
  workspaceId: string,
  ask: (embedder: QueryEmbedder) => Promise<Answer | null>,
): Promise<Answer> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const answer = await ask(await getEmbedder(workspaceId, attempt > 1));
    if (answer !== null) return answer;
  }
  throw new ApiError('unavailable', 'The model has just changed. Try again.');
}

/** What all texts and labels of a workspace say of the words of a query, wherever it looks. Null when another embedder is active there. */
export async function askTexts(
  { ranker }: Parts,
  workspaceId: string,
  embedder: QueryEmbedder,
  text: TextQuery,
  filter: MediaFilter,
  { timer, signal }: Pick<TimedOptions, 'timer' | 'signal'>,
): Promise<WordEvidence | null> {
  const options = { count: 1, dedupe: false };
  // No hits are read, so nothing tells whether it lacks a word.
  const atLeast = 'now' as const;
  const asked = {
    vector: null,
    meaning: null,
    excludedVectors: [],
    text,
    sources: allSources,
    filter,
    options,
    signal,
    atLeast,
  };
  return timer.time('text', () => ranker.search(workspaceId, embedder, asked));
}

/** `isOther`: texts say that something else is meant, so no hits were read. */
export type FoundHits = { hits: EngineHit[]; isStale: boolean; isOther?: boolean } & Pick<
  RankingResult['search'],
  'corrections'
>;

/** A ranking as far as its hits are read by it. */
type Ranked = Pick<RankingResult['search'], 'hits' | 'isLabelled' | 'isPartial' | 'times'> & {
  corrections: Correction[];
  seen: SeenState;
  by: RankedBy;
};

/**
 * Ranks the chunks of a workspace, and reads the hits. Null when another embedder is active there.
 * @param rank asks a ranker for what contains a state of the workspace
 * @param shown of what the passages of hits are
 * @param isAsMeant whether this is what is meant, by what the texts hold of its words
 */
export async function findHits<Found extends Ranked>(
  db: Catalog,
  workspaceId: string,
  embedder: QueryEmbedder,
  rank: (atLeast: SearchQuery['atLeast']) => Promise<Found | null>,
  { text, sources, filter }: Pick<SearchQuery, 'text' | 'sources' | 'filter'>,
  { count, timer, onPartial }: TimedOptions,
  isAsMeant?: (found: Found) => boolean,
): Promise<FoundHits | null> {
  let atLeast: SearchQuery['atLeast'];
  for (;;) {
    const ranked = await rank(atLeast);
    if (!ranked) return null;
    const { hits, corrections, isLabelled, times, seen, by } = ranked;
    timer.setRankedBy(by);
    for (const [stage, ms] of Object.entries(times)) timer.add(stage as keyof typeof times, ms);
    if (ranked.isPartial) onPartial?.();
    if (isAsMeant?.(ranked) === false) return { hits: [], isStale: false, isOther: true, corrections };
    const shown = { filter, count, text, sources, corrections, isLabelled };
    const { state, ...read } = await timer.time('hydrate', () => hydrate(db, workspaceId, hits, shown));
    if (state.embedderId !== null && state.embedderId !== embedder.id) return null;
    // Ranked again once: what was stored when the search began was stored when the hits were read.
    if (atLeast || !isOutdated(seen, state)) return { ...read, corrections };
    atLeast = isAhead(seen, state) ? 'now' : state;
  }
}
