import type { FastifyBaseLogger } from 'fastify';
import { createRequestClaims, type RequestClaims } from '../catalog/accounts/request-claims.ts';
import { type BufferedCounters, createBufferedCounters } from '../catalog/counters/buffered-counters.ts';
import { type Counters, createCounters } from '../catalog/counters/rate-counters.ts';
import { openCountsCatalog } from '../catalog/open-catalog.ts';
import type { ExportPool } from '../delivery/export/export-pool.ts';
import { createExports, type Exports } from '../delivery/export/exports.ts';
import type { Storage } from './open-storage.ts';

/** What all processes that serve requests have in common. */
export type SharedState = BufferedCounters & { counters: Counters; requestClaims: RequestClaims; exports: Exports };

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
  const counts = isShared ? db : openCountsCatalog(file);
  if (!isShared) stack.defer(() => counts.destroy());
  const buffered = createBufferedCounters(counts, isShared, log);
  for (const each of Object.values(buffered)) stack.defer(() => each.stop());
  const exports = createExports({ ...storage, pool: exportPool, log });
  stack.defer(() => exports.stop());
  const requestClaims = createRequestClaims(db);
  stack.defer(() => requestClaims.stop());
  return { ...buffered, exports, requestClaims, counters: createCounters(isShared ? db : null) };
}
