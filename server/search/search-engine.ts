import path from 'node:path';
import { type ExcerptPart, rankChunkTexts, readExcerpts } from '../catalog/chunk-texts.ts';
import { readChunkVectors } from '../catalog/chunk-vectors.ts';
import { type ChunkFilter, findChunks, type FoundChunk } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { measureBackground, relevance, standardScore } from './calibration.ts';
import { type ChunkSelection, createChunkSelector, searchWindow } from './chunk-selection.ts';
import { deduplicate, type DuplicateThresholds } from './deduplicate.ts';
import { createThresholdReader } from './duplicate-thresholds.ts';
import type { StageTimer } from './stage-timer.ts';
import { anyOf, prefixOf, parseTextQuery, type TextQuery } from './text-query.ts';
import { searchTexts, type TextMatch } from './text-search.ts';
import { createVectorIndex, dot, type Neighbor, type VectorIndex } from './vector-index.ts';

export type EngineHit = {
  chunk: FoundChunk;
  /** 0..1, falls down the list. */
  score: number;
  weak: boolean;
  signals: {
    visual?: number;
    text?: number;
    rerank?: number;
    outlier?: number;
    terms?: string[];
    excerpt?: ExcerptPart[];
  };
  /** The chunks that this one stands for, when near-duplicates are dropped. */
  duplicates?: FoundChunk[];
};

export type HitOptions = {
  /** How many hits are wanted. */
  count: number;
  /** Whether near-duplicates of a better hit are dropped. */
  dedupe: boolean;
};

type TimedOptions = HitOptions & { timer: StageTimer };

export type SearchEngine = ReturnType<typeof createSearchEngine>;

/** What a search by a picture looks for in texts. */
const emptyTextQuery: TextQuery = { visualText: '', terms: [], prefix: null, excluded: [] };

/** Chunks whose texts hold what is excluded, at most; the best of them. */
const maxExcluded = 100_000;
/** From this standard score on a picture shows what is excluded. */
const minExcludedScore = 2;

/** Hits read from the catalog beyond those wanted, in case some were deleted at this moment. */
const spare = 10;

/** Candidates that vectors and texts give each, for so many hits. Fewer are hardly quicker. */
const candidateDepth = (count: number): number => Math.max(100, 5 * count);

/** Looking for hits that are no near-duplicates ends here: what lies deeper is of no use to anybody. */
const maxDepth = 5000;

/** A workspace as a search sees it: the embedder that answers there and the index of its vectors. */
type WorkspaceIndex = {
  workspaceId: string;
  embedder: QueryEmbedder;
  index: VectorIndex;
  readThresholds: () => Promise<DuplicateThresholds>;
};

/**
 * Hybrid search over the chunks of each workspace: nearest vectors and full text, fused.
 * @param createQueryEmbedder the embedder that answers in a workspace; when that changes, the index is built anew
 */
