import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createIndexBuilder } from '@media-search/search-engine/builder/index-builder';
import type { IndexSnapshot } from '@media-search/search-engine/index/index-memory';
import type { RankingTask } from '@media-search/search-engine/ranking/search-tasks';
import { createSearchThreads } from '@media-search/search-engine/ranking/search-threads';
import type { StorageSettings } from '../assets/storage-settings.ts';
import { listChunkNumbers } from '../catalog/media/chunks.ts';
import { toIndexFilter } from '../catalog/media/media-filter.ts';
import { readMediaUsage } from '../catalog/media/media-totals.ts';
import { readWorkspaceState, type WorkspaceState } from '../catalog/media/workspace-state.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { CatalogLocation } from '../platform/storage/data-directory.ts';
import type { BuilderData } from './builder-thread.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import { pickTraits, type Ranker, type SearchQuery, type SeenState } from './ranker.ts';
import { createWorkspaceIndexes } from './workspace-indexes.ts';

/** Fewer chunks than this are read from the catalog within some tenths of a second. */
const minWarmChunks = 2000;
/** How long a workspace is asked for its last change before each ranking, after one that lacked a change, milliseconds. */
const checkedFirstMs = 5000;
/** How long a search waits for an index to follow, where the database can rank as well, milliseconds. */
const maxFollowMs = 1000;
/** How long a workspace that could not be loaded is left alone, milliseconds. */
const loadAgainMs = 5000;
/**
 * Room of the builder thread for objects that have just been made, megabytes. By V8's own limit a thread that reads 100,000 chunks ends with a heap of 160 MB and keeps most of it; by this one with 47, as quickly.
 */
const builderRoom = 6;

export type IndexRankerParts = {
  db: Catalog;
  location: CatalogLocation;
  /** Where indexes are saved for the next start. */
  indexDirectory: string;
  /** The bucket that processes share; null: they share the data folder, or there is one. */
  storage: StorageSettings | null;
  /** Bytes of all indexes in memory together. */
  maxBytes: number;
  /** Ranks workspaces whose index is not in memory; null: nothing else can. */
  other: Ranker | null;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Called when an index could not be loaded, improved or saved; searches go on. */
  onProblem: (error: Error) => void;
};

/** An index that a question is answered by, and what of the workspace it is known to contain. */
type Found = { snapshot: IndexSnapshot; labels: number; seen: SeenState };

export type IndexRanker = ReturnType<typeof createIndexRanker>;

/**
 * Ranks in threads of this process, over indexes in shared memory that follow the catalog, in a file or in PostgreSQL.
 *
 * A search ranks over the index as it is. The state of the workspace is read with the hits, and a ranking that lacked a change is done once more, after the builder has
 * followed it: so a search costs one round trip to the database, and finds all that was stored when it began. A workspace that changes all the time would be ranked twice
 * for each search; for some seconds after a ranking that lacked something, its state is therefore read first.
 *
 * Over PostgreSQL a workspace that is larger than the memory for indexes, or not loaded yet, is ranked by the database; with a file a search waits for the index.
 */
export function createIndexRanker(parts: IndexRankerParts) {
  const { other } = parts;
  const { threads, indexes, stop } = startThreads(parts);
  const openIndex = createOpening(parts, indexes);
  const counts = { memory: 0, database: 0 };

  /** Opens an index for a search, and counts what ranks it. */
  async function openCounted(workspaceId: string, embedder: QueryEmbedder, atLeast: SearchQuery['atLeast']) {
    const found = await openIndex(workspaceId, embedder, atLeast);
    if (found !== 'inactive') counts[found === 'absent' ? 'database' : 'memory'] += 1;
    return found;
  }

  const ranker: Ranker = {
    async search(workspaceId, embedder, query) {
      const { filter: _filter, mediaId: _mediaId, atLeast, signal: _signal, ...asked } = query;
      const found = await openCounted(workspaceId, embedder, atLeast);
      if (typeof found === 'string')
        return found === 'absent' && other ? other.search(workspaceId, embedder, query) : null;
      const scope = await readScope(parts.db, workspaceId, embedder, found, query);
      const result = await threads.run(workspaceId, found.snapshot, { ...asked, ...scope, kind: 'search' });
      return { ...result, seen: found.seen, by: 'memory' };
    },

    async compose(workspaceId, embedder, query) {
      const { filter: _filter, mediaId: _mediaId, atLeast, signal: _signal, ...asked } = query;
      const found = await openCounted(workspaceId, embedder, atLeast);
      if (typeof found === 'string')
        return found === 'absent' && other ? other.compose(workspaceId, embedder, query) : null;
      const common = { ...(await readScope(parts.db, workspaceId, embedder, found, query)), options: asked.options };
      const tasks = asked.parts.map((part) => ({ ...part, ...common, kind: 'search' as const }));
      const result = await threads.run(workspaceId, found.snapshot, { ...asked, kind: 'composed', parts: tasks });
      return { ...result, seen: found.seen, by: 'memory' };
    },

    ...answerQuestions(threads, openIndex, other),

    warm: (workspaceId) => warm(parts, indexes, workspaceId),

    stop,
  };
  return {
    ...ranker,
    /** What is in memory, and how many searches were ranked there and by the database. */
    report: () => ({ ...indexes.report(), ranked: counts }),
  };
}

