import type { FastifyBaseLogger } from 'fastify';
import { readMediaUsage } from '../../catalog/media/media-totals.ts';
import type { Catalog } from '../../catalog/schema.ts';
import {
  claimMatchRequests,
  listNotifyingSearches,
  type MatchRequest,
  type SavedMatch,
  settleMatchRequest,
} from '../../catalog/searches/saved-matches.ts';
import { runEvery } from '../../platform/periodic.ts';
import { matchItem, type Matching } from './match-item.ts';
import { readSavedQuery, type SavedQuery } from './saved-query.ts';

/** How long a new item waits at most, milliseconds. */
const intervalMs = 2000;
/** Items that are claimed together. */
const batchSize = 16;

type Parts = Pick<Matching, 'search' | 'embedLike'> & { db: Catalog; log: Pick<FastifyBaseLogger, 'error'> };

type NotifyingSearch = { id: string; since: string; query: SavedQuery };

/**
 * Compares new items with saved searches: one pair at a time, workspaces in turn, so that searches of people hardly wait. Each process that answers
 * searches does it; what one has claimed no other takes.
 */
export function startMatching(parts: Parts): { stop(): Promise<void> } {
  let last = '';
  const work = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const claimed = await claimMatchRequests(parts.db, last, batchSize);
      if (!claimed) return;
      last = claimed.workspaceId;
      await matchItems(parts, claimed, signal);
    }
  };
  return runEvery(intervalMs, work, 'matching saved searches', parts.log);
}

async function matchItems(
  { db, log, ...parts }: Parts,
  { workspaceId, requests }: { workspaceId: string; requests: MatchRequest[] },
  signal: AbortSignal,
): Promise<void> {
  const searches = (await listNotifyingSearches(db, workspaceId)).flatMap(toNotifyingSearch);
  const { chunks: chunkCount } = await readMediaUsage(db, workspaceId);
  const matching: Matching = { ...parts, workspaceId, chunkCount, signal, vectors: new Map() };
  const failures: unknown[] = [];
  for (const request of requests) {
    try {
      const { matches, failure } = await compareWithAll(matching, searches, request);
      await settleMatchRequest(db, workspaceId, request, { matches, again: failure !== null });
      if (failure !== null) failures.push(failure.error);
    } catch (error) {
      if (signal.aborted) return;
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    log.error({ err: failures[0] }, `${failures.length} new items are compared with saved searches again later`);
  }
}

/**
 * Compares an item with all saved searches. One that fails keeps no other from telling of it: the item is compared again when its claim has ended, and
 * what was reported then is not reported twice.
 */
async function compareWithAll(
  matching: Matching,
  searches: NotifyingSearch[],
  { media_id: mediaId, created_at: addedAt }: MatchRequest,
): Promise<{ matches: SavedMatch[]; failure: { error: unknown } | null }> {
  const matches: SavedMatch[] = [];
  let failure: { error: unknown } | null = null;
  for (const { id, since, query } of searches) {
    matching.signal.throwIfAborted();
    if (since > addedAt) continue;
    try {
      const hits = await matchItem(matching, query, mediaId);
      if (hits.length > 0) matches.push({ savedSearchId: id, hits });
    } catch (error) {
      matching.signal.throwIfAborted();
      failure ??= { error };
    }
  }
  return { matches, failure };
}

function toNotifyingSearch(row: Awaited<ReturnType<typeof listNotifyingSearches>>[number]): NotifyingSearch[] {
  const parameters = JSON.parse(row.query) as Record<string, string>;
  const query = readSavedQuery({ page: row.page, parameters });
  return query && row.notify_since !== null ? [{ id: row.id, since: row.notify_since, query }] : [];
}
