import { sql } from 'kysely';
import type { MediaFilter } from '../../../contract/filters.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { filterConditions, notInTrash } from './media-filter.ts';

/** Those of some items that pass a filter. */
export async function listPassing(
  db: Catalog,
  workspaceId: string,
  mediaIds: string[],
  filter: MediaFilter,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from media_items where ${sql.join(
      [
        sql`workspace_id = ${workspaceId}`,
        sql`id in ${dialectOf(db).textsIn(mediaIds)}`,
        ...filterConditions(db, workspaceId, filter, true),
      ],
      sql` and `,
    )}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The first chunks of the items that pass a filter, by their numbers: what was recorded last comes first, and what was added last where that is unknown. */
export async function listFirstChunks(
  db: Catalog,
  workspaceId: string,
  filter: MediaFilter,
  { count, mediaId }: { count: number; mediaId?: string | undefined },
): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select * from (
      select (select number from chunks where chunks.workspace_id = ${workspaceId} and chunks.media_id = media_items.id
          order by start_time, number limit 1) as number, taken_at, created_at, id
      from media_items where ${sql.join(
        [
          sql`workspace_id = ${workspaceId}`,
          notInTrash,
          ...(mediaId === undefined ? [] : [sql`id = ${mediaId}`]),
          ...filterConditions(db, workspaceId, filter),
        ],
        sql` and `,
      )}
    ) firsts
    where number is not null
    order by coalesce(taken_at, created_at) desc, id desc limit ${count}`.execute(db);
  return rows.map(({ number }) => number);
}