type Threads = ReturnType<typeof startThreads>['threads'];

/** What is asked beside searches: of the index, or else of the database. */
function answerQuestions(
  threads: Threads,
  openIndex: ReturnType<typeof createOpening>,
  other: Ranker | null,
): Pick<Ranker, 'background' | 'distinct' | 'sampleChance' | 'nearest'> {
  /** Asks the index of an embedder, unless it is absent or another embedder is active. */
  async function ask<Kind extends 'background' | 'distinct' | 'chance' | 'nearest'>(
    workspaceId: string,
    embedder: QueryEmbedder,
    task: Omit<Extract<RankingTask, { kind: Kind }>, 'traits'>,
  ) {
    const found = await openIndex(workspaceId, embedder, 'now');
    if (found === 'inactive' || found === 'absent') return found;
    const whole = { ...task, traits: pickTraits(embedder) } as Extract<RankingTask, { kind: Kind }>;
    return threads.run<Kind>(workspaceId, found.snapshot, whole);
  }

  return {
    async background(workspaceId, embedder, vector) {
      const answer = await ask<'background'>(workspaceId, embedder, { kind: 'background', vector });
      if (answer === 'absent') return other?.background(workspaceId, embedder, vector) ?? null;
      return answer === 'inactive' ? null : answer;
    },

    async distinct(workspaceId, embedder, numbers, options) {
      const answer = await ask<'distinct'>(workspaceId, embedder, { kind: 'distinct', numbers, options });
      if (answer === 'absent') return other?.distinct(workspaceId, embedder, numbers, options) ?? null;
      return answer === 'inactive' ? null : answer;
    },

    async sampleChance(workspaceId, embedder, words) {
      const answer = await ask<'chance'>(workspaceId, embedder, { kind: 'chance', words });
      if (answer === 'absent') return other?.sampleChance(workspaceId, embedder, words) ?? null;
      return answer === 'inactive' ? null : (answer ?? 'unknown');
    },

    async nearest(workspaceId, embedder, vectors, options) {
      const answer = await ask<'nearest'>(workspaceId, embedder, { kind: 'nearest', vectors, ...options });
      if (answer === 'absent') return other?.nearest(workspaceId, embedder, vectors, options) ?? null;
      return answer === 'inactive' ? null : answer;
    },
  };
}

/** Where a search looks in an index, and what it is judged by. */
async function readScope(
  db: Catalog,
  workspaceId: string,
  embedder: QueryEmbedder,
  { snapshot, labels }: Found,
  { filter, mediaId }: Pick<SearchQuery, 'filter' | 'mediaId'>,
) {
  return {
    workspaceId,
    labelVersion: labels,
    filter: toIndexFilter(filter, snapshot.labelValues),
    only: mediaId === undefined ? null : await listChunkNumbers(db, workspaceId, mediaId),
    traits: pickTraits(embedder),
  };
}

type Indexes = ReturnType<typeof createWorkspaceIndexes>;

/**
 * Has an index contain what is stored before a search waits for that. Where the database can rank, an index comes with the first search of its workspace, and follows as long as there
 * are others.
 */
async function warm({ db, other, getEmbedder }: IndexRankerParts, indexes: Indexes, workspaceId: string) {
  const isWanted = other
    ? indexes.isInUse(workspaceId)
    : indexes.isOpen(workspaceId) || (await readMediaUsage(db, workspaceId)).chunks >= minWarmChunks;
  if (!isWanted) return;
  const [{ id }, { change }] = [await getEmbedder(workspaceId), await readWorkspaceState(db, workspaceId)];
  await indexes.open(workspaceId, id, change);
}

