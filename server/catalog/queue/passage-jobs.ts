import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';
import { inService } from '../transactions.ts';
import { newJob } from './job-queue.ts';

/** Jobs that make the passages of items (`../texts/passages.ts`), behind complete items. How far they are is in `../texts/passage-states.ts`. */

type Owner = { workspace_id: string; id: string };

const now = (): string => new Date().toISOString();

/** Has the passages of an item made, or made again. To be called in the transaction that stores its chunks. */
export async function requestPassages(db: Catalog, item: Owner): Promise<void> {
  await db
    .insertInto('passage_states')
    .values({ workspace_id: item.workspace_id, media_id: item.id, state: 'pending', model: null, updated_at: now() })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'media_id']).doNothing())
    .execute();
  await renewPassages(db, item);
}

/**
 * Has the passages of an item made again, where they were asked for. To be called in the transaction that stores its texts. An attempt that is under way loses its lease.
 */
export async function renewPassages(db: Catalog, { workspace_id, id }: Owner): Promise<void> {
  await db
    .updateTable('passage_states')
    .set({ state: 'pending', updated_at: now() })
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .execute();
  const { kind, priority, payload, created_at } = newJob('passages', {});
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, media_id, ${kind}, ${sql.lit(priority)}, ${payload}, ${created_at} from passage_states
    where workspace_id = ${workspace_id} and media_id = ${id}
    on conflict (workspace_id, media_id, kind) do update set
      attempts = 0, token = 0, lease_owner = null, lease_until = null, available_at = null
  `.execute(db);
}

/**
 * Prepares the queue at a start: each complete item whose passages were never made, or by another model, gets a job, and so does one whose job was taken away. What failed is
 * tried again.
 */
export async function requestMissingPassages(db: Catalog, model: string): Promise<void> {
  const { kind, priority, payload, created_at } = newJob('passages', {});
  await inService(db, async (transaction) => {
    await sql`
      insert into passage_states (workspace_id, media_id, state, updated_at)
      select workspace_id, id, 'pending', ${created_at} from media_items
      where status = 'complete' and not exists (select 1 from passage_states states where
        states.workspace_id = media_items.workspace_id and states.media_id = media_items.id)
    `.execute(transaction);
    await sql`update passage_states set state = 'pending' where state = 'failed' or model <> ${model}`.execute(
      transaction,
    );
    await sql`
      insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
      select workspace_id, media_id, ${kind}, ${sql.lit(priority)}, ${payload}, ${created_at} from passage_states
      where state = 'pending' on conflict do nothing
    `.execute(transaction);
  });
}
