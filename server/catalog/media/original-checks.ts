import { sql } from 'kysely';
import type { OriginalProblem } from '../../assets/check-original.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import type { MediaRow } from './media-items.ts';

/** Stores the result of a check of an original. An item that was deleted meanwhile is skipped. */
export async function recordOriginalCheck(
  db: Catalog,
  { workspace_id, id }: Pick<MediaRow, 'workspace_id' | 'id'>,
  problem: OriginalProblem | null,
): Promise<void> {
  const now = new Date().toISOString();
  await db
    .updateTable('media_items')
    .set({
      original_problem: problem,
      original_checked_at: now,
      updated_at: sql<string>`case when original_problem is not distinct from ${problem} then updated_at else ${now} end`,
    })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
}

/** Stores that originals are missing. */
export async function recordMissingOriginals(
  db: Catalog,
  items: Pick<MediaRow, 'workspace_id' | 'id'>[],
): Promise<void> {
  const now = new Date().toISOString();
  const byWorkspace = Map.groupBy(items, ({ workspace_id }) => workspace_id);
  for (const [workspaceId, ofWorkspace] of byWorkspace) {
    await db
      .updateTable('media_items')
      .set({ original_problem: 'original_missing', original_checked_at: now, updated_at: now })
      .where('workspace_id', '=', workspaceId)
      .where('id', 'in', dialectOf(db).textsIn(ofWorkspace.map(({ id }) => id)))
      .where((e) => e('original_problem', 'is distinct from', 'original_missing'))
      .execute();
  }
}

/** Items whose originals were missing when they were looked for last. */
export const listMissingOriginals = (
  db: Catalog,
): Promise<Pick<MediaRow, 'workspace_id' | 'id' | 'size' | 'source_id' | 'source_path'>[]> =>
  db
    .selectFrom('media_items')
    .select(['workspace_id', 'id', 'size', 'source_id', 'source_path'])
    .where('original_problem', '=', 'original_missing')
    .execute();

/**
 * The item whose original was checked longest ago, when that was before `checkedBefore`; an upload counts as a check. Those in sources are not checked.
 * @param checkedBefore RFC 3339
 */
export function findOriginalToCheck(db: Catalog, checkedBefore: string): Promise<MediaRow | undefined> {
  const checkedAt = sql<string>`coalesce(original_checked_at, created_at)`;
  return db
    .selectFrom('media_items')
    .selectAll()
    .where('source_id', 'is', null)
    .where(checkedAt, '<', checkedBefore)
    .orderBy(checkedAt)
    .limit(1)
    .executeTakeFirst();
}
