import type { Translated, TranslatedQuery } from '@media-search/languages/translate-query';
import { readVocabulary } from '@media-search/models/builtin/read-vocabulary';
import { once } from '@media-search/models/once';
import type { RankingResult } from '@media-search/search-engine/ranking/search-tasks';
import { type CheckedQuery, checkQuery, type WordEvidence } from '@media-search/search-engine/spelling/correct-query';
import { loadSpelling } from '@media-search/search-engine/spelling/spelling';
import {
  type Correction,
  maxExcluded,
  parseTextQuery,
  type TextQuery,
} from '@media-search/search-engine/text/text-query';
import { allSources, type SourceSet, toSourceSet } from '@media-search/search-engine/text/text-sources';
import { dot, meanDirection } from '@media-search/search-engine/vectors';
import type { MediaFilter } from '../../contract/filters.ts';
import type { SearchPlace } from '../../contract/search.ts';
import type { Catalog } from '../catalog/schema.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RankedBy, StageTimer } from '../platform/metrics/stage-timer.ts';
import { embedMeaning, embedText, type EmbeddedText } from './embed-text.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import type { EngineHit, HitOptions } from './hits.ts';
import { hydrate } from './hydrate.ts';
import { isAhead, isOutdated, type QueryPart, type Ranker, type SearchQuery, type SeenState } from './ranker.ts';
import { translate, untranslated } from './translate.ts';

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

/** The word lists, read once for the process. */
const readSpelling = once(async () => loadSpelling(await readVocabulary()));

/** What a search by text may be asked besides its words. */
export type TextSearchOptions = TimedOptions & {
  /** Where to look; everywhere by default. */
  places?: SearchPlace[] | undefined;
  /** What hits must not show or say, besides what the query excludes. */
  without?: string[] | undefined;
  /** Whether words are searched for as they are written, also where they seem to have typing errors. */
  asWritten?: boolean | undefined;
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

/** What the views of a hit are compared with. */
export type ViewQuery = {
  /** Vectors that have to be there together, with weights that add up to 1; of several alternatives one is enough. None: nothing can be compared. */
  alternatives: { vector: Float32Array; weight: number }[][];
  /** Vectors of what is not to be there. */
  excluded: Float32Array[];
};

/** A search by one of several vectors. */
export const toViewQuery = (vectors: Float32Array[], excluded: Float32Array[] = []): ViewQuery => ({
  alternatives: vectors.map((vector) => [{ vector, weight: 1 }]),
  excluded,
});

/** Whether images are compared, and in which texts words are looked for. */
export const toPlaces = (places: SearchPlace[] | undefined): { isVisual: boolean; sources: SourceSet } => ({
  isVisual: places?.includes('visual') ?? true,
  sources: places ? toSourceSet(places.filter((place) => place !== 'visual')) : allSources,
});

/** A description in words, as far as it can be read without asking the texts of a workspace. */
export type ReadWords = CheckedQuery & Omit<TranslatedQuery, 'text'>;

/** Reads a description in words: its terms and exclusions, in English too, and what dictionaries know of its words. */
export async function readWords(
  words: string,
  embedder: QueryEmbedder,
  { places, without = [], asWritten }: Pick<TextSearchOptions, 'places' | 'without' | 'asWritten'>,
): Promise<ReadWords> {
  const parsed = parseTextQuery(words, { hasTexts: toPlaces(places).sources !== 0, asWritten });
  const named = without
    .map((phrase) => phrase.replaceAll(/^\s*-|["“”„]/gu, '').trim())
    .filter((phrase) => phrase !== '');
  const excluded = [...new Set([...parsed.excluded, ...named])].slice(0, maxExcluded);
  const spelling = await readSpelling();
  const written = { ...parsed, excluded };
  const { text, ...known } = asWritten
    ? untranslated(written)
    : await translate(written, words, { spelling, embedder: embedder.kind });
  return { ...known, ...checkQuery(text, spelling) };
}

/** A search is done again when items were deleted or indexed again meanwhile, so often at most. */
export const maxAttempts = 5;

/** What is excluded is compared with images for the first few phrases only: each is embedded. The others count in texts. */
const maxComparedPhrases = 10;

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

/**
 * What a part of a search looks for, and what the embedder says of its words. A part that only excludes looks for what is least like that.
 * @param isVisual whether images are compared with the words
 * @param pictured what images are compared with where the words are not
 */
export async function toQueryPart(
  embedder: QueryEmbedder,
  text: TextQuery,
  {
    isVisual,
    sources,
    pictured = '',
    timer,
  }: { isVisual: boolean; sources: SourceSet; pictured?: string | undefined; timer: StageTimer },
): Promise<{ part: QueryPart; embedded: EmbeddedText }> {
  const embedded = await timer.time('embed', () => embedText(embedder, isVisual ? text.visualText : pictured));
  const excludedVectors = isVisual
    ? await timer.time('embed', () => embedExcluded(embedder, text, embedded.vector))
    : [];
  const meaning =
    sources === 0
      ? null
      : await timer.time('embed', () => embedMeaning(embedder, text.visualText, isVisual ? embedded : undefined));
  const onlyExcludes = text.visualText === '' && excludedVectors.length > 0;
  const vector = onlyExcludes ? meanDirection(excludedVectors).map((value) => -value) : embedded.vector;
  return { part: { vector, meaning, excludedVectors, text, sources }, embedded };
}

/** Cosine from which on an excluded phrase is the query itself to the embedder. It would exclude all that is looked for, so it counts in texts only. */
const sameMeaning = 0.95;

/** Vectors of what hits must not show. Of what cannot be embedded, only the texts count. */
async function embedExcluded(
  embedder: QueryEmbedder,
  { excluded, foreign }: TextQuery,
  wanted: Float32Array | null,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  const seen = excluded.filter((phrase) => !foreign?.unseen.includes(phrase));
  for (const phrase of seen.slice(0, maxComparedPhrases)) {
    const { vector } = await embedText(embedder, phrase);
    if (vector && (!wanted || dot(vector, wanted) < sameMeaning)) vectors.push(vector);
  }
  return vectors;
}
