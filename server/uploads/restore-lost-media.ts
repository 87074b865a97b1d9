import type { AssetStore } from '../assets/asset-store.ts';
import type { LostAndFound, LostItem } from '../assets/lost-and-found.ts';
import type { Catalog } from '../catalog/schema.ts';
import { removeLostItem } from './media-removal.ts';
import { type StoredMedia, storeMedia } from './store-media.ts';

/**
 * Stores a file of lost+found as an item of a workspace, as if it had been uploaded, and removes it from lost+found. A refused file stays there.
 * Throws `quota_exceeded` and `unsupported_media_type`.
 */
export async function restoreLostMedia(
  { db, assets, lostAndFound }: { db: Catalog; assets: AssetStore; lostAndFound: LostAndFound },
  workspaceId: string,
  lost: LostItem,
): Promise<StoredMedia> {
  const stored = await lostAndFound.withCopy(lost, (file) =>
    storeMedia({ db, assets }, workspaceId, file, {}, () => Promise.resolve()),
  );
  await removeLostItem({ db, assets, lostAndFound }, lost);
  return stored;
}
