import type { FastifyBaseLogger } from 'fastify';
import type { ApiKeyRow } from '../accounts/api-keys.ts';
import type { Catalog } from '../schema.ts';
import type { ShareRow } from '../shares/shares.ts';
import { inRows } from '../transactions.ts';
import { bufferWrites } from './buffered-writes.ts';
import { createSearchCounter } from './search-counter.ts';

type Log = Pick<FastifyBaseLogger, 'error'>;

/** How exactly the last use of a key is stored. */
const resolutionMs = 60_000;

export type BufferedCounters = ReturnType<typeof createBufferedCounters>;

/**
 * What requests count: searches, last uses of keys, views and downloads of shared links.
 * @param db a connection that never waits for other writers; see `openCountsCatalog`
 * @param isShared whether other processes count too
 */
export const createBufferedCounters = (db: Catalog, isShared: boolean, log: Log) => ({
  searchCounter: createSearchCounter(db, isShared, log),
  keyUses: createKeyUses(db, log),
  shareViews: createShareCounts(db, log, 'views'),
  shareDownloadCounts: createShareCounts(db, log, 'downloads'),
});

/** Stores when each key was last used, to the minute. Of two processes the later use counts. */
export function createKeyUses(db: Catalog, log: Log) {
  const buffered = bufferWrites<string>({
    merge: (_earlier, later) => later,
    store: (uses) =>
      inRows(db, async (transaction) => {
        for (const { workspaceId, name, value } of uses) await storeLastUse(transaction, workspaceId, name, value);
      }),
    what: 'last uses of keys',
    log,
  });
  return {
    /** Notes that a key was used now, unless a use within the last minute is known. */
    note({ id, workspace_id, last_used_at }: Pick<ApiKeyRow, 'id' | 'workspace_id' | 'last_used_at'>): void {
      const known = buffered.find(workspace_id, id) ?? last_used_at;
      if (known !== null && Date.now() - Date.parse(known) <= resolutionMs) return;
      buffered.add({ workspaceId: workspace_id, name: id, value: new Date().toISOString() });
    },
    stop: () => buffered.stop(),
  };
}

/** Stores a use unless a later one is stored. A key that is gone is skipped. */
export const storeLastUse = (db: Catalog, workspaceId: string, keyId: string, usedAt: string): Promise<unknown> =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: usedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', keyId)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<', usedAt)]))
    .execute();

/** Counts how often each shared link was opened, or gave a file to store. */
function createShareCounts(db: Catalog, log: Log, column: 'views' | 'downloads') {
  const buffered = bufferWrites<number>({
    merge: (earlier, later) => earlier + later,
    store: (counts) =>
      inRows(db, async (transaction) => {
        for (const { workspaceId, name, value } of counts) {
          await transaction
            .updateTable('shares')
            .set((e) => ({ [column]: e(column, '+', value) }))
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', name)
            .execute();
        }
      }),
    what: `${column} of shared links`,
    log,
  });
  return {
    note: ({ id, workspace_id }: Pick<ShareRow, 'id' | 'workspace_id'>): void =>
      buffered.add({ workspaceId: workspace_id, name: id, value: 1 }),
    stop: () => buffered.stop(),
  };
}
