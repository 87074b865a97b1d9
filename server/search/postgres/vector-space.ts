import { type Background, measureBackground } from '@media-search/search-engine/ranking/calibration';
import { calibrateBySample, type Comparable } from '@media-search/search-engine/ranking/deduplicate';
import type { DuplicateThresholds } from '@media-search/search-engine/ranking/score-traits';
import { dot, toUnit } from '@media-search/search-engine/vectors';
import { LRUCache } from 'lru-cache';
import { readChunkVectors } from '../../catalog/media/chunk-vectors.ts';
import { findChunks } from '../../catalog/media/chunks.ts';
import {
  type ChunkScope,
  type ChunkCounts,
  compareChunks,
  findNearChunks,
  readChunkCounts,
  type VectorSpace,
} from '../../catalog/postgres/near-chunks.ts';
import { readSample } from '../../catalog/postgres/vector-sample.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';

/** Samples that are kept, of a megabyte each. */
const maxSamples = 100;

type SampledVector = { number: number; item: string; vector: Float32Array };

/** Searches the vectors of workspaces in PostgreSQL. Only the samples by which queries are measured are kept in memory. */
export function createVectorSpaces(db: Catalog) {
  const samples = new LRUCache<string, { change: number; sample: SampledVector[] }>({ max: maxSamples });

  /** The sample as it is now. Vectors never change, so only those that came to it are read. */
  async function openSample(space: VectorSpace, counts: ChunkCounts): Promise<SampledVector[]> {
    const { workspaceId, embedderId } = space;
    const key = JSON.stringify([workspaceId, embedderId]);
    const before = samples.get(key);
    // The same array, by which the thresholds are known.
    if (before?.change === counts.change) return before.sample;
    const known = new Map(before?.sample.map(({ number, vector }) => [number, vector]));
    const chosen = await readSample(db, space, counts);
    const missing = chosen.flatMap(({ number }) => (known.has(number) ? [] : [number]));
    const read = await readChunkVectors(db, workspaceId, embedderId, missing);
    const sample = chosen.flatMap(({ number, media_id: item }): SampledVector[] => {
      // One that was deleted meanwhile has none.
      const added = read.get(number);
      const vector = known.get(number) ?? (added && toUnit(added));
      return vector ? [{ number, item, vector }] : [];
    });
    // The change was read before: what came since is read by the next search.
    samples.set(key, { change: counts.change, sample });
    return sample;
  }

  return {
    /** @param signal when it aborts, what is asked fails and the server stops working on it */
    async open(workspaceId: string, embedder: QueryEmbedder, signal?: AbortSignal) {
      const space = { workspaceId, embedderId: embedder.id, dimensions: embedder.dimensions };
      const counts = await readChunkCounts(db, workspaceId);
      let sample: Promise<SampledVector[]> | undefined;
      const readSampled = () => (sample ??= openSample(space, counts));
      return {
        /** The chunks nearest to a unit vector with their cosines. */
        async findNear(
          query: Float32Array,
          among: Omit<ChunkScope, 'counts'>,
          count: number,
        ): Promise<Map<number, number>> {
          const near = await findNearChunks(db, space, { query, among: { ...among, counts }, count, signal });
          return new Map(near.map(({ number, similarity }) => [number, similarity]));
        },

        /** The cosines of a unit vector and some chunks; none for those without a vector. */
        compare: (query: Float32Array, numbers: number[]): Promise<Map<number, number>> =>
          compareChunks(db, space, query, numbers, signal),

        /** How similar chunks are to a unit vector in general. */
        async measure(query: Float32Array): Promise<Background> {
          const similarities = (await readSampled()).map(({ vector }) => dot(query, vector));
          return measureBackground(similarities, { mean: embedder.mean, deviation: embedder.spread });
        },

        /** What finds near-duplicates among some chunks, given by their numbers and the best first. */
        async openComparable(numbers: number[]): Promise<Comparable> {
          const [chunks, read, thresholds] = await Promise.all([
            findChunks(db, workspaceId, numbers),
            readChunkVectors(db, workspaceId, embedder.id, numbers),
            embedder.hasMeasuredThresholds
              ? embedder.duplicateThresholds
              : readSampled().then((sample) => calibrate(sample, embedder.duplicateThresholds)),
          ]);
          return { spans: toSpans(numbers, chunks), compare: compareBy(read), thresholds };
        },
      };
    },
  };
}

/** The spans of some chunks; undefined for those that were deleted meanwhile. */
function toSpans(numbers: number[], chunks: Awaited<ReturnType<typeof findChunks>>): Comparable['spans'] {
  const items = new Map([...new Set(chunks.map(({ media_id }) => media_id))].map((id, i) => [id, i]));
  const spans = new Map(
    chunks.map(({ number, media_id, start_time: start, end_time: end }) => [
      number,
      { slot: number, item: items.get(media_id) as number, start, end },
    ]),
  );
  return numbers.map((number) => spans.get(number));
}

/** Compares chunks by their vectors; NaN where one of them has none. */
function compareBy(read: Map<number, Float32Array>): Comparable['compare'] {
  const vectors = new Map([...read].map(([number, vector]) => [number, toUnit(vector)]));
  return (number, others) => {
    const vector = vectors.get(number);
    return others.map((other) => {
      const otherVector = vectors.get(other);
      return vector && otherVector ? dot(vector, otherVector) : Number.NaN;
    });
  };
}

const calibrate = (sample: SampledVector[], expected: DuplicateThresholds): DuplicateThresholds =>
  calibrateBySample(
    sample,
    ({ item }) => item,
    ({ vector }, others) => others.map((other) => dot(vector, other.vector)),
    expected,
  );
