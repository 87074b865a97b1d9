import {
  cacheVectors,
  emptyGraph,
  type Member,
  type NeighborGraph,
  updateGraph,
} from '@media-search/search-engine/highlights/neighbor-graph';
import { rankByCentroid, type Ranking, rankOutliers } from '@media-search/search-engine/highlights/outliers';
import type { MediaFilter } from '../../../contract/filters.ts';
import type { OutlierMethod } from '../../../contract/highlights.ts';
import { listEmbeddedChunks, readChunkVectors, readVectorVersion } from '../../catalog/media/chunk-vectors.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readCacheFile, writeCacheFile } from './cache-file.ts';
import { graphFileOf } from './ranking-cache.ts';
import { isSameVersion, type RankingPlace, type Rankings, type RankingStore, rankingStoreOf } from './ranking-store.ts';

/** A ranking of the chunks that pass a filter, and how many older ones were left out because there were too many to compare. */
export type FilteredRanking = Ranking & { omitted: number };

/** The most filtered chunks that are compared with each other, the newest; more would take minutes. */
const maxFilteredChunks = 20_000;

/** New chunks are added to the graph in batches of this size. Each is saved, so that an interrupted update does not start again. */
const batchSize = 20_000;

/**
 * Ranks the chunks that pass a filter among themselves. Black and frozen ones are left out.
 * @param most the most that are compared with each other
 */
export async function rankFiltered(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  filter: MediaFilter,
  method: OutlierMethod,
  most = maxFilteredChunks,
): Promise<FilteredRanking> {
  const read = cacheVectors((numbers) => readChunkVectors(db, workspaceId, embedderId, numbers));
  const all = await listEmbeddedChunks(db, workspaceId, embedderId, filter);
  if (method === 'centroid') {
    const numbers = Uint32Array.from(all, ({ number }) => number);
    return { ...(await rankByCentroid(numbers, read)), omitted: 0 };
  }
  const members = all.slice(-most);
  const graph = await updateGraph(emptyGraph(), members, read);
  return { ...(await rankOutliers(method, graph, read)), omitted: all.length - members.length };
}

/**
 * Updates the cached rankings of a workspace to its chunks. Where another process has just done that, there is nothing to do.
 * @param file the graph they are computed from is beside it; they are there as well where no other process reads them
 */
export async function updateRankings(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  file: string,
): Promise<void> {
  const place = { workspaceId, embedderId, file };
  const store = rankingStoreOf(db);
  const before = await store.readStamp(place);
  await store.alone(place, async () => {
    if ((await store.readStamp(place)) === before) return computeRankings(db, store, place);
    const other = await store.read(place);
    const now = await readVectorVersion(db, workspaceId, embedderId);
    if (!other || !isSameVersion(other.version, now)) await computeRankings(db, store, place);
  });
}

async function computeRankings(db: Catalog, store: RankingStore, place: RankingPlace): Promise<void> {
  const { workspaceId, embedderId, file } = place;
  const read = cacheVectors((numbers) => readChunkVectors(db, workspaceId, embedderId, numbers));
  const graphFile = graphFileOf(file);
  let graph = await readGraph(db, graphFile);
  for (;;) {
    const version = await readVectorVersion(db, workspaceId, embedderId);
    const all = await listEmbeddedChunks(db, workspaceId, embedderId, {});
    const members = limitNewMembers(all, graph);
    graph = await updateGraph(graph, members, read);
    await writeGraph(db, graphFile, graph);
    if (members.length < all.length) continue;
    const rankings: Rankings = {
      centroid: await rankOutliers('centroid', graph, read),
      knn: await rankOutliers('knn', graph, read),
      lof: await rankOutliers('lof', graph, read),
      version,
      computedAt: new Date().toISOString(),
    };
    await store.write(place, rankings);
    return;
  }
}

/** The graph as stored in its file, where the k-th distances have another name. */
type StoredGraph = Omit<NeighborGraph, 'kthDistances'> & { horizons: Float64Array };

/** The graph in a file; an empty one where there is none. */
export async function readGraph(db: Catalog, file: string): Promise<NeighborGraph> {
  const stored = await readCacheFile<StoredGraph>(db, file);
  if (!stored) return emptyGraph();
  const { horizons: kthDistances, ...graph } = stored;
  return { ...graph, kthDistances };
}

function writeGraph(db: Catalog, file: string, { kthDistances, ...graph }: NeighborGraph): Promise<void> {
  return writeCacheFile(db, file, { ...graph, horizons: kthDistances } satisfies StoredGraph);
}

/** The members that the graph has, and a batch of those that it lacks. */
function limitNewMembers(members: Member[], graph: NeighborGraph): Member[] {
  const known = new Set(graph.numbers);
  let room = batchSize;
  return members.filter(({ number }) => known.has(number) || room-- > 0);
}
