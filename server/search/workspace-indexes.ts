import type { IndexBuilder } from '@media-search/search-engine/builder/index-builder';
import { type IndexSnapshot, memoryOf } from '@media-search/search-engine/index/index-memory';
import type { QueryEmbedder } from './embedding/text-embedders.ts';

/** An index as searches read it. */
type OpenIndex = { embedderId: string; snapshot: IndexSnapshot; bytes: number; usedAt: number };

/** What an index was known to take, so that the next estimate of it is a better one. */
type Measured = { bytes: number; slots: number };

/** Indexes in memory. Each reserves as much address space as it may ever need, of which a process has 128 TiB. */
const maxOpen = 1000;
/** An index that was searched so lately makes no room for another, where that can be ranked otherwise, milliseconds. */
const keptMs = 60_000;
/** Bytes of a chunk beside its vector, by estimate: links, times, texts. */
const chunkBytes = 400;

type Parts = {
  builder: Pick<IndexBuilder, 'refresh' | 'close'>;
  /** Bytes of all indexes together. */
  maxBytes: number;
  /** Whether workspaces can be ranked without an index in memory: then none takes more than there is. */
  isOptional: boolean;
  /** Called when the index of a workspace could not be saved. */
  onProblem: (error: Error) => void;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Frees the memory of an index that is no longer searched. */
  forget: (indexId: string) => void;
};

/**
 * The indexes of the workspaces that were searched since the start, within a budget of memory. Those that were not searched for longest are closed for others: saved
 * where that is due, and loaded again by the next search. Where a workspace can be ranked without an index, one that is too large for the budget gets none.
 */
export function createWorkspaceIndexes(parts: Parts) {
  const { builder, maxBytes, isOptional, onProblem, getEmbedder, forget } = parts;
  /** By workspace; the one that was searched last is the last. */
  const current = new Map<string, OpenIndex>();
  /** Of each workspace the embedder whose index the builder was asked for last. */
  const asked = new Map<string, string>();
  /** Of each workspace the refresh in progress. */
  const refreshes = new Map<string, Promise<boolean>>();
  const measured = new Map<string, Measured>();
  const counts = { loaded: 0, closed: 0 };

  function refresh(workspaceId: string, { id, dimensions }: QueryEmbedder): Promise<boolean> {
    asked.set(workspaceId, id);
    const started = builder.refresh({ workspaceId, embedder: { id, dimensions } }).finally(() => {
      refreshes.delete(workspaceId);
      // Whoever waits for it takes it first.
      setImmediate(closeUnused);
    });
    refreshes.set(workspaceId, started);
    return started;
  }

  const total = (among: Iterable<OpenIndex>): number => Array.from(among).reduce((sum, { bytes }) => sum + bytes, 0);

  /** Closes the indexes that were not searched for longest when there are too many. */
  function closeUnused(): void {
    let held = total(current.values());
    for (const [workspaceId, { bytes }] of current) {
      if (current.size <= maxOpen && held <= maxBytes) return;
      // A search waits for it; and what can be ranked in no other way is ranked, one workspace at a time.
      if (refreshes.has(workspaceId) || (!isOptional && current.size === 1)) continue;
      close(workspaceId);
      held -= bytes;
    }
  }

  function close(workspaceId: string): void {
    const closed = current.get(workspaceId);
    current.delete(workspaceId);
    asked.delete(workspaceId);
    counts.closed += 1;
    if (closed) forget(closed.snapshot.indexId);
    builder.close(workspaceId).catch(onProblem);
  }

  /** Whether an index of so many chunks fits beside those that were searched lately. */
  function hasRoom(workspaceId: string, { dimensions }: QueryEmbedder, chunks: number): boolean {
    const known = measured.get(workspaceId);
    const bytesOfChunk = known ? known.bytes / Math.max(1, known.slots) : 2 * dimensions + chunkBytes;
    const lately = Array.from(current.values()).filter(({ usedAt }) => usedAt > performance.now() - keptMs);
    return chunks * bytesOfChunk + total(lately) <= maxBytes;
  }

  return {
    /** Takes over what the builder sent. What it still sends of an embedder that is no longer active is dropped. */
    accept(workspaceId: string, embedderId: string, snapshot: IndexSnapshot): void {
      if (asked.get(workspaceId) !== embedderId) return;
      const before = current.get(workspaceId);
      if (before?.snapshot.indexId !== snapshot.indexId) counts.loaded += 1;
      if (before && before.snapshot.indexId !== snapshot.indexId) forget(before.snapshot.indexId);
      const bytes = memoryOf(snapshot);
      measured.set(workspaceId, { bytes, slots: snapshot.slotCount });
      const usedAt = before?.usedAt ?? performance.now();
      // One that grows in the background keeps its place.
      current.set(workspaceId, { embedderId, snapshot, bytes, usedAt });
      setImmediate(closeUnused);
    },

    /** Whether the index of a workspace is in memory. */
    isOpen: (workspaceId: string): boolean => current.has(workspaceId),
    /** Whether a workspace was searched in the last minute. */
    isInUse: (workspaceId: string): boolean =>
      (current.get(workspaceId)?.usedAt ?? -Infinity) > performance.now() - keptMs,
    hasRoom,

    /** The index of an embedder as it is; null: there is none in memory. */
    find(workspaceId: string, embedderId: string): IndexSnapshot | null {
      const known = current.get(workspaceId);
      if (known?.embedderId !== embedderId) return null;
      current.delete(workspaceId);
      current.set(workspaceId, { ...known, usedAt: performance.now() });
      return known.snapshot;
    },

    /**
     * The index of an embedder with all changes up to one. `inactive`: another embedder is active; `building`: another process builds it, and has not saved it. Throws when the
     * builder fails.
     */
    async open(
      workspaceId: string,
      embedderId: string,
      lastChange: number,
    ): Promise<IndexSnapshot | 'inactive' | 'building'> {
      for (;;) {
        const active = await getEmbedder(workspaceId);
        if (active.id !== embedderId) return 'inactive';
        const snapshot = this.find(workspaceId, embedderId);
        if (snapshot && snapshot.change >= lastChange) return snapshot;
        // A refresh in progress may have begun before the last change, so another one may have to follow. Searches that arrive meanwhile share it.
        if (!(await (refreshes.get(workspaceId) ?? refresh(workspaceId, active)))) return 'building';
      }
    },

    /** What is open now, and how often indexes were loaded or built, and closed for others, since the start. */
    report: () => ({
      ...counts,
      bytes: total(current.values()),
      changes: new Map(Array.from(current, ([id, { snapshot }]) => [id, snapshot.change])),
    }),
  };
}