/** The threads of a process that rank and build, and the indexes that they share. */
function startThreads(parts: IndexRankerParts) {
  const { location, indexDirectory, storage, maxBytes, other, getEmbedder, onProblem } = parts;
  const threads = createSearchThreads(
    (thread) =>
      new Worker(new URL('./search-thread.ts', import.meta.url), {
        name: `search ${thread}`,
        workerData: { thread, location },
      }),
  );
  const workerData: BuilderData = { location, directory: indexDirectory, storage };
  const resourceLimits = { maxYoungGenerationSizeMb: builderRoom };
  const builder = createIndexBuilder(
    () => new Worker(new URL('./builder-thread.ts', import.meta.url), { workerData, resourceLimits }),
    {
      onSnapshot: (...sent) => indexes.accept(...sent),
      onProblem,
    },
  );
  const indexes = createWorkspaceIndexes({
    builder,
    maxBytes,
    isOptional: other !== null,
    onProblem,
    getEmbedder,
    forget: (indexId) => threads.forget(indexId),
  });
  const stop = async () => {
    await threads.stop();
    await builder.stop();
  };
  return { threads, indexes, stop };
}

/** Returns what finds the index of an embedder with what is asked for. `inactive`: another one is active; `absent`: the index is not in memory, and comes later if it can. */
function createOpening(
  { db, other, onProblem }: IndexRankerParts,
  indexes: Indexes,
): (
  workspaceId: string,
  embedder: QueryEmbedder,
  atLeast: WorkspaceState | 'now' | undefined,
) => Promise<Found | 'inactive' | 'absent'> {
  /** Of each workspace the last version of its labels that was seen, and until when its state is read before it is ranked. */
  const known = new Map<string, { labels: number; checkUntil: number }>();
  /** When workspaces that could not be loaded are tried again. */
  const loadAgain = new Map<string, number>();

  function note(workspaceId: string, { labels }: WorkspaceState, isMissed: boolean): void {
    const checkUntil = isMissed ? performance.now() + checkedFirstMs : (known.get(workspaceId)?.checkUntil ?? 0);
    known.set(workspaceId, { labels, checkUntil });
  }

  /** Has an index loaded for later searches, where there is room. */
  async function load(workspaceId: string, embedder: QueryEmbedder, { change }: WorkspaceState): Promise<void> {
    if ((loadAgain.get(workspaceId) ?? 0) > performance.now()) return;
    loadAgain.set(workspaceId, performance.now() + loadAgainMs);
    const { chunks } = await readMediaUsage(db, workspaceId);
    if (!indexes.reserve(workspaceId, embedder.dimensions, chunks)) return;
    try {
      const found = await indexes.open(workspaceId, embedder.id, change);
      if (typeof found !== 'string') loadAgain.delete(workspaceId);
    } finally {
      indexes.release(workspaceId);
    }
  }

  return async (workspaceId, embedder, atLeast) => {
    const present = indexes.use(workspaceId, embedder.id);
    const { labels, checkUntil } = known.get(workspaceId) ?? { labels: 0, checkUntil: Infinity };
    if (atLeast === undefined && present && checkUntil < performance.now()) {
      return { snapshot: present, labels, seen: { change: present.change, labels } };
    }
    const isMissed = typeof atLeast === 'object';
    const state = isMissed ? atLeast : await readWorkspaceState(db, workspaceId);
    // It holds changes that are gone: it is made again.
    const rewound = !isMissed && present && present.change > state.change ? present : undefined;
    note(workspaceId, state, isMissed || rewound !== undefined);
    if (state.embedderId !== null && state.embedderId !== embedder.id) return 'inactive';
    if (other && !present) {
      load(workspaceId, embedder, state).catch(onProblem);
      return 'absent';
    }
    const opened = indexes.open(workspaceId, embedder.id, state.change, rewound);
    const snapshot = await (other ? orElse(opened, onProblem) : opened);
    if (snapshot === 'inactive') return snapshot;
    // It did not follow in time, or was closed meanwhile and another process is its owner.
    if (snapshot === 'building') return 'absent';
    return { snapshot, labels: state.labels, seen: null };
  };
}

/** What is opened; where that fails or takes long, as after many changes, the database ranks meanwhile. */
async function orElse<Opened>(
  opened: Promise<Opened>,
  onProblem: (error: Error) => void,
): Promise<Opened | 'building'> {
  const waiting = new AbortController();
  const late = delay(maxFollowMs, 'building' as const, { signal: waiting.signal }).catch(() => 'building' as const);
  const failed = opened.catch((error: Error) => {
    onProblem(error);
    return 'building' as const;
  });
  try {
    return await Promise.race([failed, late]);
  } finally {
    waiting.abort();
  }
}
