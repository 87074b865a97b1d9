import type { Background } from '@media-search/search-engine/ranking/calibration';
import type { SampledChance } from '@media-search/search-engine/ranking/score-traits';
import type {
  ComposedTask,
  HitOptions,
  NearestOptions,
  RankingResult,
  SearchTask,
} from '@media-search/search-engine/ranking/search-tasks';
import type { MediaFilter } from '../../contract/filters.ts';
import type { WorkspaceState } from '../catalog/media/workspace-state.ts';
import type { RankedBy } from '../platform/metrics/stage-timer.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';

/** What one part of a search looks for. */
export type QueryPart = Pick<SearchTask, 'vector' | 'meaning' | 'excludedVectors' | 'text' | 'sources'>;

/** What is searched for, and where. */
export type SearchQuery = QueryPart & Scope & Pick<SearchTask, 'options'>;

/** What is searched for by several parts together, in the same chunks. */
type ComposedQuery = Omit<ComposedTask, 'kind' | 'parts'> & Scope & { parts: QueryPart[] };

/** Where a search looks, and how up to date. */
type Scope = {
  filter: MediaFilter;
  /** Only chunks of this item. */
  mediaId?: string | undefined;
  /** When it aborts, nobody waits for the answer. */
  signal?: AbortSignal | undefined;
  /**
   * What the ranking has to contain: a state of the workspace that was read, or all that is stored when it is asked. Without it the ranking may lack the last changes,
   * and says so by `seen`: whoever reads the hits reads the state with them, and asks again where that is newer.
   */
  atLeast?: WorkspaceState | 'now' | undefined;
};

/** What a ranking contains. Null: at least all that was stored when it was asked. */
export type SeenState = Pick<WorkspaceState, 'change' | 'labels'> | null;

/**
 * Ranks the chunks of a workspace. Each question is asked with the embedder by which vectors were made; the answer is null when another one is active there,
 * whose vectors cannot be compared with them.
 */
export type Ranker = {
  /** The best chunks by the nearest vectors and the texts, fused. Where another embedder has just become active, the state that is read with the hits says so as well. */
  search(
    workspaceId: string,
    embedder: QueryEmbedder,
    query: SearchQuery,
  ): Promise<(RankingResult['search'] & { seen: SeenState; by: RankedBy }) | null>;

  /** The best chunks by several parts together. */
  compose(
    workspaceId: string,
    embedder: QueryEmbedder,
    query: ComposedQuery,
  ): Promise<(RankingResult['composed'] & { seen: SeenState; by: RankedBy }) | null>;

  /** How similar the chunks of a workspace are to a unit vector in general. */
  background(workspaceId: string, embedder: QueryEmbedder, vector: Float32Array): Promise<Background | null>;

  /** Which of some chunks, given by their numbers and the best first, show the same event. Those that do not exist are left out. */
  distinct(
    workspaceId: string,
    embedder: QueryEmbedder,
    numbers: number[],
    options: HitOptions,
  ): Promise<RankingResult['distinct'] | null>;

  /** What words have by chance in a workspace, given by their unit vectors; `unknown`: there are too few of them or of its chunks. */
  sampleChance(
    workspaceId: string,
    embedder: QueryEmbedder,
    words: Float32Array[],
  ): Promise<SampledChance | 'unknown' | null>;

  /** The chunks nearest to each of some unit vectors, by vectors alone: of many at once it takes little more than to find them. None is of an item in the trash. */
  nearest(
    workspaceId: string,
    embedder: QueryEmbedder,
    vectors: Float32Array[],
    options: NearestOptions,
  ): Promise<RankingResult['nearest'] | null>;

  /** Prepares what the next search of a workspace would wait for. */
  warm(workspaceId: string): Promise<void>;

  /** Ends what it has started, and saves what the next start would compute again. */
  stop(): Promise<void>;
};

/**
 * Whether a ranking is of another state than a workspace has afterwards: it lacks something, or holds what is gone, because a standby took over that lacks the last changes and gives
 * their numbers to others.
 */
export const isOutdated = (seen: SeenState, { change, labels }: WorkspaceState): boolean =>
  seen !== null && (seen.change !== change || seen.labels !== labels);

/** Whether it is the latter. */
export const isAhead = (seen: SeenState, { change }: WorkspaceState): boolean => seen !== null && seen.change > change;

/** The traits of an embedder that rankings need, without what cannot be sent to a thread. */
export const pickTraits = ({
  mean,
  spread,
  weakBelow,
  chanceMargins,
  duplicateThresholds,
  hasMeasuredThresholds,
  chance,
}: QueryEmbedder): SearchTask['traits'] => ({
  mean,
  spread,
  weakBelow,
  chanceMargins,
  duplicateThresholds,
  hasMeasuredThresholds,
  chance,
});
