import { sql } from 'kysely';
import { maxSharedItems } from '../../../contract/shares.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { MediaRow } from '../media/media-items.ts';
import type { Catalog } from '../schema.ts';
import type { ShareRow } from './shares.ts';

type Target = Pick<ShareRow, 'workspace_id' | 'id' | 'media_id' | 'collection_id'>;

/** The items of links to collections and selections: `share_id`, the item and its place, which a collection gives to those that were moved. */
const members = (workspaceId: string, ids: ReturnType<typeof sql>) => sql`
  select share_items.share_id, share_items.media_id, share_items.position, '' as added_at from share_items
    where share_items.workspace_id = ${workspaceId} and share_items.share_id in ${ids}
  union all
  select shares.id, collection_items.media_id, collection_items.position, collection_items.added_at from shares
    join collection_items on collection_items.workspace_id = shares.workspace_id
      and collection_items.collection_id = shares.collection_id
    where shares.workspace_id = ${workspaceId} and shares.id in ${ids}`;

/** Those that a link shows: complete and not in the trash. */
const selectShown = (db: Catalog, share: Target) => {
  const items = db
    .selectFrom('media_items')
    .where('media_items.workspace_id', '=', share.workspace_id)
    .where('media_items.status', '=', 'complete')
    .where(notInTrash);
  if (share.media_id !== null) return items.where('media_items.id', '=', share.media_id);
  return share.collection_id === null
    ? items
        .innerJoin('share_items as member', (join) =>
          join
            .onRef('member.workspace_id', '=', 'media_items.workspace_id')
            .onRef('member.media_id', '=', 'media_items.id'),
        )
        .where('member.share_id', '=', share.id)
        .orderBy('member.position')
    : items
        .innerJoin('collection_items as member', (join) =>
          join
            .onRef('member.workspace_id', '=', 'media_items.workspace_id')
            .onRef('member.media_id', '=', 'media_items.id'),
        )
        .where('member.collection_id', '=', share.collection_id)
        .orderBy('member.position', (order) => order.asc().nullsLast())
        .orderBy('member.added_at')
        .orderBy('media_items.id');
};

/** The items that a link shows, in their order: complete, not in the trash, at most `maxSharedItems`. */
export const listSharedItems = (db: Catalog, share: Target): Promise<MediaRow[]> =>
  selectShown(db, share).selectAll('media_items').limit(maxSharedItems).execute();

/** Their identifiers, also of those that are not shown at the moment: files may have been made for them. */
export async function listSharedIds(db: Catalog, share: Target): Promise<string[]> {
  if (share.media_id !== null) return [share.media_id];
  const { rows } = await sql<{ media_id: string }>`
    select media_id from (${members(share.workspace_id, dialectOf(db).textsIn([share.id]))}) member`.execute(db);
  return rows.map(({ media_id }) => media_id);
}

/** What the list of links shows of one to many items: how many it shows, and the first that has a picture. */
export type SharedSummary = { items: number; media_id: string | null; poster_file: string | null };

/** Those of some links to collections and selections, by link. */
export async function summariseShares(
  db: Catalog,
  workspaceId: string,
  shareIds: string[],
): Promise<Map<string, SharedSummary>> {
  if (shareIds.length === 0) return new Map();
  const { rows } = await sql<SharedSummary & { share_id: string }>`
    select share_id, items, media_id, poster_file from (
      select member.share_id, media_items.id as media_id, media_items.poster_file,
        count(*) over (partition by member.share_id) as items,
        row_number() over (partition by member.share_id
          order by media_items.poster_file is null, member.position is null, member.position, member.added_at,
            media_items.id) as place
      from (${members(workspaceId, dialectOf(db).textsIn(shareIds))}) member
      join media_items on media_items.workspace_id = ${workspaceId} and media_items.id = member.media_id
      where media_items.status = 'complete' and ${notInTrash}
    ) first where place = 1`.execute(db);
  return new Map(
    rows.map(({ share_id, items, ...first }) => [share_id, { ...first, items: Math.min(items, maxSharedItems) }]),
  );
}

/** An item, if the link shows it. */
export const findSharedItem = (db: Catalog, share: Target, mediaId: string): Promise<MediaRow | undefined> =>
  selectShown(db, share).selectAll('media_items').where('media_items.id', '=', mediaId).executeTakeFirst();

/** The identifiers of the items that a link shows, in their order. */
export async function listShownIds(db: Catalog, share: Target): Promise<string[]> {
  const rows = await selectShown(db, share).select('media_items.id').limit(maxSharedItems).execute();
  return rows.map(({ id }) => id);
}
