import { LRUCache } from 'lru-cache';
import type { MediaFilter } from '../../../contract/filters.ts';
import type { MapLayout } from '../../../contract/highlights.ts';
import { readVectorVersion } from '../../catalog/media/chunk-vectors.ts';
import { readLastChange } from '../../catalog/media/item-changes.ts';
import { filterKey, isUnfiltered, pickFilter } from '../../catalog/media/media-filter.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { pickTraits } from '../ranker.ts';
import type { ConceptVectorStore } from './concept-vectors.ts';
import { type ChunkMap, type MapTask, readKeptMap } from './kept-map.ts';
import { isSameVersion } from './ranking-store.ts';

/** Maps kept in memory. */
const maxKept = 50;

type Parts = {
  db: Catalog;
  concepts: ConceptVectorStore;
  /** The files of a workspace and an embedder: of its maps, and of the graph of its rankings. */
  filesOf: (workspaceId: string, embedderId: string, layout: MapLayout) => MapTask['files'];
  /** Lays chunks out; it may take seconds. Null: until the service stops. */
  computeMap: (task: MapTask, signal: AbortSignal | null) => Promise<ChunkMap>;
  /** The same at a lower priority, because nobody waits for it. */
  computeAhead: (task: MapTask) => Promise<ChunkMap>;
  /** Computes what a whole map has besides: it shares its graph, so it comes first. */
  prepare: (workspaceId: string, filter: MediaFilter) => Promise<unknown>;
  /** Called when a map could not be computed behind an answer. */
  onProblem: (error: unknown) => void;
};

/** Which map is asked for. */
export type MapRequest = {
  workspaceId: string;
  embedder: QueryEmbedder;
  filter: MediaFilter;
  layout: MapLayout;
  signal: AbortSignal;
};

export type ChunkMaps = ReturnType<typeof createChunkMaps>;

/** Maps of the chunks of workspaces. Those of all chunks are kept in files, so that neither a restart nor a few new chunks compute them again. */
export function createChunkMaps(parts: Parts) {
  const { db, concepts, filesOf, computeMap, computeAhead, prepare, onProblem } = parts;
  const whole = new LRUCache<string, ChunkMap>({ max: maxKept });
  /** By the same without the change of the workspace: what there was last. */
  const latest = new LRUCache<string, ChunkMap>({ max: maxKept });
  const pending = new Map<string, Promise<ChunkMap>>();

  const keyOf = async (request: MapRequest): Promise<string> =>
    JSON.stringify([placeOf(request), await readLastChange(db, request.workspaceId)]);

  async function compute(request: MapRequest, ahead: boolean): Promise<ChunkMap> {
    const [{ file }] = await Promise.all([
      concepts.read(request.embedder).catch(() => ({ file: null })),
      prepare(request.workspaceId, request.filter),
    ]);
    const task = taskOf(filesOf, request, 'whole', file);
    return ahead ? computeAhead(task) : computeMap(task, null);
  }

  /** Computes a map once, however many ask for it. It goes on when they leave: the next one who asks has it. */
  function computeOnce(key: string, request: MapRequest, ahead = false): Promise<ChunkMap> {
    const started =
      pending.get(key) ??
      compute(request, ahead)
        .then((map) => keep(key, request, map))
        .finally(() => pending.delete(key));
    pending.set(key, started);
    return started;
  }

  function keep(key: string, request: MapRequest, map: ChunkMap): ChunkMap {
    whole.set(key, map);
    latest.set(placeOf(request), map);
    return map;
  }

  return {
    /**
     * The map of the chunks that pass a filter.
     * @param partial with what there is, while the rest is computed: the map of before, or a first layout
     */
    async read(request: MapRequest, partial: boolean): Promise<{ map: ChunkMap; complete: boolean }> {
      const key = await keyOf(request);
      const known = whole.get(key) ?? (await readUnchanged(parts, request));
      if (known) return { map: keep(key, request, known), complete: true };
      if (!partial) return { map: await computeOnce(key, request), complete: true };
      const before = latest.get(placeOf(request));
      const first = before ?? (await computeMap(taskOf(filesOf, request, 'first', null), request.signal));
      latest.set(placeOf(request), first);
      // Begun behind the first layout, which would otherwise share its processors with it.
      computeOnce(key, request).catch(onProblem);
      return { map: first, complete: false };
    },

    /** Brings the map of all chunks that is kept up to date before the next request; where nobody has looked at one there is nothing to do. */
    async refresh(request: MapRequest): Promise<void> {
      const { workspaceId, embedder, layout } = request;
      const kept = await readKeptMap(db, filesOf(workspaceId, embedder.id, layout).map, layout);
      if (!kept || (await readUnchanged(parts, request))) return;
      await computeOnce(await keyOf(request), request, true);
    },
  };
}

/** What tells maps of one state of a workspace apart. */
const placeOf = ({ workspaceId, embedder, filter, layout }: MapRequest): string =>
  JSON.stringify([workspaceId, embedder.id, filterKey(filter), layout]);

const taskOf = (
  filesOf: Parts['filesOf'],
  request: MapRequest,
  stage: MapTask['stage'],
  file: string | null,
): MapTask => ({
  workspaceId: request.workspaceId,
  embedderId: request.embedder.id,
  filter: pickFilter(request.filter),
  layout: request.layout,
  stage,
  files: filesOf(request.workspaceId, request.embedder.id, request.layout),
  concepts: file,
  traits: pickTraits(request.embedder),
});

/** The map of all chunks in its file, where nothing has changed since. */
async function readUnchanged(
  { db, filesOf }: Pick<Parts, 'db' | 'filesOf'>,
  { workspaceId, embedder, filter, layout }: MapRequest,
): Promise<ChunkMap | null> {
  if (!isUnfiltered(filter)) return null;
  const kept = await readKeptMap(db, filesOf(workspaceId, embedder.id, layout).map, layout);
  if (!kept) return null;
  return isSameVersion(kept.version, await readVectorVersion(db, workspaceId, embedder.id)) ? kept : null;
}
