import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Catalog } from '../catalog/schema.ts';
import { startMatching } from '../messaging/saved-matches/start-matching.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { locateCatalog } from '../platform/storage/data-directory.ts';
import { removeTemporaryFiles } from '../platform/storage/durable-files.ts';
import { type EmbedderService, startEmbedderService } from '../search/embedding/embedder-service.ts';
import { createChanceSampler } from '../search/embedding/sample-chance.ts';
import type { TargetChoice } from '../search/embedding/target-choice.ts';
import { createConceptVectors } from '../search/highlights/concept-vectors.ts';
import { type Highlights, createHighlights } from '../search/highlights/highlights.ts';
import { createIndexGauges } from '../search/index-gauges.ts';
import { createIndexRanker, type IndexRankerParts } from '../search/index-ranker.ts';
import { embedImageQuery } from '../search/query-images/embed-image-query.ts';
import { type QueryPool, createQueryPool } from '../search/query-workers/query-pool.ts';
import type { Ranker } from '../search/ranker.ts';
import { startFindingCopies } from '../search/reuse/start-finding-copies.ts';
import { type SearchEngine, createSearchEngine } from '../search/search-engine.ts';
import type { Settings } from '../settings.ts';
import type { Storage } from './open-storage.ts';

/** All that answers searches. */
export type SearchServices = {
  embedding: EmbedderService;
  search: SearchEngine;
  highlights: Highlights;
  queryPool: QueryPool;
  /** Aborted when the service stops. */
  stopping: AbortController;
};

/** A file of an index that is half written was abandoned when nothing was added to it for so long, milliseconds; other processes save beside this one. */
const abandonedMs = 60 * 60_000;

/** Heavy parts of requests that are worked on at once. */
const maxConcurrentQueryTasks = 2;

/**
 * Starts the embedders, the search engine and the pools of query workers.
 * @param stack stops what is started here
 */
export async function startSearch(
  settings: RankerSettings & Pick<Settings, 'dataDirectory' | 'databaseUrl' | 'modelHub'>,
  { db, target, metrics, log }: { db: Catalog; target: TargetChoice; metrics: Metrics; log: FastifyBaseLogger },
  stack: AsyncDisposableStack,
): Promise<SearchServices> {
  const { dataDirectory, modelHub, role } = settings;
  const location = locateCatalog(settings);
  const embedding = await startEmbedderService({
    db,
    dataDirectory,
    target,
    answers: role !== 'worker',
    hub: modelHub,
    log,
  });
  stack.defer(() => embedding.stop());
  const indexDirectory = path.join(dataDirectory, 'indexes');
  await removeTemporaryFiles(indexDirectory, 'url' in location ? abandonedMs : 0);
  const getEmbedder = (workspaceId: string, isOutdated = false) => embedding.getActiveEmbedder(workspaceId, isOutdated);
  const ranker = await createRanker(settings, { db, location, indexDirectory, getEmbedder, metrics, log });
  const conceptVectors = createConceptVectors(path.join(dataDirectory, 'concepts'));
  const withChance = createChanceSampler({
    db,
    ranker,
    words: conceptVectors,
    onProblem: (error) => log.warn({ err: error }, 'what words have by chance was not sampled'),
  });
  const search = createSearchEngine({
    db,
    ranker,
    getEmbedder: async (...asked) => withChance(asked[0], await getEmbedder(...asked)),
  });
  stack.defer(() =>
    // What was not saved is built from the catalog at the next start.
    search.stop().catch((error: unknown) => log.warn({ err: error }, 'search indexes were not saved')),
  );
  const queryPool = createQueryPool(dataDirectory, location, maxConcurrentQueryTasks);
  stack.defer(() => queryPool.stop());
  const backgroundPool = createQueryPool(dataDirectory, location, 1);
  stack.defer(() => backgroundPool.stop());
  const stopping = new AbortController();
  const highlights = createHighlights({
    db,
    search,
    directory: indexDirectory,
    conceptVectors,
    updateRankings: async (workspaceId, embedderId, file) => {
      await backgroundPool.run(workspaceId, { kind: 'rankings', workspaceId, embedderId, file }, stopping.signal);
    },
    computeOutliers: (workspaceId, embedderId, filter, method, signal) =>
      queryPool.run(workspaceId, { kind: 'outliers', workspaceId, embedderId, filter, method }, signal),
    computeMap: (task, signal) => queryPool.run(task.workspaceId, { kind: 'map', ...task }, signal ?? stopping.signal),
    computeMapAhead: (task) => backgroundPool.run(task.workspaceId, { kind: 'map', ...task }, stopping.signal),
    computeConcepts: (task, count) =>
      queryPool.run(task.workspaceId, { kind: 'concepts', count, ...task }, stopping.signal),
    onProblem: (error) => {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'a map was not laid out');
    },
  });
  return { embedding, search, highlights, queryPool, stopping };
}

type RankerSettings = Pick<Settings, 'role' | 'storage' | 'searchMemory'>;

type RankerParts = Pick<IndexRankerParts, 'db' | 'location' | 'indexDirectory' | 'getEmbedder'> & {
  metrics: Metrics;
  log: FastifyBaseLogger;
};

/** Chooses what ranks: indexes in memory, and the database where it can. A worker, which answers no searches, keeps no index. */
async function createRanker(
  { role, storage, searchMemory }: RankerSettings,
  { metrics, log, ...parts }: RankerParts,
): Promise<Ranker> {
  const other =
    'url' in parts.location
      ? (await import('../search/postgres/postgres-ranker.ts')).createPostgresRanker(parts.db)
      : null;
  if (role === 'worker' && other) return other;
  const ranker = createIndexRanker({
    ...parts,
    storage,
    maxBytes: searchMemory,
    other,
    onProblem: (error) => log.warn({ err: error }, 'a search index was not loaded, improved or saved'),
  });
  for (const gauge of createIndexGauges(parts.db, ranker)) metrics.addGauge(gauge);
  return ranker;
}

type Parts = Pick<SearchServices, 'search' | 'queryPool'> & {
  settings: Pick<Settings, 'allowedAddresses'>;
  storage: Storage;
  log: FastifyBaseLogger;
};

/**
 * Has this process compare new items with saved searches.
 * @param stack stops it
 */
export function matchNewItems(
  { search, queryPool, settings: { allowedAddresses }, storage: { db, assets }, log }: Parts,
  stack: AsyncDisposableStack,
): void {
  const dependencies = { db, assets, queryPool, outbound: { allowedAddresses } };
  const matching = startMatching({
    db,
    search,
    embedLike: (context, like) => embedImageQuery(dependencies, context, { ...like, kind: 'media' }),
    log,
  });
  stack.defer(() => matching.stop());
}

/**
 * Has this process look for new items in others.
 * @param stack stops it
 */
export function findCopiesOfNewItems(
  { search, queryPool, storage: { db }, log }: Omit<Parts, 'settings'>,
  stack: AsyncDisposableStack,
): void {
  const finding = startFindingCopies({ db, search, queryPool, log });
  stack.defer(() => finding.stop());
}
