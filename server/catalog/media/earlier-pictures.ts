import { earlierPoster } from '@media-search/media/picture-sizes';
import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';
import type { MediaRow } from './media-items.ts';

type Key = Pick<MediaRow, 'workspace_id' | 'id'>;

/**
 * The next complete item that has the pictures of an earlier release, in the order of its key.
 * @param after the key of the one before
 */
export const findEarlierPictures = (db: Catalog, after: Key): Promise<MediaRow | undefined> =>
  db
    .selectFrom('media_items')
    .selectAll()
    .where(sql<boolean>`(workspace_id, id) > (${after.workspace_id}, ${after.id})`)
    .where('poster_file', '=', earlierPoster)
    .where('status', '=', 'complete')
    .orderBy('workspace_id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Names the poster that an item has now, unless it was indexed again meanwhile. */
export async function renamePoster(db: Catalog, item: MediaRow, poster: string): Promise<void> {
  await db
    .updateTable('media_items')
    .set({ poster_file: poster })
    .where('workspace_id', '=', item.workspace_id)
    .where('id', '=', item.id)
    .where('poster_file', '=', earlierPoster)
    .where((e) => e('renditions_token', 'is not distinct from', item.renditions_token))
    .execute();
}

/** Whether workers have something to do that an uploader waits for. */
export const isIndexing = async (db: Catalog): Promise<boolean> =>
  (await db.selectFrom('jobs').select('media_id').where('kind', '=', 'index').limit(1).executeTakeFirst()) !==
  undefined;
