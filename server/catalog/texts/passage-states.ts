import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';

/** How far the passages of items are made (`passages.ts`), by jobs of their own behind complete items. */

type Owner = { workspace_id: string; id: string };

const now = (): string => new Date().toISOString();

/** The passages of an item could not be made; those of before are kept. */
export async function failPassages(db: Catalog, item: Owner): Promise<void> {
  await setState(db, item, { state: 'failed' });
}

/** Notes what the passages of an item are from now; search indexes read them. */
export const completePassages = (db: Catalog, item: Owner, model: string): Promise<void> =>
  setState(db, item, { state: 'complete', model });

async function setState(
  db: Catalog,
  { workspace_id, id }: Owner,
  state: { state: 'complete'; model: string } | { state: 'failed' },
): Promise<void> {
  await db
    .updateTable('passage_states')
    .set({ ...state, updated_at: now() })
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .execute();
}

/** How many items of a workspace wait for their passages. */
export async function countPendingPassages(db: Catalog, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('passage_states')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', sql.lit('pending'))
    .executeTakeFirstOrThrow();
  return count;
}
