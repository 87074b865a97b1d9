import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { countVectorsAfter, readVectorVersion, type VectorVersion } from '../catalog/chunk-vectors.ts';
import type { Catalog } from '../catalog/schema.ts';
import { readCacheFile } from './cache-file.ts';
import type { Rankings } from './rank-chunks.ts';

/** Rankings that lack no more than this share of the chunks, or have so many too many, are good enough to be shown at once. */
const maxStaleShare = 0.01;
/** Smaller workspaces are compared when asked: that takes no longer than to read what was kept. */
const minCachedChunks = 2000;

export type RankingCache = ReturnType<typeof createRankingCache>;

/**
 * Rankings of all chunks of large workspaces, kept in files and up to date, so that asking for them is a read.
 * @param update brings the rankings in a file up to date with the catalog
 */
export function createRankingCache({
  db,
  directory,
  update,
}: {
  db: Catalog;
  directory: string;
  update: (workspaceId: string, embedderId: string, file: string) => Promise<void>;
}) {
  const refreshes = new Map<string, Promise<void>>();
  /** The last ones read, by file. */
  const cache = new Map<string, Rankings>();

  const fileOf = (workspaceId: string, embedderId: string) =>
    path.join(directory, workspaceId, `${embedderId.replaceAll(/[^\w.-]+/g, '-')}.rankings`);

  /** However many ask while a pass goes on, one more follows it. */
  async function runRefresh(workspaceId: string, embedderId: string): Promise<void> {
    const file = fileOf(workspaceId, embedderId);
    await refreshes.get(file);
    const pass =
      refreshes.get(file) ??
      update(workspaceId, embedderId, file)
        .then(() => removeOutdatedFiles(file))
        .finally(() => {
          refreshes.delete(file);
          cache.delete(file);
        });
    refreshes.set(file, pass);
    await pass;
  }

  async function load(workspaceId: string, embedderId: string): Promise<Rankings | null> {
    const file = fileOf(workspaceId, embedderId);
    const rankings = cache.get(file) ?? (await readCacheFile<Rankings>(db, file));
    if (rankings) cache.set(file, rankings);
    return rankings;
  }

  /** What share of the chunks has come or gone since. */
  async function staleShare(workspaceId: string, embedderId: string, kept: VectorVersion, now: VectorVersion) {
    const came = await countVectorsAfter(db, workspaceId, embedderId, kept.latest);
    return (came + (kept.count + came - now.count)) / now.count;
  }

  return {
    /**
     * The rankings of a workspace, which may lack a few of the latest chunks; null when the workspace is too small for keeping any.
     * The first time in a large workspace it takes as long as comparing all pairs does.
     */
    async read(workspaceId: string, embedderId: string): Promise<Rankings | null> {
      const now = await readVectorVersion(db, workspaceId, embedderId);
      if (now.count < minCachedChunks) return null;
      const kept = await load(workspaceId, embedderId);
      if (kept) {
        if (kept.version.latest === now.latest && kept.version.count === now.count) return kept;
        const pass = runRefresh(workspaceId, embedderId);
        if ((await staleShare(workspaceId, embedderId, kept.version, now)) <= maxStaleShare) {
          // Whoever asks next is told of its failure.
          pass.catch(() => undefined);
          return kept;
        }
        await pass;
      } else {
        await runRefresh(workspaceId, embedderId);
      }
      return load(workspaceId, embedderId);
    },

    /** Brings the rankings up to date ahead of the next question. */
    async refresh(workspaceId: string, embedderId: string): Promise<void> {
      const { count } = await readVectorVersion(db, workspaceId, embedderId);
      if (count >= minCachedChunks) await runRefresh(workspaceId, embedderId);
    },
  };
}

/** Removes rankings of embedders that answered before. */
async function removeOutdatedFiles(file: string): Promise<void> {
  const directory = path.dirname(file);
  const names = await readdir(directory);
  const old = names.filter((name) => /\.rankings(?:\.graph)?$/.test(name) && !name.startsWith(path.basename(file)));
  for (const name of old) await rm(path.join(directory, name), { force: true });
}
