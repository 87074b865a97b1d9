import { sql } from 'kysely';
import type { EventData } from '../../../contract/events.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { recordEvent } from '../events/events.ts';
import { type ClaimedJob, endJob, newJob, renewLease } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import type { SavedSearchRow } from './saved-searches.ts';

/**
 * Items that have to be compared with saved searches: jobs of the kind `match`, so they outlive a process that ends at any moment. What is found is
 * stored with its event, in the transaction that ends the job, once for each saved search and item.
 */

/**
 * Has items compared with the saved searches that were there before them. To be called in the transaction that makes them complete, restores
 * them, or stores texts of them. Those in the trash or being indexed are left out. An item that is being compared is compared again.
 */
export async function requestMatches(db: Catalog, workspaceId: string, mediaIds: string[]): Promise<void> {
  const { kind, priority, payload, created_at } = newJob('match', {});
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, id, ${kind}, ${sql.lit(priority)}, ${payload}, ${created_at} from media_items item
    where workspace_id = ${workspaceId} and id in ${dialectOf(db).textsIn(mediaIds)} and status = 'complete' and trashed_at is null
      and exists (select 1 from saved_searches where workspace_id = ${workspaceId} and notify_since <= item.created_at)
    on conflict (workspace_id, media_id, kind) do update set attempts = 0, lease_owner = null, lease_until = null, available_at = null
  `.execute(db);
}

/** The saved searches that tell of matches and were there before an item; none where the item is gone. */
export const listNotifyingSearches = (
  db: Catalog,
  { workspace_id, id }: { workspace_id: string; id: string },
): Promise<SavedSearchRow[]> =>
  db
    .selectFrom('media_items')
    .innerJoin('saved_searches', 'saved_searches.workspace_id', 'media_items.workspace_id')
    .selectAll('saved_searches')
    .where('media_items.workspace_id', '=', workspace_id)
    .where('media_items.id', '=', id)
    .whereRef('saved_searches.notify_since', '<=', 'media_items.created_at')
    .execute();

/** The best moments of an item for a saved search. */
export type SavedMatch = { savedSearchId: string; hits: EventData['search.saved_match']['hits'] };

/**
 * Stores what matches, unless it was reported before, the item is gone, or the saved search tells of nothing any more.
 * @param isAll ends the job; false: a saved search failed, so that the item is compared again
 * @returns false, storing nothing, when the lease is lost
 */
export function storeMatches(
  db: Catalog,
  job: ClaimedJob<'match'>,
  matches: SavedMatch[],
  isAll: boolean,
): Promise<boolean> {
  const store = async (transaction: Catalog) => {
    const media = await transaction
      .selectFrom('media_items')
      .select(['id', 'filename', 'type'])
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.id)
      .where('trashed_at', 'is', null)
      .executeTakeFirst();
    if (media) for (const match of matches) await report(transaction, job.workspace_id, media, match);
    return true;
  };
  if (isAll) return endJob(db, job, store);
  return inWorkspace(db, job.workspace_id, async (transaction) =>
    (await renewLease(transaction, job)) ? store(transaction) : false,
  );
}

async function report(
  transaction: Catalog,
  workspaceId: string,
  media: EventData['search.saved_match']['media'],
  { savedSearchId, hits }: SavedMatch,
): Promise<void> {
  const saved = await transaction
    .selectFrom('saved_searches')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', savedSearchId)
    .where('notify_since', 'is not', null)
    .executeTakeFirst();
  if (!saved) return;
  const stored = await transaction
    .insertInto('saved_matches')
    .values({
      workspace_id: workspaceId,
      saved_search_id: saved.id,
      media_id: media.id,
      matched_at: new Date().toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('media_id')
    .executeTakeFirst();
  if (!stored) return;
  await transaction
    .updateTable('saved_searches')
    .set((e) => ({ new_matches: e('new_matches', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', saved.id)
    .execute();
  await recordEvent(transaction, workspaceId, 'search.saved_match', { saved_search: saved, media, hits });
}
