import { copyFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { sampleFile, samples } from '@media-search/media/samples/samples';
import type { AssetStore } from '../assets/asset-store.ts';
import { createLabel, findLabelNamed } from '../catalog/labels/labels.ts';
import { hasFilename } from '../catalog/media/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import { hashFile } from '../platform/storage/hash-file.ts';
import type { Scratch } from '../platform/storage/scratch.ts';
import { storeMedia } from './store-media.ts';

/**
 * Adds the sample clips and photographs one by one, as if they were uploaded, with their creators and tags. Those that the workspace has already, by their
 * file names, are left out.
 * @returns how many were added. Throws `quota_exceeded`, and the signal's reason when that aborts.
 */
export async function addSamples(
  { db, assets, scratch, onStored }: { db: Catalog; assets: AssetStore; scratch: Scratch; onStored: () => void },
  workspaceId: string,
  signal: AbortSignal,
): Promise<number> {
  let added = 0;
  await scratch.withFolder(async (folder) => {
    for (const { name, creator, tags } of samples) {
      signal.throwIfAborted();
      // By name, not by checksum: one that was changed or replaced by a release stays what it is.
      if (await hasFilename(db, workspaceId, name)) continue;
      // The store may move it away.
      const file = path.join(folder, 'file');
      await copyFile(sampleFile(name), file);
      const received = { path: file, filename: name, size: (await stat(file)).size, sha256: await hashFile(file) };
      const creatorId = await findOrCreateCreator(db, workspaceId, creator);
      const labels = { ...(creatorId === undefined ? {} : { creator_id: creatorId }), tags: [...tags] };
      await storeMedia({ db, assets }, workspaceId, received, labels, () => Promise.resolve());
      onStored();
      added += 1;
    }
  });
  return added;
}

async function findOrCreateCreator(db: Catalog, workspaceId: string, name: string): Promise<string | undefined> {
  const created = await createLabel(db, 'creators', workspaceId, { name });
  return (created ?? (await findLabelNamed(db, 'creators', workspaceId, name)))?.id;
}
