import { once } from '@media-search/models/once';
import { type Background, measureBackground } from '@media-search/search-engine/ranking/calibration';
import { calibrateBySample, type Comparable, type Span } from '@media-search/search-engine/ranking/deduplicate';
import { sampleChance } from '@media-search/search-engine/ranking/sampled-chance';
import type { DuplicateThresholds, SampledChance } from '@media-search/search-engine/ranking/score-traits';
import { dot, toUnit } from '@media-search/search-engine/vectors';
import { LRUCache } from 'lru-cache';
import type { MediaFilter } from '../../../contract/filters.ts';
import { readChunkVectors } from '../../catalog/media/chunk-vectors.ts';
import { findChunks } from '../../catalog/media/chunks.ts';
import { filterKey } from '../../catalog/media/media-filter.ts';
import { findChunksAround } from '../../catalog/postgres/chunks-around.ts';
import { type ChunkCounts, readChunkCounts, type VectorSpace } from '../../catalog/postgres/near-chunks.ts';
import { hasVectorIndex, indexName } from '../../catalog/postgres/vector-indexes.ts';
import { readSample } from '../../catalog/postgres/vector-sample.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { type Limits, SearchScope } from './search-scope.ts';

/** Samples that are kept, of a megabyte each. */
const maxSamples = 100;

/** Shares that are kept, and how long. */
const [maxShares, shareKeptMs] = [1000, 60_000];

/** How long it is known whether there is an index. */
const indexKnownMs = 5000;

type SampledVector = { number: number; item: string; vector: Float32Array };

/** What is searched for, and among which chunks. */
type Asked = {
  vector: Float32Array | null;
  filter: MediaFilter;
  mediaId?: string | undefined;
  signal?: AbortSignal | undefined;
};

const whole: Asked = { vector: null, filter: {} };

/** Searches the vectors of workspaces in PostgreSQL. Only the samples by which queries are measured are kept in memory. */
export function createVectorSpaces(db: Catalog, limits?: Limits) {
  const known = rememberSpaces(db);
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
    /** Opens the vectors of a workspace for one search or one question. */
    async open(workspaceId: string, embedder: QueryEmbedder, asked: Asked = whole) {
      const space = { workspaceId, embedderId: embedder.id, dimensions: embedder.dimensions };
      const counts = await readChunkCounts(db, workspaceId);
      const readSampled = once(() => openSample(space, counts));
      const { filter, mediaId, vector: query, signal } = asked;
      const scope = new SearchScope({
        db,
        space,
        query,
        signal,
        limits,
        among: { filter, mediaId, counts },
        isIndexed: () => known.isIndexed(space),
        readShare: (estimate) =>
          known.readShare(space, filter, async () => estimate((await readSampled()).map(({ item }) => item))),
      });
      return {
        scope,

        /** How similar chunks are to a unit vector in general. */
        async measure(vector: Float32Array): Promise<Background> {
          const similarities = (await readSampled()).map(({ vector: sampled }) => dot(vector, sampled));
          return measureBackground(similarities, { mean: embedder.mean, deviation: embedder.spread });
        },

        findAround: (numbers: number[], seconds: number) => findAround(db, workspaceId, numbers, seconds),
        /** What the unit vectors of words have by chance; null where there are too few of them or of chunks. */
        sampleChance: async (words: Float32Array[]) => sampleIn(await readSampled(), words, embedder),

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

/** Some chunks by their numbers, and those of their items around them. */
async function findAround(db: Catalog, workspaceId: string, numbers: number[], seconds: number): Promise<Span[]> {
  const found = await findChunksAround(db, workspaceId, numbers, seconds);
  const spans = toSpans(
    found.map(({ number }) => number),
    found,
  );
  return spans.filter((span) => span !== undefined);
}

/** What changes slowly and decides only how long a search takes, kept for a while. */
function rememberSpaces(db: Catalog) {
  /** Shares of the chunks of a workspace that pass a filter: of the sample, of which few change at once. */
  const shares = new LRUCache<string, number>({ max: maxShares, ttl: shareKeptMs });
  const indexed = new LRUCache<string, boolean>({ max: maxSamples, ttl: indexKnownMs });
  return {
    async isIndexed(space: VectorSpace): Promise<boolean> {
      const name = indexName(space);
      const isKnown = indexed.get(name) ?? (await hasVectorIndex(db, space));
      indexed.set(name, isKnown, { noUpdateTTL: true });
      return isKnown;
    },

    async readShare({ workspaceId, embedderId }: VectorSpace, filter: MediaFilter, read: () => Promise<number>) {
      const key = JSON.stringify([workspaceId, embedderId, filterKey(filter)]);
      const share = shares.get(key) ?? (await read());
      shares.set(key, share, { noUpdateTTL: true });
      return share;
    },
  };
}

/** The spans of some chunks; undefined for those that were deleted meanwhile. */
function toSpans(numbers: number[], chunks: Awaited<ReturnType<typeof findChunksAround>>): Comparable['spans'] {
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

const sampleIn = (sample: SampledVector[], words: Float32Array[], traits: QueryEmbedder): SampledChance | null =>
  sampleChance(words, (word) => sample.map(({ vector }) => dot(word, vector)), traits);

const calibrate = (sample: SampledVector[], expected: DuplicateThresholds): DuplicateThresholds =>
  calibrateBySample(
    sample,
    ({ item }) => item,
    ({ vector }, others) => others.map((other) => dot(vector, other.vector)),
    expected,
  );
