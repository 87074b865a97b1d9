import type { MediaFilter } from '../../../contract/filters.ts';
import type { OutlierMethod } from '../../../contract/search.ts';
import {
  listEmbeddedChunks,
  readChunkVectors,
  readVectorVersion,
  type VectorVersion,
} from '../../catalog/media/chunk-vectors.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readCacheFile, writeCacheFile } from './cache-file.ts';
import { emptyGraph, type Member, type NeighborGraph, type ReadVectors, updateGraph } from './neighbor-graph.ts';
import { centroidDistances, scoreOutliers } from './outliers.ts';
import { type RankingPlace, type RankingStore, rankingStoreOf } from './ranking-store.ts';

/** Chunks by descending raw score; of equal scores the newer first. */
type Ranking = { numbers: number[]; scores: number[] };

/** A ranking of the chunks that pass a filter, and how many older ones were left out because there were too many to compare. */
export type FilteredRanking = Ranking & { omitted: number };

/** The rankings of all chunks of a workspace by each method. */
export type Rankings = Record<OutlierMethod, Ranking> & {
  /** Version of the vectors from which they were computed. */
  version: VectorVersion;
  /** ISO 8601. */
  computedAt: string;
};

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
    return { ...toRanking(numbers, await centroidDistances(numbers, read)), omitted: 0 };
  }
  const members = all.slice(-most);
  const graph = await updateGraph(emptyGraph(), members, read);
  return { ...(await rank(method, graph, read)), omitted: all.length - members.length };
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

export const isSameVersion = (a: VectorVersion, b: VectorVersion): boolean =>
  a.latest === b.latest && a.count === b.count && a.moves === b.moves;

async function computeRankings(db: Catalog, store: RankingStore, place: RankingPlace): Promise<void> {
  const { workspaceId, embedderId, file } = place;
  const read = cacheVectors((numbers) => readChunkVectors(db, workspaceId, embedderId, numbers));
  const graphFile = `${file}.graph`;
  let graph = await readGraph(db, graphFile);
  for (;;) {
    const version = await readVectorVersion(db, workspaceId, embedderId);
    const all = await listEmbeddedChunks(db, workspaceId, embedderId, {});
    const members = limitNewMembers(all, graph);
    graph = await updateGraph(graph, members, read);
    await writeGraph(db, graphFile, graph);
    if (members.length < all.length) continue;
    const rankings: Rankings = {
      centroid: await rank('centroid', graph, read),
      knn: await rank('knn', graph, read),
      lof: await rank('lof', graph, read),
      version,
      computedAt: new Date().toISOString(),
    };
    await store.write(place, rankings);
    return;
  }
}

/** The graph as stored in its file, where the k-th distances have another name. */
type StoredGraph = Omit<NeighborGraph, 'kthDistances'> & { horizons: Float64Array };

async function readGraph(db: Catalog, file: string): Promise<NeighborGraph> {
  const stored = await readCacheFile<StoredGraph>(db, file);
  if (!stored) return emptyGraph();
  const { horizons: kthDistances, ...graph } = stored;
  return { ...graph, kthDistances };
}

function writeGraph(db: Catalog, file: string, { kthDistances, ...graph }: NeighborGraph): Promise<void> {
  return writeCacheFile(db, file, { ...graph, horizons: kthDistances } satisfies StoredGraph);
}

/** Bytes of vectors cached while rankings are updated. */
const maxCachedBytes = 2 ** 28;

/** Reads each vector only once, as long as the cache has room. */
function cacheVectors(read: ReadVectors): ReadVectors {
  const known = new Map<number, Float32Array>();
  let bytes = 0;
  return async (numbers) => {
    const unknown = numbers.filter((number) => !known.has(number));
    const vectors = unknown.length > 0 ? await read(unknown) : new Map<number, Float32Array>();
    for (const [number, vector] of vectors) {
      if (bytes + vector.byteLength > maxCachedBytes) break;
      known.set(number, vector);
      bytes += vector.byteLength;
    }
    return new Map(
      numbers.flatMap((number) => {
        const vector = known.get(number) ?? vectors.get(number);
        return vector ? [[number, vector]] : [];
      }),
    );
  };
}

/** The members that the graph has, and a batch of those that it lacks. */
function limitNewMembers(members: Member[], graph: NeighborGraph): Member[] {
  const known = new Set(graph.numbers);
  let room = batchSize;
  return members.filter(({ number }) => known.has(number) || room-- > 0);
}

async function rank(method: OutlierMethod, graph: NeighborGraph, read: ReadVectors): Promise<Ranking> {
  return toRanking(graph.numbers, await scoreOutliers(method, graph, read));
}

function toRanking(numbers: Uint32Array, scores: number[]): Ranking {
  const order = Array.from(numbers, (number, place) => ({ number, score: scores[place] as number }));
  order.sort((a, b) => b.score - a.score || b.number - a.number);
  return { numbers: order.map(({ number }) => number), scores: order.map(({ score }) => score) };
}
