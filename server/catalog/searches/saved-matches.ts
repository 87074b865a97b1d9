import type { EventData } from '../../../contract/events.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { recordEvent } from '../events/events.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import type { SavedSearchRow } from './saved-searches.ts';

/**
 * Items that have to be compared with saved searches. Triggers add them (`../baseline/saved-matches.ts`), so they outlive a process that ends at
 * any moment; what is found is stored with its event and without the request, in one transaction, once for each saved search and item.
 */

/** An item to compare. */
export type MatchRequest = { media_id: string; version: number; /** When the item was added. */ created_at: string };

/** How long nobody else takes what a process has claimed, in case that it ends, milliseconds. */
const claimMs = 120_000;

/**
 * Claims some items of one workspace, the next after `after` in turn, for this process.
 * @param after the workspace of the claim before; '' for none
 */
export async function claimMatchRequests(
  db: Catalog,
  after: string,
  limit: number,
): Promise<{ workspaceId: string; requests: MatchRequest[] } | null> {
  const now = new Date();
  const free = db
    .selectFrom('match_requests')
    .where((is) => is.or([is('claimed_until', 'is', null), is('claimed_until', '<', now.toISOString())]));
  const inTurn = (from: string) =>
    free.select('workspace_id').where('workspace_id', '>', from).orderBy('workspace_id').limit(1).executeTakeFirst();
  const found = (await inTurn(after)) ?? (after === '' ? undefined : await inTurn(''));
  if (!found) return null;
  const workspaceId = found.workspace_id;
  const claimed = await db
    .updateTable('match_requests')
    .set({ claimed_until: new Date(now.getTime() + claimMs).toISOString() })
    .where('workspace_id', '=', workspaceId)
    // Identifiers are in the order of time.
    .where(
      'media_id',
      'in',
      free.select('media_id').where('workspace_id', '=', workspaceId).orderBy('media_id').limit(limit),
    )
    // Again, for a process that waited until another had claimed the same.
    .where((is) => is.or([is('claimed_until', 'is', null), is('claimed_until', '<', now.toISOString())]))
    .returning(['media_id', 'version'])
    .execute();
  return { workspaceId, requests: await withTimes(db, workspaceId, claimed) };
}

async function withTimes(
  db: Catalog,
  workspaceId: string,
  claimed: Omit<MatchRequest, 'created_at'>[],
): Promise<MatchRequest[]> {
  const ids = claimed.map(({ media_id }) => media_id);
  const items = await db
    .selectFrom('media_items')
    .select(['id', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(ids))
    .execute();
  const times = new Map(items.map(({ id, created_at }) => [id, created_at]));
  // What was deleted meanwhile took its request along.
  return claimed.flatMap(({ media_id, version }) => {
    const created_at = times.get(media_id);
    return created_at === undefined ? [] : [{ media_id, version, created_at }];
  });
}

/** The saved searches of a workspace that tell of matches. */
export const listNotifyingSearches = (db: Catalog, workspaceId: string): Promise<SavedSearchRow[]> =>
  db
    .selectFrom('saved_searches')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('notify_since', 'is not', null)
    .execute();

/** The best moments of an item for a saved search. */
export type SavedMatch = { savedSearchId: string; hits: EventData['search.saved_match']['hits'] };

/**
 * Ends a request: reports what matches, unless it was reported before, the item is gone, or nobody wants to know any more.
 * A request that came again meanwhile stays, and so does one whose item is to be compared again, because a saved search failed.
 */
export async function settleMatchRequest(
  db: Catalog,
  workspaceId: string,
  { media_id: mediaId, version }: MatchRequest,
  { matches, again }: { matches: SavedMatch[]; again: boolean },
): Promise<void> {
  const settle = async (transaction: Catalog) => {
    if (again) return;
    await transaction
      .deleteFrom('match_requests')
      .where('workspace_id', '=', workspaceId)
      .where('media_id', '=', mediaId)
      .where('version', '=', version)
      .execute();
  };
  if (matches.length === 0) {
    await settle(db);
    return;
  }
  await inWorkspace(db, workspaceId, async (transaction) => {
    await settle(transaction);
    const media = await transaction
      .selectFrom('media_items')
      .select(['id', 'filename', 'type'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', mediaId)
      .where('trashed_at', 'is', null)
      .executeTakeFirst();
    if (!media) return;
    for (const match of matches) await report(transaction, workspaceId, media, match);
  });
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
