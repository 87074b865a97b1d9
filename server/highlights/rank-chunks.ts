import type { OutlierMethod } from '../../contract/search.ts';
import { listPlacedChunks, readChunkVectors, readVectorVersion, type VectorVersion } from '../catalog/chunk-vectors.ts';
import { type ChunkFilter } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import { loadDerived, saveDerived } from './derived-file.ts';
import { emptyGraph, type Member, type NeighborGraph, type ReadVectors, updateGraph } from './neighbor-graph.ts';
import { centroidDistances, scoreOutliers } from './outliers.ts';

/** Chunks by falling raw score, the newer first where it is equal. */
export type Ranking = { numbers: number[]; scores: number[] };

/** A ranking of what a filter lets through, and how many older chunks were left out, as there were too many to compare with each other. */
export type FilteredRanking = Ranking & { omitted: number };

/** The rankings of all chunks of a workspace by each method. */
export type Rankings = Record<OutlierMethod, Ranking> & {
  /** The vectors that they are of. */
  version: VectorVersion;
  /** ISO 8601. */
  computedAt: string;
};

/** Chunks behind a filter that are compared with each other, the newest; more would take minutes. */
const filteredLimit = 20_000;

/** What came is taken in so many chunks at a time, each portion being kept, so that a long way is not gone twice. */
const portion = 20_000;

/** Ranks the chunks behind a filter among themselves. Black and frozen ones do not take part. */
export async function rankFiltered(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  filter: ChunkFilter,
  method: OutlierMethod,
): Promise<FilteredRanking> {
  const read = remember((numbers) => readChunkVectors(db, embedderId, numbers));
  const all = await listPlacedChunks(db, workspaceId, embedderId, filter);
  if (method === 'centroid') {
    const numbers = Uint32Array.from(all, ({ number }) => number);
    return { ...inOrder(numbers, await centroidDistances(numbers, read)), omitted: 0 };
  }
  const members = all.slice(-filteredLimit);
  const graph = await updateGraph(emptyGraph(), members, read);
  return { ...(await rank(method, graph, read)), omitted: all.length - members.length };
}

/**
 * Brings the kept rankings of a workspace up to date with its chunks.
 * @param file where they are kept; beside it the graph they are computed from
 */
export async function updateRankings(db: Catalog, workspaceId: string, embedderId: string, file: string) {
  const read = remember((numbers) => readChunkVectors(db, embedderId, numbers));
  const graphFile = `${file}.graph`;
  let graph = (await loadDerived<NeighborGraph>(db, graphFile)) ?? emptyGraph();
  for (;;) {
    const version = await readVectorVersion(db, workspaceId, embedderId);
    const all = await listPlacedChunks(db, workspaceId, embedderId, {});
    const members = withoutLater(all, graph);
    graph = await updateGraph(graph, members, read);
    await saveDerived(db, graphFile, graph);
    if (members.length < all.length) continue;
    const rankings: Rankings = {
      centroid: await rank('centroid', graph, read),
      knn: await rank('knn', graph, read),
      lof: await rank('lof', graph, read),
      version,
      computedAt: new Date().toISOString(),
    };
    await saveDerived(db, file, rankings);
    return;
  }
}

/** Bytes of vectors remembered while rankings are brought up to date. */
const rememberedBytes = 2 ** 28;

/** Reads each vector but once, as far as there is room. */
function remember(read: ReadVectors): ReadVectors {
  const known = new Map<number, Float32Array>();
  let bytes = 0;
  return async (numbers) => {
    const unknown = numbers.filter((number) => !known.has(number));
    const vectors = unknown.length > 0 ? await read(unknown) : new Map<number, Float32Array>();
    for (const [number, vector] of vectors) {
      if (bytes + vector.byteLength > rememberedBytes) break;
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

/** The members that the graph has and a portion of those that it lacks. */
function withoutLater(members: Member[], graph: NeighborGraph): Member[] {
  const known = new Set(graph.numbers);
  let room = portion;
  return members.filter(({ number }) => known.has(number) || room-- > 0);
}

async function rank(method: OutlierMethod, graph: NeighborGraph, read: ReadVectors): Promise<Ranking> {
  return inOrder(graph.numbers, await scoreOutliers(method, graph, read));
}

function inOrder(numbers: Uint32Array, scores: number[]): Ranking {
  const order = Array.from(numbers, (number, place) => ({ number, score: scores[place] as number }));
  order.sort((a, b) => b.score - a.score || b.number - a.number);
  return { numbers: order.map(({ number }) => number), scores: order.map(({ score }) => score) };
}
