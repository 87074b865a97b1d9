import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';

/** An item with a thumbnail, as far as its URL goes. */
export type CoverRow = { workspace_id: string; id: string; poster_file: string };

/** Four items with a thumbnail of each of some collections: the one that was chosen, then its first ones in its order. */
export async function readCovers(
  db: Catalog,
  workspaceId: string,
  collections: readonly { id: string; cover_id: string | null }[],
): Promise<Map<string, CoverRow[]>> {
  const covers = new Map<string, CoverRow[]>();
  for (const { id, cover_id } of collections) {
    const parts = [
      ...(cover_id === null ? [] : [sql<SqlBool>`members.media_id = ${cover_id}`]),
      // Each in the order of the index: sorted with nulls last, all of the collection would be read.
      sql<SqlBool>`members.position is not null`,
      sql<SqlBool>`members.position is null`,
    ];
    const rows = new Map<string, CoverRow>();
    for (const part of parts) {
      if (rows.size >= maxCovers) break;
      for (const row of await readFirst(db, workspaceId, id, part)) if (!rows.has(row.id)) rows.set(row.id, row);
    }
    covers.set(id, [...rows.values()].slice(0, maxCovers));
  }
  return covers;
}

const maxCovers = 4;

/** The first items with a thumbnail of a part of a collection. */
async function readFirst(db: Catalog, workspaceId: string, id: string, part: RawBuilder<SqlBool>): Promise<CoverRow[]> {
  const { orderedJoin, withoutIndex } = dialectOf(db);
  const { rows } = await sql<CoverRow>`
    select media_items.workspace_id, media_items.id, media_items.poster_file
    from collection_items members
    ${orderedJoin} media_items on media_items.workspace_id = members.workspace_id and media_items.id = members.media_id
    where ${withoutIndex('members.workspace_id')} = ${workspaceId} and members.collection_id = ${id} and media_items.workspace_id = ${workspaceId}
      and media_items.poster_file is not null and ${notInTrash} and ${part}
    order by members.position, members.added_at, members.media_id limit ${maxCovers}`.execute(db);
  return rows;
}
