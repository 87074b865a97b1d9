import type { FastifyBaseLogger } from 'fastify';
import type { Counters } from '../catalog/counters.ts';
import { createKeyUses } from '../catalog/key-uses.ts';
import type { LateCounts } from '../catalog/late-counts.ts';
import { memoryCounters } from '../catalog/memory-counters.ts';
import { createMemoryRequestClaims } from '../catalog/memory-request-claims.ts';
import type { RequestClaims } from '../catalog/request-claims.ts';
import { createSearchCounter } from '../catalog/search-counter.ts';
import { createShareViews } from '../catalog/share-views.ts';

/** What all processes that serve requests have in common. */
export type SharedState = LateCounts & { counters: Counters; requestClaims: RequestClaims };

/**
 * Opens it for a process that is the only one.
 * @param file path of the catalog
 */
export function openSharedState(
  file: string,
  log: Pick<FastifyBaseLogger, 'error'>,
  stack: AsyncDisposableStack,
): SharedState {
  const searchCounter = createSearchCounter(file, log);
  stack.defer(() => searchCounter.stop());
  const keyUses = createKeyUses(file, log);
  stack.defer(() => keyUses.stop());
  const shareViews = createShareViews(file, log);
  stack.defer(() => shareViews.stop());
  return { searchCounter, keyUses, shareViews, counters: memoryCounters, requestClaims: createMemoryRequestClaims() };
}