export function createSearchEngine({
  db,
  indexDirectory,
  embedderOf,
}: {
  db: Catalog;
  /** Where indexes are kept between two starts. */
  indexDirectory: string;
  embedderOf: (workspaceId: string) => Promise<QueryEmbedder>;
}) {
  const workspaceIndexes = new Map<string, WorkspaceIndex>();
  const selectChunks = createChunkSelector(db);

  async function spaceOf(workspaceId: string): Promise<WorkspaceIndex> {
    const embedder = await embedderOf(workspaceId);
    const existing = workspaceIndexes.get(workspaceId);
    if (existing?.embedder.id === embedder.id) return existing;
    const file = path.join(indexDirectory, workspaceId, `${embedder.id.replaceAll(/[^\w.-]+/g, '-')}.usearch`);
    const index = createVectorIndex(db, workspaceId, embedder, file);
    const readThresholds = createThresholdReader(db, workspaceId, index, embedder.duplicateThresholds);
    const space = { workspaceId, embedder, index, readThresholds };
    workspaceIndexes.set(workspaceId, space);
    await existing?.index.discard();
    return space;
  }

  /** A workspace with all in its index that has been stored. */
  async function openSpace(workspaceId: string): Promise<WorkspaceIndex> {
    const space = await spaceOf(workspaceId);
    await space.index.refresh();
    return space;
  }

  /** The nearest of the selected chunks, at least `count` of them when there are as many. */
  async function searchVectors(
    { embedder, index }: WorkspaceIndex,
    query: Float32Array,
    selection: ChunkSelection,
    count: number,
  ): Promise<Neighbor[]> {
    if (selection.numbers) {
      return [...(await readChunkVectors(db, embedder.id, selection.numbers))]
        .map(([number, vector]) => ({ number, similarity: dot(vector, query) }))
        .toSorted((a, b) => b.similarity - a.similarity)
        .slice(0, count);
    }
    const all = index.size();
    const first = selection.size >= all ? count : searchWindow(count, selection.size, all);
    for (let window = first; ; window *= 4) {
      const nearest = index.search(query, window);
      const passing = new Set(await selection.filter(nearest.map(({ number }) => number)));
      if (passing.size < count && window < all) continue;
      return nearest.filter(({ number }) => passing.has(number)).slice(0, count);
    }
  }

  /** Tells whether a chunk shows or says what must not be there. */
  async function findExcluded({ embedder, index }: WorkspaceIndex, { excluded }: TextQuery, numbers: number[]) {
    const gone = new Set<number>();
    if (excluded.length === 0) return gone;
    const { relevances } = await rankChunkTexts(db, anyOf(excluded), maxExcluded);
    for (const number of relevances.keys()) gone.add(number);
    const vectors = await readChunkVectors(db, embedder.id, numbers);
    for (const phrase of excluded) {
      const { vector } = await embedText(embedder, phrase);
      if (!vector) continue;
      const background = measureBackground(index.background(vector), embedder.spread);
      for (const [number, stored] of vectors) {
        if (standardScore(dot(stored, vector), background) >= minExcludedScore) gone.add(number);
      }
    }
    return gone;
  }

  /** Chunks near a vector, texts that hold terms, or both, fused, by falling score. */
  async function retrieve(
    space: WorkspaceIndex,
    vector: Float32Array | null,
    query: TextQuery,
    filter: ChunkFilter,
    { depth, wanted, timer }: { depth: number; wanted: number; timer: StageTimer },
  ): Promise<EngineHit[]> {
    const { workspaceId } = space;
    const selection = await selectChunks(workspaceId, filter, depth, space.index);
    const neighbors = await timer.time('vector', () => (vector ? searchVectors(space, vector, selection, depth) : []));
    const seen = neighbors.map(({ number }) => number);
    const texts = await timer.time('text', () =>
      searchTexts(
        db,
        query,
        selection,
        { workspaceId, filter, count: depth, enough: Math.min(depth, wanted), population: space.index.size() },
        seen,
      ),
    );
    return timer.time('fuse', () => fuseHits(space, vector, query, filter, neighbors, texts, wanted));
  }

  /** Joins what vectors and texts led to into hits by falling score. */
  async function fuseHits(
    space: WorkspaceIndex,
    vector: Float32Array | null,
    query: TextQuery,
    filter: ChunkFilter,
    neighbors: Neighbor[],
    texts: Map<number, TextMatch>,
    wanted: number,
  ): Promise<EngineHit[]> {
    const { workspaceId, embedder, index } = space;
    const similarities = new Map(neighbors.map(({ number, similarity }) => [number, similarity]));
    if (vector) {
      // What only its text led to has a picture as well.
      const unseen = [...texts.keys()].filter((number) => !similarities.has(number));
      for (const [number, stored] of await readChunkVectors(db, embedder.id, unseen)) {
        similarities.set(number, dot(stored, vector));
      }
    }
    const background = measureBackground(vector ? index.background(vector) : [], embedder.spread);
    const numbers = [...new Set([...similarities.keys(), ...texts.keys()])];
    const excluded = await findExcluded(space, query, numbers);
    const fused = numbers
      .filter((number) => !excluded.has(number))
      .map((number) => {
        const similarity = similarities.get(number);
        const standing = similarity === undefined ? undefined : standardScore(similarity, background);
        return { number, ...fuse(similarity, standing, texts.get(number), embedder.weakBelow) };
      })
      // Equal scores: the newer chunk first, so that the order is stable.
      .toSorted((a, b) => b.score - a.score || b.number - a.number)
      .slice(0, wanted + spare);
    const chunks = await findChunks(
      db,
      workspaceId,
      fused.map(({ number }) => number),
      filter,
    );
    const found = new Map(chunks.map((chunk) => [chunk.number, chunk]));
    return fused.flatMap(({ number, ...hit }) => {
      const chunk = found.get(number);
      return chunk ? [{ chunk, ...hit }] : [];
    });
  }

  /** The first hits; without near-duplicates it looks further down until there are enough or no more. */
  async function selectHits(
    space: WorkspaceIndex,
    { count, dedupe, timer }: TimedOptions,
    find: (depth: number, wanted: number) => Promise<EngineHit[]>,
  ): Promise<EngineHit[]> {
    if (!dedupe) return (await find(candidateDepth(count), count)).slice(0, count);
    for (let depth = candidateDepth(count); ; depth *= 4) {
      const hits = await find(depth, Infinity);
      const kept = await timer.time('dedupe', () => keepDistinct(hits, { count, dedupe }, space));
      if (kept.length === count || hits.length < depth || depth > maxDepth) return kept;
    }
  }

  async function keepDistinct(
    hits: EngineHit[],
    { count, dedupe }: HitOptions,
    { embedder, readThresholds }: WorkspaceIndex,
  ): Promise<EngineHit[]> {
    const numbers = hits.map(({ chunk }) => chunk.number);
    // The built-in embedder was measured; of any other model only its own vectors tell.
    const thresholds = embedder.kind === 'builtin' ? embedder.duplicateThresholds : await readThresholds();
    const vectors = await readChunkVectors(db, embedder.id, numbers);
    return deduplicate(hits, vectors, dedupe ? thresholds : { ...thresholds, continuation: Infinity }, count);
  }

  /** Adds the passages that matched to the hits found by their texts. */
  async function addExcerpts(hits: EngineHit[], { terms, prefix: beginning }: TextQuery): Promise<EngineHit[]> {
    const found = hits.filter(({ signals }) => signals.terms).map(({ chunk }) => chunk.number);
    const excerpts = await readExcerpts(db, anyOf(terms), found);
    // Only where no whole word led to the hit: looking for what begins so takes many times as long.
    const rest = beginning ? found.filter((number) => !excerpts.has(number)) : [];
    for (const [number, excerpt] of await readExcerpts(db, prefixOf(beginning ?? ''), rest)) {
      excerpts.set(number, excerpt);
    }
    return hits.map((hit) => {
      const excerpt = excerpts.get(hit.chunk.number);
      return excerpt ? { ...hit, signals: { ...hit.signals, excerpt } } : hit;
    });
  }

  return {
    /**
     * Searches by words.
     * @returns hits by falling score, the query's vector (null when no word has a visual meaning for the embedder), the words
     * that have none, and why the embedder could not be run where it could not
     */
    async searchByText(
      workspaceId: string,
      query: string,
      filter: ChunkFilter,
      options: TimedOptions,
    ): Promise<{
      hits: EngineHit[];
      vector: Float32Array | null;
      unknown: string[];
      problem: string | null;
      embedder: QueryEmbedder;
    }> {
      const space = await openSpace(workspaceId);
      const { embedder } = space;
      const read = parseTextQuery(query);
      const { vector, unknown, problem } = await options.timer.time('embed', () =>
        embedText(embedder, read.visualText),
      );
      const hits = await selectHits(space, options, (depth, wanted) =>
        retrieve(space, vector, read, filter, { depth, wanted, timer: options.timer }),
      );
      return { hits: await addExcerpts(hits, read), vector, unknown, problem, embedder };
    },

    /**
     * Searches by a vector of an embedder, such as that of a picture: hits by falling score; null when another embedder answers
     * there by now.
     */
    async searchByVector(
      workspaceId: string,
      { vector, embedder }: { vector: Float32Array; embedder: QueryEmbedder },
      filter: ChunkFilter,
      options: TimedOptions,
    ): Promise<EngineHit[] | null> {
      const space = await openSpace(workspaceId);
      if (space.embedder.id !== embedder.id) return null;
      const hits = await selectHits(space, options, (depth, wanted) =>
        retrieve(space, vector, emptyTextQuery, filter, { depth, wanted, timer: options.timer }),
      );
      return hits.map((hit) => ({
        ...hit,
        score: 1 - (1 - hit.score) * (1 - copyLikelihood(hit.signals.visual ?? 0)),
      }));
    },

    embedderOf,

    /** How relevant a similarity to a query is in a workspace, 0..1. */
    async relevanceOf(workspaceId: string, vector: Float32Array): Promise<(similarity: number) => number> {
      const { index, embedder } = await spaceOf(workspaceId);
      const background = measureBackground(index.background(vector), embedder.spread);
      return (similarity) => relevance(standardScore(similarity, background));
    },

    /** Keeps the first of hits that show the same event; without `dedupe` only of such as are copies of one another. */
    dropDuplicates: async (workspaceId: string, hits: EngineHit[], options: HitOptions): Promise<EngineHit[]> =>
      keepDistinct(hits, options, await openSpace(workspaceId)),

    /** Drops deleted chunks from the index in memory. Searches would not show them anyway: hits are read from the catalog. */
    removeChunks(workspaceId: string, numbers: number[]): void {
      workspaceIndexes.get(workspaceId)?.index.remove(numbers);
    },

    /** Keeps what the indexes hold for the next start. */
    async save(): Promise<void> {
      for (const { index } of workspaceIndexes.values()) await index.save();
    },

    /** Builds a workspace's index ahead of its first search. */
    warm: async (workspaceId: string): Promise<void> => {
      await openSpace(workspaceId);
    },
  };
}

