import { findDistinct } from '@media-search/search-engine/ranking/deduplicate';
import { runComposed } from '@media-search/search-engine/ranking/run-composed';
import { runSearch, type SearchIndex } from '@media-search/search-engine/ranking/run-search';
import type { NearChunk, NearestOptions, StageTimes } from '@media-search/search-engine/ranking/search-tasks';
import { readActiveEmbedder } from '../../catalog/embedders.ts';
import { openPostings } from '../../catalog/postgres/open-postings.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { pickTraits, type Ranker, type SearchQuery } from '../ranker.ts';
import type { Limits } from './search-scope.ts';
import { openTextSearch } from './texts.ts';
import { createVectorSpaces } from './vector-space.ts';

/**
 * Ranks in PostgreSQL: its rows and indexes are the index, so what is stored is found by the next search, and what is deleted by none. Each part of an
 * answer is a statement of its own; what changed between two of them is noticed where the hits are read, and the search is done again.
 * @param limits for tests
 */
export function createPostgresRanker(db: Catalog, limits?: Limits): Ranker {
  const spaces = createVectorSpaces(db, limits);
  const sources = { db, spaces };

  /** Whether the embedder was the active one until now: its vectors are deleted in the transaction that makes another one active. */
  async function isActive(workspaceId: string, { id }: QueryEmbedder): Promise<boolean> {
    const active = await readActiveEmbedder(db, workspaceId);
    return active === null || active === id;
  }

  return {
    async search(workspaceId, embedder, query) {
      const times: StageTimes = {};
      const { index, scope } = await openIndex(sources, workspaceId, embedder, query);
      const result = await runSearch(index, { ...query, traits: pickTraits(embedder) }, times);
      return { ...result, seen: null, by: 'database', isPartial: scope.isCut };
    },

    async compose(workspaceId, embedder, { parts, filter, mediaId, signal, ...task }) {
      const times: StageTimes = {};
      const traits = pickTraits(embedder);
      const opened = await Promise.all(
        parts.map(async (part) => ({
          query: { ...part, traits, options: task.options },
          ...(await openIndex(sources, workspaceId, embedder, { ...part, filter, mediaId, signal })),
        })),
      );
      const result = await runComposed(opened, task, times);
      return { ...result, seen: null, by: 'database', isPartial: opened.some(({ scope }) => scope.isCut) };
    },

    async background(workspaceId, embedder, vector) {
      const space = await spaces.open(workspaceId, embedder);
      const background = await space.measure(vector);
      return (await isActive(workspaceId, embedder)) ? background : null;
    },

    async distinct(workspaceId, embedder, numbers, options) {
      const space = await spaces.open(workspaceId, embedder);
      const distinct = findDistinct(await space.openComparable(numbers), options);
      return (await isActive(workspaceId, embedder)) ? distinct : null;
    },

    async sampleChance(workspaceId, embedder, words) {
      const space = await spaces.open(workspaceId, embedder);
      const chance = await space.sampleChance(words);
      return (await isActive(workspaceId, embedder)) ? (chance ?? 'unknown') : null;
    },

    async nearest(workspaceId, embedder, vectors, options) {
      const found = await findNearest(spaces, workspaceId, embedder, vectors, options);
      return (await isActive(workspaceId, embedder)) ? found : null;
    },

    // Nothing is kept in this process that a search would wait for.
    warm: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
}

/** The most that an index of vectors finds in one search. */
const maxNearest = 1000;

/** The chunks nearest to each of some unit vectors, one after the other. */
async function findNearest(
  spaces: Sources['spaces'],
  workspaceId: string,
  embedder: QueryEmbedder,
  vectors: Float32Array[],
  { count, least, leftOut }: NearestOptions,
): Promise<NearChunk[][]> {
  const isLeftOut = new Set(leftOut);
  const lists: NearChunk[][] = [];
  for (const vector of vectors) {
    const { scope } = await spaces.open(workspaceId, embedder, { vector, filter: {} });
    const found = await scope.findNear(Math.min(maxNearest, count + leftOut.length));
    const near = Array.from(found, ([number, similarity]) => ({ number, similarity }));
    const wanted = near.filter(({ number, similarity }) => similarity >= least && !isLeftOut.has(number));
    lists.push(wanted.slice(0, count));
  }
  return lists;
}

/** What an index is opened from. */
type Sources = { db: Catalog; spaces: ReturnType<typeof createVectorSpaces> };

/** The chunks of a workspace as one search sees them. */
async function openIndex(
  { db, spaces }: Sources,
  workspaceId: string,
  embedder: QueryEmbedder,
  query: Omit<SearchQuery, 'options'>,
) {
  const opening = spaces.open(workspaceId, embedder, query);
  const store = openPostings(db, workspaceId, query.signal);
  const texts = openTextSearch(
    store,
    query,
    opening.then(({ scope }) => scope.passing),
  );
  const space = await opening;
  const { scope } = space;
  const index: SearchIndex<number[]> = Object.assign(texts, {
    numberOf: (number: number) => number,
    measure: (vector: Float32Array) => space.measure(vector),
    findNear: (count: number, among?: number[]) => (among ? scope.findNearAmong(count, among) : scope.findNear(count)),
    // Passages are compared by indexes in memory alone.
    findMeant: () => new Map<number, never>(),
    compare: (vector: Float32Array, numbers: number[]) => scope.compare(vector, numbers),
    openComparable: (numbers: number[]) => space.openComparable(numbers),
    findAround: (numbers: number[], seconds: number) => space.findAround(numbers, seconds),
  });
  return { index, scope };
}
