import { type IndexSnapshot, memoryOf } from '@media-search/search-engine/index/index-memory';

/** An index as searches read it, and when it was searched last by the clock of this process, milliseconds. */
type OpenIndex = { embedderId: string; snapshot: IndexSnapshot; bytes: number; usedAt: number };

/** Indexes in memory. Each reserves as much address space as it may ever need, of which a process has 128 TiB. */
const maxOpen = 1000;
/** An index that was searched so lately makes no room for one that can be ranked otherwise, milliseconds. */
const keptMs = 60_000;
/** Bytes of a chunk beside its vector, by estimate: links, times, texts. */
const chunkBytes = 400;

/** What an index was known to take. */
type Measured = { bytes: number; slots: number };

const isInUse = (index: OpenIndex | undefined): boolean =>
  index !== undefined && index.usedAt > performance.now() - keptMs;

const total = (among: Iterable<OpenIndex>): number => Array.from(among).reduce((sum, { bytes }) => sum + bytes, 0);

/** What indexes will take that are being loaded. */
function createExpectations() {
  /** What the index of a workspace was known to take: the next estimate of it is a better one. */
  const measured = new Map<string, Measured>();
  const loading = new Map<string, number>();
  return {
    measure: (workspaceId: string, known: Measured): void => void measured.set(workspaceId, known),

    /** Bytes that the index of some chunks takes; something also without any. */
    estimate(workspaceId: string, dimensions: number, chunks: number): number {
      const known = measured.get(workspaceId);
      const bytesOfChunk = known && known.slots > 0 ? known.bytes / known.slots : 2 * dimensions + chunkBytes;
      return Math.max(1, chunks * bytesOfChunk);
    },

    expect: (workspaceId: string, bytes: number): void => void loading.set(workspaceId, bytes),
    forget: (workspaceId: string): void => void loading.delete(workspaceId),

    /** Bytes of those that are not there yet, but for one workspace. */
    total: (present: Map<string, OpenIndex>, except?: string): number =>
      Array.from(loading).reduce((sum, [id, bytes]) => (present.has(id) || id === except ? sum : sum + bytes), 0),
  };
}

/**
 * The indexes in memory by their workspace, the one that was searched last at the end, and the memory that they take together.
 * @param maxBytes of all together
 */
export function createIndexBudget(maxBytes: number) {
  const current = new Map<string, OpenIndex>();
  const expected = createExpectations();
  const counts = { loaded: 0, closed: 0 };

  return {
    /** Puts a snapshot in the place of the one before. @returns the index that nobody searches from then on; undefined: none */
    put(workspaceId: string, embedderId: string, snapshot: IndexSnapshot): string | undefined {
      const before = current.get(workspaceId);
      const isSame = before?.snapshot.indexId === snapshot.indexId;
      if (!isSame) counts.loaded += 1;
      const bytes = memoryOf(snapshot);
      expected.measure(workspaceId, { bytes, slots: snapshot.slotCount });
      // One that grows in the background keeps its place.
      current.set(workspaceId, { embedderId, snapshot, bytes, usedAt: before?.usedAt ?? performance.now() });
      return isSame ? undefined : before?.snapshot.indexId;
    },

    /** The index of an embedder; null: there is none in memory. */
    find(workspaceId: string, embedderId: string): IndexSnapshot | null {
      const known = current.get(workspaceId);
      return known?.embedderId === embedderId ? known.snapshot : null;
    },

    /** The same for a search, which keeps it in memory. */
    use(workspaceId: string, embedderId: string): IndexSnapshot | null {
      const known = current.get(workspaceId);
      if (known?.embedderId !== embedderId) return null;
      current.delete(workspaceId);
      current.set(workspaceId, { ...known, usedAt: performance.now() });
      return known.snapshot;
    },

    /** Takes an index out. @returns its identifier; undefined: there was none */
    remove(workspaceId: string): string | undefined {
      const removed = current.get(workspaceId);
      if (current.delete(workspaceId)) counts.closed += 1;
      return removed?.snapshot.indexId;
    },

    /**
     * The workspaces whose indexes are too many or too large together, those that were not searched for longest.
     * @param mayClose whether an index may be closed
     * @param least so many stay, however large
     */
    listExcess(mayClose: (workspaceId: string) => boolean, least: number): string[] {
      let [count, bytes] = [current.size, total(current.values()) + expected.total(current)];
      const excess: string[] = [];
      for (const [workspaceId, index] of current) {
        if (count <= least || (count <= maxOpen && bytes <= maxBytes)) break;
        if (!mayClose(workspaceId)) continue;
        excess.push(workspaceId);
        count -= 1;
        bytes -= index.bytes;
      }
      return excess;
    },

    /** Notes that an index of so many chunks is being loaded, if it fits beside those that were searched lately and others that come. @returns whether it does */
    reserve(workspaceId: string, dimensions: number, chunks: number): boolean {
      const lately = Array.from(current.values()).filter(isInUse);
      const bytes = expected.estimate(workspaceId, dimensions, chunks);
      if (bytes + total(lately) + expected.total(current, workspaceId) > maxBytes) return false;
      expected.expect(workspaceId, bytes);
      return true;
    },

    /** Notes that it was loaded, or could not be. */
    release: expected.forget,

    isOpen: (workspaceId: string): boolean => current.has(workspaceId),

    /** Whether a workspace was searched lately. */
    isInUse: (workspaceId: string): boolean => isInUse(current.get(workspaceId)),

    /** What is in memory now, with the last change of each, and how often indexes came and were closed for others since the start. */
    report: () => ({
      ...counts,
      bytes: total(current.values()),
      changes: new Map(Array.from(current, ([id, { snapshot }]) => [id, snapshot.change])),
    }),
  };
}
