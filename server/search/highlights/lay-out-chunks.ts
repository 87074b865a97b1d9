import { computeLayout, type MapPoint } from '@media-search/search-engine/highlights/map-layout';
import {
  type ConceptScores,
  findConcepts,
  type FoundConcept,
  scoreConcepts,
} from '@media-search/search-engine/highlights/match-concepts';
import { nameGroups } from '@media-search/search-engine/highlights/name-groups';
import { emptyGraph, updateGraph } from '@media-search/search-engine/highlights/neighbor-graph';
import { pickNeighbors } from '@media-search/search-engine/highlights/neighbor-layout';
import { placeAmong } from '@media-search/search-engine/highlights/place-among';
import { dot, meanDirection } from '@media-search/search-engine/vectors';
import type { MapLayout } from '../../../contract/highlights.ts';
import { listEmbeddedChunks, readFilteredVectors, readVectorVersion } from '../../catalog/media/chunk-vectors.ts';
import { isUnfiltered } from '../../catalog/media/media-filter.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { writeCacheFile } from './cache-file.ts';
import { readConceptVectors } from './concept-vectors.ts';
import { type ChunkMap, type KeptMap, mapVersion, type MapTask, readKeptMap } from './kept-map.ts';
import { readGraph } from './rank-chunks.ts';

/** Chunks on a map, and chunks that are compared with concepts: the newest. */
const maxMapPoints = 20_000;

/** The share of new chunks from which on all are laid out again; fewer are placed near those that they are like. */
const relayoutShare = 0.2;

type Row = { number: number; vector: Float32Array };

/** Lays out the chunks that pass a filter, and keeps the map of all. */
export async function layOutChunks(db: Catalog, task: MapTask): Promise<ChunkMap> {
  const { workspaceId, embedderId, filter, layout, stage, files } = task;
  const version = await readVectorVersion(db, workspaceId, embedderId);
  const rows = await readFilteredVectors(db, workspaceId, embedderId, filter, maxMapPoints);
  if (stage === 'first') {
    const first = computeLayout(vectorsOf(rows), null);
    return { layout: first.layout, points: toPoints(rows, first.points), labels: [], distances: distancesOf(rows) };
  }
  const keeps = isUnfiltered(filter);
  const kept = keeps && layout === 'umap' ? await readKeptMap(db, files.map, layout) : null;
  const laidOut = (kept && placeNew(kept, rows)) ?? (await layOut(db, task, rows));
  const scores = await scoreRows(task, rows);
  const points = toPoints(rows, laidOut.points);
  const labels = scores ? nameGroups(points, scores) : [];
  const map: ChunkMap = { layout: laidOut.layout, points, labels, distances: null };
  if (keeps) await writeCacheFile(db, files.map, { ...map, version, format: mapVersion } satisfies KeptMap);
  return map;
}

/** The concepts that the chunks of a workspace most distinctly show, as the numbers of the chunks that show them best. */
export async function findChunkConcepts(
  db: Catalog,
  { workspaceId, embedderId, concepts, traits }: Pick<MapTask, 'workspaceId' | 'embedderId' | 'concepts' | 'traits'>,
  count: number,
): Promise<{ population: number; concepts: (Omit<FoundConcept, 'place'> & { number: number })[] }> {
  const rows = await readFilteredVectors(db, workspaceId, embedderId, {}, maxMapPoints);
  const scores = await scoreRows({ concepts, traits }, rows);
  if (!scores) return { population: rows.length, concepts: [] };
  const members = await listEmbeddedChunks(db, workspaceId, embedderId, {});
  const items = new Map(members.map(({ number, media_id: id }) => [number, id]));
  const found = findConcepts(
    scores,
    rows.map(({ number }) => items.get(number) ?? ''),
    count,
  );
  return {
    population: rows.length,
    concepts: found.map(({ place, ...concept }) => ({ ...concept, number: (rows[place] as Row).number })),
  };
}

async function scoreRows(
  { concepts, traits }: Pick<MapTask, 'concepts' | 'traits'>,
  rows: Row[],
): Promise<ConceptScores | null> {
  const vectors = concepts === null || rows.length === 0 ? null : await readConceptVectors(concepts);
  return vectors && scoreConcepts(vectorsOf(rows), vectors, traits);
}

async function layOut(
  db: Catalog,
  { workspaceId, embedderId, filter, layout, files }: MapTask,
  rows: Row[],
): Promise<{ layout: MapLayout; points: MapPoint[] }> {
  if (layout === 'pca') return computeLayout(vectorsOf(rows), null);
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const members = await listEmbeddedChunks(db, workspaceId, embedderId, filter);
  const graph = await updateGraph(
    isUnfiltered(filter) ? await readGraph(db, files.graph) : emptyGraph(),
    members.filter(({ number }) => byNumber.has(number)),
    (numbers) => Promise.resolve(new Map(numbers.map((number) => [number, (byNumber.get(number) as Row).vector]))),
  );
  return computeLayout(
    vectorsOf(rows),
    pickNeighbors(
      graph,
      rows.map(({ number }) => number),
    ),
  );
}

/** The places of before, with new chunks near those that they are like; null where too much is new. */
function placeNew(kept: KeptMap, rows: Row[]): { layout: MapLayout; points: MapPoint[] } | null {
  const known = new Map(kept.points.map((point) => [point.number, point]));
  const fresh = rows.filter(({ number }) => !known.has(number));
  const gone = kept.points.length - (rows.length - fresh.length);
  if (kept.layout !== 'umap' || fresh.length + gone > relayoutShare * kept.points.length) return null;
  const old = rows.filter(({ number }) => known.has(number));
  const placed = placeAmong(
    vectorsOf(fresh),
    vectorsOf(old),
    old.map(({ number }) => known.get(number) as MapPoint),
  );
  const places = new Map(fresh.map(({ number }, i) => [number, placed[i] as MapPoint]));
  return {
    layout: kept.layout,
    points: rows.map(({ number }) => (known.get(number) ?? places.get(number)) as MapPoint),
  };
}

const vectorsOf = (rows: readonly Row[]): Float32Array[] => rows.map(({ vector }) => vector);

const toPoints = (rows: readonly Row[], points: readonly MapPoint[]): ChunkMap['points'] =>
  rows.map(({ number }, i) => {
    const { x, y } = points[i] as MapPoint;
    return { number, x: round(x), y: round(y) };
  });

/** To a ten-thousandth: less than a pixel at any size, and half as much to send. */
const round = (value: number): number => Math.round(value * 10_000) / 10_000;

/** How far unit vectors are from their mean direction. */
function distancesOf(rows: readonly Row[]): number[] {
  const centre = meanDirection(vectorsOf(rows));
  return rows.map(({ vector }) => 1 - dot(vector, centre));
}
