import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sampleNames } from '@media-search/media/samples/sample-names';
import type { AssetStore } from '../assets/asset-store.ts';
import { hasFilename } from '../catalog/media/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Scratch } from '../platform/storage/scratch.ts';
import type { QueryPool } from '../search/query-workers/query-pool.ts';
import { storeMedia } from './store-media.ts';

/**
 * Draws the sample clips and images one by one, each in a query worker, and stores them as if they were uploaded. Those that the workspace
 * has already, by their file names, are left out.
 * @returns how many were added. Throws `quota_exceeded`, and the signal's reason when that aborts.
 */
export async function addSamples(
  {
    db,
    assets,
    scratch,
    queryPool,
    onStored,
  }: {
    db: Catalog;
    assets: AssetStore;
    scratch: Scratch;
    queryPool: QueryPool;
    onStored: () => void;
  },
  workspaceId: string,
  signal: AbortSignal,
): Promise<number> {
  let added = 0;
  await scratch.withFolder(async (folder) => {
    for (const name of sampleNames) {
      // By name, not by checksum: a sample that is encoded twice has different bytes.
      if (await hasFilename(db, workspaceId, name)) continue;
      const file = path.join(folder, 'file');
      await queryPool.run(workspaceId, { kind: 'sample', name, path: file }, signal);
      const bytes = await readFile(file);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const drawn = { path: file, filename: name, size: bytes.length, sha256 };
      await storeMedia({ db, assets }, workspaceId, drawn, {}, () => Promise.resolve());
      onStored();
      added += 1;
    }
  });
  return added;
}