/** A model that fails must not take the search by text along. */
async function embedText(
  embedder: QueryEmbedder,
  query: string,
): Promise<{ vector: Float32Array | null; unknown: string[]; problem: string | null }> {
  // A model would find a meaning in nothing, too.
  if (query === '') return { vector: null, unknown: [], problem: null };
  try {
    return { ...(await embedder.embedText(query)), problem: null };
  } catch (error) {
    return { vector: null, unknown: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * How much a picture that stands out fully is believed: less than a text that holds every word. Measured (`bench/fusion.ts`): from 0.8
 * down to 0.6 names and pictures together find more than either alone; at 1, pictures that are merely alike hide what is named.
 */
const imageWeight = 0.7;

/** A text that holds less of a query than this is no reason to show a hit. */
const minCoverage = 1 / 3;

/**
 * One score from both parts, as independent evidences: 1 - (1 - visual)(1 - text), so that a hit which both find stands
 * above one that either finds alike.
 */
function fuse(
  similarity: number | undefined,
  standing: number | undefined,
  text: TextMatch | undefined,
  weakBelow: number,
): Omit<EngineHit, 'chunk'> {
  const visual = standing === undefined ? 0 : relevance(standing);
  // A text that holds every word of the query is as good as certain; BM25 orders those that hold as many.
  const textual = text ? text.coverage * (0.85 + 0.1 * (text.relevance / (1 + text.relevance))) : 0;
  return {
    score: 1 - (1 - imageWeight * visual) * (1 - textual),
    weak: (text?.coverage ?? 0) < minCoverage && (standing ?? 0) < weakBelow,
    signals: {
      ...(similarity === undefined ? {} : { visual: similarity }),
      ...(text ? { text: text.relevance, terms: text.terms } : {}),
    },
  };
}

/**
 * How surely a similarity to a picture is that of a copy, 0..1: one stays a copy however alike the rest of a workspace is. Rises
 * with the similarity, so the order stays.
 */
const copyLikelihood = (similarity: number): number => Math.min(1, Math.max(0, similarity)) ** 8;
