import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { nameInFiles } from '@media-search/search-engine/builder/index-file';
import { countVectorsAfter, readVectorVersion, type VectorVersion } from '../../catalog/media/chunk-vectors.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { isSameVersion, type RankingPlace, type Rankings, rankingStoreOf } from './ranking-store.ts';

/** Rankings that differ from the current chunks by at most this share are returned at once. */
const maxStaleShare = 0.01;
/** Smaller workspaces are ranked on request: that takes no longer than reading a cached ranking. */
const minCachedChunks = 2000;

type Cache = {
  db: Catalog;
  directory: string;
  update: (workspaceId: string, embedderId: string, file: string) => Promise<void>;
  /** Refreshes in progress, by file. */
  refreshes: Map<string, Promise<void>>;
  /** The rankings that were read last, by file. */
  loaded: Map<string, { stamp: string; rankings: Rankings }>;
};

export type RankingCache = ReturnType<typeof createRankingCache>;

/**
 * Rankings of all chunks of large workspaces, kept and refreshed, so that a request only reads them.
 * @param update brings the rankings in a file up to date with the catalog
 */
export function createRankingCache(parts: Pick<Cache, 'db' | 'directory' | 'update'>) {
  const cache: Cache = { ...parts, refreshes: new Map(), loaded: new Map() };
  return {
    /**
     * The rankings of a workspace, which may lack a few of the latest chunks; null when the workspace is too small for a cache.
     * The first time in a large workspace it takes as long as comparing all pairs does.
     */
    read: (workspaceId: string, embedderId: string): Promise<Rankings | null> => read(cache, workspaceId, embedderId),

    /** Refreshes the rankings before the next request. @returns whether the workspace is large enough to have any */
    async refresh(workspaceId: string, embedderId: string): Promise<boolean> {
      const { count } = await readVectorVersion(cache.db, workspaceId, embedderId);
      if (count < minCachedChunks) return false;
      await refresh(cache, workspaceId, embedderId);
      return true;
    },
  };
}

/** The file of an embedder in the folder of a workspace. */
export const fileOf = (directory: string, workspaceId: string, embedderId: string, suffix: string): string =>
  path.join(directory, workspaceId, `${nameInFiles(embedderId)}.${suffix}`);

/** Beside its rankings: the graph that they are computed from. */
export const graphFileOf = (rankings: string): string => `${rankings}.graph`;

const placeOf = ({ directory }: Cache, workspaceId: string, embedderId: string): RankingPlace => ({
  workspaceId,
  embedderId,
  file: fileOf(directory, workspaceId, embedderId, 'rankings'),
});

async function read(cache: Cache, workspaceId: string, embedderId: string): Promise<Rankings | null> {
  const now = await readVectorVersion(cache.db, workspaceId, embedderId);
  if (now.count < minCachedChunks) return null;
  const cached = await load(cache, workspaceId, embedderId);
  if (!cached) {
    await refresh(cache, workspaceId, embedderId);
    return load(cache, workspaceId, embedderId);
  }
  if (isSameVersion(cached.version, now)) return cached;
  const refreshed = refresh(cache, workspaceId, embedderId);
  if ((await staleShare(cache.db, workspaceId, embedderId, cached.version, now)) <= maxStaleShare) {
    // If it fails, the next request gets the error.
    refreshed.catch(() => undefined);
    return cached;
  }
  await refreshed;
  return load(cache, workspaceId, embedderId);
}

/** However many calls arrive during a refresh, only one more follows it. */
async function refresh(cache: Cache, workspaceId: string, embedderId: string): Promise<void> {
  const { refreshes, update } = cache;
  const { file } = placeOf(cache, workspaceId, embedderId);
  await refreshes.get(file);
  const inProgress =
    refreshes.get(file) ??
    update(workspaceId, embedderId, file)
      .then(() => removeOutdatedFiles(file))
      .finally(() => refreshes.delete(file));
  refreshes.set(file, inProgress);
  await inProgress;
}

/** The rankings that are kept, also where another process has replaced them. */
async function load(cache: Cache, workspaceId: string, embedderId: string): Promise<Rankings | null> {
  const place = placeOf(cache, workspaceId, embedderId);
  const store = rankingStoreOf(cache.db);
  const stamp = await store.readStamp(place);
  const known = cache.loaded.get(place.file);
  if (stamp === null || known?.stamp === stamp) return stamp === null ? null : (known?.rankings ?? null);
  const rankings = await store.read(place);
  if (rankings) cache.loaded.set(place.file, { stamp, rankings });
  return rankings;
}

/** The share of the chunks that was added or deleted since, or moved into the trash or out of it. */
async function staleShare(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  cached: VectorVersion,
  now: VectorVersion,
): Promise<number> {
  const added = await countVectorsAfter(db, workspaceId, embedderId, cached.latest);
  const deleted = cached.count + added - now.count;
  return (added + Math.abs(deleted)) / now.count;
}

/** Removes rankings and maps of earlier active embedders. */
async function removeOutdatedFiles(file: string): Promise<void> {
  const directory = path.dirname(file);
  // None where another process has computed them.
  const names = await readdir(directory).catch(() => []);
  const own = path.basename(file, 'rankings');
  const old = names.filter((name) => /\.(?:rankings(?:\.graph)?|map)$/.test(name) && !name.startsWith(own));
  for (const name of old) await rm(path.join(directory, name), { force: true });
}
