import type { LabelColumn, ListColumn, NumberColumn } from '../../../contract/fields.ts';
import type { Box, Circle } from '../../../contract/positions.ts';
import type { IndexSnapshot } from '../index/index-memory.ts';
import type { LabelMatch } from '../text/label-names.ts';
import type { Correction, TextQuery } from '../text/text-query.ts';
import type { IndexedTexts } from '../text/text-segment.ts';
import type { SourceSet } from '../text/text-sources.ts';
import type { Background } from './calibration.ts';
import type { SampledChance, ScoreTraits } from './score-traits.ts';

/** A filter as an index compares it. Labels are places in its label values, one or any of some; -1: a value that no item has. */
export type IndexFilter = Partial<
  Record<LabelColumn, number | readonly number[]> &
    Record<ListColumn, number> &
    Record<NumberColumn, NumberRange> & { near: Circle; box: Box }
>;

/** The bounds of a number or a time, by the operators of `contract/fields.ts`. */
export type NumberRange = { after?: number; before?: number; min?: number; max?: number };

/** How many hits are wanted, and whether near-duplicates of a better one are dropped. */
export type HitOptions = { count: number; dedupe: boolean };

/** A search in one index. */
export type SearchTask = {
  kind: 'search';
  workspaceId: string;
  /** A unit vector; null when no word of the query has a visual meaning. */
  vector: Float32Array | null;
  /** A unit vector in the space of passages of texts; null where they are not searched by what they mean. */
  meaning: Float32Array | null;
  /** Unit vectors of what hits must not show. */
  excludedVectors: Float32Array[];
  text: TextQuery;
  /** The texts in which words are looked for. */
  sources: SourceSet;
  filter: IndexFilter;
  /** The version of the names of labels that is known; 0 where none counts. */
  labelVersion: number;
  /** Numbers of the only chunks that are searched; null for all. */
  only: number[] | null;
  options: HitOptions;
  traits: ScoreTraits;
};

/**
 * A search for what several parts say together. Each part is a search of its own, whose evidence is calibrated by its own background; a part that no step
 * names only finds candidates.
 */
export type ComposedTask = {
  kind: 'composed';
  parts: SearchTask[];
  /** What follows each other in an item; of each step alternatives, each with its parts. */
  steps: WeightedPart[][][];
  /** Seconds that may lie between two steps. */
  within: number;
  /** Numbers of chunks that are no hits, such as the one that others are to be like. */
  leftOut: number[];
  options: HitOptions;
};

/** A part by its place among the parts of a task, and how much its evidence counts beside that of the others: the weights of an alternative add up to 1. */
export type WeightedPart = { part: number; weight: number };

/** How similar the chunks of a workspace are to a query in general. */
type BackgroundTask = { kind: 'background'; vector: Float32Array; traits: ScoreTraits };

/** Which of some chunks, the best first, show the same event. */
type DistinctTask = { kind: 'distinct'; numbers: number[]; options: HitOptions; traits: ScoreTraits };

/** What the unit vectors of words that nobody picked have by chance. */
type ChanceTask = { kind: 'chance'; words: Float32Array[]; traits: ScoreTraits };

/** The chunks nearest to each of some unit vectors, by vectors alone. */
type NearestTask = NearestOptions & { kind: 'nearest'; vectors: Float32Array[] };

/** How many of the nearest are wanted. */
export type NearestOptions = {
  /** Chunks for each vector, at most. */
  count: number;
  /** The least similarity, -1..1. */
  least: number;
  /** Numbers of chunks that are not wanted, such as those of the item that the vectors are of. */
  leftOut: number[];
};

/** A chunk by its number, and its cosine to a vector, -1..1 except for rounding. */
export type NearChunk = { number: number; similarity: number };

export type RankingTask = SearchTask | ComposedTask | BackgroundTask | DistinctTask | ChanceTask | NearestTask;

/** A hit by the number of its chunk. */
export type RankedHit = {
  number: number;
  /** 0..1; hits are sorted by it, the highest first. */
  score: number;
  weak: boolean;
  /** The cosine of the query and the chunk; absent where one of them has no vector. */
  visual?: number;
  /** BM25; absent where no text matches. */
  text?: { relevance: number; terms: string[] };
  /** The number of the passage that means something like the query; absent where none does, or words say more. */
  meant?: number;
  /** The chunks that it stands for, where near-duplicates are dropped. */
  duplicates?: number[];
  /** The chunks of its steps in their order, where it has several: it is the first of them. */
  steps?: { number: number; score: number }[];
};

/** Milliseconds that each stage took. */
export type StageTimes = Partial<Record<'vector' | 'text' | 'fuse' | 'dedupe', number>>;

export type RankingResult = {
  search: {
    hits: RankedHit[];
    corrections: Correction[];
    /** Words of the query that no text, label or longer word holds. */
    unheld: string[];
    /** Whether the name of a creator, category, collection or tag holds a term of the query. */
    isLabelled: boolean;
    /** Whether some vectors were not compared, because there is no index yet to find the nearest by. */
    isPartial?: boolean;
    times: StageTimes;
  };
  composed: Pick<RankingResult['search'], 'hits' | 'isLabelled' | 'isPartial' | 'times'> & {
    /** Of each part, as of a search for it alone. */
    parts: Pick<RankingResult['search'], 'corrections' | 'unheld'>[];
  };
  background: Background;
  /** The places of those that are kept, each with the places of those that it stands for. */
  distinct: { place: number; duplicates: number[] }[];
  /** Null where there are too few words or chunks. */
  chance: SampledChance | null;
  /** Of each vector, the nearest first. */
  nearest: NearChunk[][];
};

/** A task for a search thread. The snapshot is sent only where the thread has not got it. */
export type RankingRequest = {
  kind: 'rank';
  id: number;
  indexId: string;
  snapshot: IndexSnapshot | null;
  task: RankingTask;
};

/** What a search thread gets. `forget`: an index that is no longer searched, so that its memory becomes free. */
export type SearchThreadRequest = RankingRequest | { kind: 'forget'; indexId: string };

export type SearchThreadResponse =
  | { id: number; result: RankingResult[RankingTask['kind']] }
  | { id: number; error: Error };

/** What a search thread reads beside an index: at once from a file, or from a database that answers later. */
export type SearchReader = {
  /** The texts of chunks of a workspace by their numbers, in the same order; undefined for chunks that do not exist. */
  readTexts(workspaceId: string, numbers: number[]): Awaitable<(IndexedTexts | undefined)[]>;
  /**
   * The creators, categories, collections and tags of a workspace whose name holds one of some terms.
   * @param version names that were read for this one or a later one may be used again
   */
  findLabels(workspaceId: string, terms: string[], version: number): Awaitable<LabelMatch[]>;
};

/** A value, or a promise where it has to be waited for. */
export type Awaitable<Value> = Value | Promise<Value>;
