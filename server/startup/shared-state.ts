import type { FastifyBaseLogger } from 'fastify';
import { createKeyUses } from '../catalog/accounts/key-uses.ts';
import { createRequestClaims, type RequestClaims } from '../catalog/accounts/request-claims.ts';
import type { LateCounts } from '../catalog/counters/buffered-counters.ts';
import type { Counters } from '../catalog/counters/counters.ts';
import { memoryCounters } from '../catalog/counters/memory-counters.ts';
import {
  createPostgresKeyUses,
  createPostgresSearchCounter,
  createPostgresShareViews,
} from '../catalog/postgres/buffered-counters.ts';
import { createPostgresCounters } from '../catalog/postgres/counters.ts';
import { createSearchCounter } from '../catalog/searches/search-counter.ts';
import { createShareViews } from '../catalog/shares/share-views.ts';
import type { ExportPool } from '../delivery/export/export-pool.ts';
import { createExports, type Exports } from '../delivery/export/exports.ts';
import type { Storage } from './open-storage.ts';

/** What all processes that serve requests have in common. */
export type SharedState = LateCounts & { counters: Counters; requestClaims: RequestClaims; exports: Exports };

/**
 * Opens it: in memory where this process is the only one, else in the database.
 * @param file path of the catalog, where it is one
 * @param stack stores what is not stored yet
 */
export function openSharedState(
  storage: Storage,
  { file, exportPool, log }: { file: string; exportPool: ExportPool; log: FastifyBaseLogger },
  stack: AsyncDisposableStack,
): SharedState {
  const { db, isShared } = storage;
  const lateCounts: LateCounts = isShared
    ? {
        searchCounter: createPostgresSearchCounter(db, log),
        keyUses: createPostgresKeyUses(db, log),
        shareViews: createPostgresShareViews(db, log),
      }
    : {
        searchCounter: createSearchCounter(file, log),
        keyUses: createKeyUses(file, log),
        shareViews: createShareViews(file, log),
      };
  for (const each of Object.values(lateCounts)) stack.defer(() => each.stop());
  const exports = createExports({ ...storage, pool: exportPool, log });
  stack.defer(() => exports.stop());
  const requestClaims = createRequestClaims(db);
  stack.defer(() => requestClaims.stop());
  const counters = isShared ? createPostgresCounters(db) : memoryCounters;
  return { ...lateCounts, exports, counters, requestClaims };
}
