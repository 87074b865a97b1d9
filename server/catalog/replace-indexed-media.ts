import type { IndexedMedia } from '../indexing/indexed-media.ts';
import { toIndexedColumns, replaceChunks } from './jobs.ts';
import type { MediaRow } from './media-items.ts';
import type { Catalog } from './schema.ts';

/**
 * Stores what a complete item was indexed to again, in the place of what it had: from this commit on searches find that.
 * @param token which names the folder of the renditions
 * @returns false, storing nothing, when the item was deleted or indexed again by somebody else meanwhile
 */
export function replaceIndexedMedia(
  db: Catalog,
  media: MediaRow,
  indexed: IndexedMedia,
  token: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('media_items')
      .set(toIndexedColumns(indexed, token))
      .where('workspace_id', '=', media.workspace_id)
      .where('id', '=', media.id)
      .where('status', '=', 'complete')
      .where('indexed_at', '=', media.indexed_at)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    await replaceChunks(transaction, media, indexed);
    return true;
  });
}
