import { LRUCache } from 'lru-cache';
import { findChunks, type FoundChunk } from '../../catalog/media/chunks.ts';
import { readLastChange } from '../../catalog/media/item-changes.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { pickTraits } from '../ranker.ts';
import type { SearchEngine } from '../search-engine.ts';
import type { ConceptVectorStore } from './concept-vectors.ts';
import type { findChunkConcepts } from './lay-out-chunks.ts';

/** Concepts that are found at once: as many as a request may ask for. */
const maxConcepts = 50;
/** Workspaces whose concepts are kept in memory. */
const maxKept = 200;

type Computed = Awaited<ReturnType<typeof findChunkConcepts>>;

type Parts = {
  db: Catalog;
  search: Pick<SearchEngine, 'getEmbedder'>;
  vectors: ConceptVectorStore;
  compute: (task: Parameters<typeof findChunkConcepts>[1], count: number) => Promise<Computed>;
};

/** What is often found in a workspace. `reason` says why there is nothing, where the embedder cannot describe pictures. */
type ConceptAnswer = {
  concepts: { name: string; count: number; chunk: FoundChunk }[];
  population: number;
  reason: string | null;
};

/** Finds the concepts of a workspace; the most distinctive first. */
type ConceptFinder = (workspaceId: string, count: number) => Promise<ConceptAnswer>;

/** Finds concepts, and keeps them until something in the workspace changes. */
export function createConceptFinder({ db, search, vectors, compute }: Parts): ConceptFinder {
  const known = new LRUCache<string, Promise<Computed>>({ max: maxKept });

  return async (workspaceId, count) => {
    const embedder = await search.getEmbedder(workspaceId);
    const { file, reason } = await vectors.read(embedder);
    if (file === null) return { concepts: [], population: 0, reason };
    const key = JSON.stringify([workspaceId, embedder.id, await readLastChange(db, workspaceId)]);
    const task = { workspaceId, embedderId: embedder.id, concepts: file, traits: pickTraits(embedder) };
    const started = known.get(key) ?? compute(task, maxConcepts);
    known.set(key, started);
    // What failed is tried again by the next request.
    started.catch(() => known.delete(key));
    const { concepts, population } = await started;
    const numbers = concepts.slice(0, count).map(({ number }) => number);
    const chunks = new Map((await findChunks(db, workspaceId, numbers)).map((chunk) => [chunk.number, chunk]));
    return {
      concepts: concepts.slice(0, count).flatMap(({ name, count: moments, number }) => {
        const chunk = chunks.get(number);
        return chunk ? [{ name, count: moments, chunk }] : [];
      }),
      population,
      reason: null,
    };
  };
}
