import type { FastifyBaseLogger } from 'fastify';
import { readMediaUsage } from '../catalog/media-totals.ts';
import {
  claimMatchRequests,
  listNotifyingSearches,
  type MatchRequest,
  type SavedMatch,
  settleMatchRequest,
} from '../catalog/saved-matches.ts';
import type { Catalog } from '../catalog/schema.ts';
import { runEvery } from '../periodic.ts';
import { type Asking, findMoments } from './ask-for-item.ts';
import { type AskedSearch, readAskedSearch } from './asked-search.ts';

/** How long a new item waits at most, milliseconds. */
const intervalMs = 2000;
/** Items that are claimed at once. */
const batchSize = 16;

type Parts = Pick<Asking, 'search' | 'embedLike'> & { db: Catalog; log: Pick<FastifyBaseLogger, 'error'> };

type NotifyingSearch = { id: string; since: string; asked: AskedSearch };

/**
 * Asks saved searches for new items: one question at a time, workspaces in turn, so that searches of people hardly wait. Each process that answers
 * searches does it; what one has claimed no other asks for.
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
  const asking: Asking = { ...parts, workspaceId, chunkCount, signal, vectors: new Map() };
  const failures: unknown[] = [];
  for (const request of requests) {
    try {
      const matches: SavedMatch[] = [];
      for (const { id, since, asked } of searches) {
        signal.throwIfAborted();
        if (since > request.created_at) continue;
        const hits = await findMoments(asking, asked, request.media_id);
        if (hits.length > 0) matches.push({ savedSearchId: id, hits });
      }
      await settleMatchRequest(db, workspaceId, request, matches);
    } catch (error) {
      if (signal.aborted) return;
      // It is asked for again when its claim has ended, and keeps no other item waiting.
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    log.error({ err: failures[0] }, `saved searches are asked for ${failures.length} new items again later`);
  }
}

function toNotifyingSearch(row: Awaited<ReturnType<typeof listNotifyingSearches>>[number]): NotifyingSearch[] {
  const parameters = JSON.parse(row.query) as Record<string, string>;
  const asked = readAskedSearch({ page: row.page, parameters });
  return asked && row.notify_since !== null ? [{ id: row.id, since: row.notify_since, asked }] : [];
}
