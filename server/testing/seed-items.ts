import { sql } from 'kysely';
import type { Catalog } from '../catalog/schema.ts';

/**
 * Adds items to a workspace that has exactly one item, as copies of it: `clip 000001.png` is the newest of them. They have rows and no files.
 */
export async function seedItems(db: Catalog, count: number): Promise<void> {
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, chunk_count, created_at, updated_at)
    select workspace_id, printf('00000000-0000-7000-8000-%012d', i), printf('clip %06d.png', i), type, status, size, mime_type,
      printf('%064d', i), 0, printf('2020-01-01T00:00:00.%06dZ', 999999 - i), updated_at
    from media_items, n`.execute(db);
}
