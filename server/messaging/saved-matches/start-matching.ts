import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import { readMediaUsage } from '../../catalog/media/media-totals.ts';
import type { ClaimedJob } from '../../catalog/queue/job-queue.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { listNotifyingSearches, type SavedMatch, storeMatches } from '../../catalog/searches/saved-matches.ts';
import { LeaseLostError } from '../../jobs/job-errors.ts';
import { type JobRunner, startJobRunner } from '../../jobs/job-runner.ts';
import { createKnownNames } from '../../search/conditions/known-names.ts';
import { matchItem, type Matching } from './match-item.ts';
import { readSavedQuery, type SavedQuery } from './saved-query.ts';

/** How long a new item waits at most, milliseconds. */
const lookMs = 2000;
const renewMs = 10_000;
/** How long the vectors of the items that saved searches name are kept, for the items that are compared next, milliseconds. */
const vectorsMs = 10_000;

type Parts = Pick<Matching, 'search' | 'embedLike'> & { db: Catalog; log: Pick<FastifyBaseLogger, 'error'> };

type NotifyingSearch = { id: string; query: SavedQuery };

/**
 * Compares new items with saved searches: one pair at a time, workspaces in turn, so that searches of people hardly wait. Each process that answers
 * searches does it.
 */
export function startMatching({ db, log, ...parts }: Parts): JobRunner {
  const knownNames = createKnownNames(db);
  const vectors: Matching['vectors'] = new LRUCache({ max: 100, ttl: vectorsMs });
  return startJobRunner(
    db,
    {
      kind: 'match',
      slots: 1,
      lookMs,
      renewMs,
      run: (job, signal) =>
        compareItem(db, { ...parts, knownNames, workspaceId: job.workspace_id, signal, vectors }, job),
    },
    log,
  );
}

async function compareItem(db: Catalog, parts: Omit<Matching, 'chunkCount'>, job: ClaimedJob<'match'>): Promise<void> {
  const { workspaceId } = parts;
  const searches = (await listNotifyingSearches(db, job)).flatMap(toNotifyingSearch);
  const { chunks: chunkCount } = await readMediaUsage(db, workspaceId);
  const { matches, failure } = await compareWithAll({ ...parts, chunkCount }, searches, job.id);
  if (!(await storeMatches(db, job, matches, failure === null))) throw new LeaseLostError();
  if (failure) throw failure.error;
}

/**
 * Compares an item with saved searches. One that fails keeps no other from telling of it: the item is compared again later, and what was reported
 * then is not reported twice.
 */
async function compareWithAll(
  matching: Matching,
  searches: NotifyingSearch[],
  mediaId: string,
): Promise<{ matches: SavedMatch[]; failure: { error: unknown } | null }> {
  const matches: SavedMatch[] = [];
  let failure: { error: unknown } | null = null;
  for (const { id, query } of searches) {
    matching.signal.throwIfAborted();
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
  return query ? [{ id: row.id, query }] : [];
}
