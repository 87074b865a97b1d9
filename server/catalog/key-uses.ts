import type { FastifyBaseLogger } from 'fastify';
import type { ApiKeyRow } from './api-keys.ts';
import { createFlushing, openLateConnection } from './late-writes.ts';

/** Resolution at which the last use of a key is stored. */
const resolutionMs = 60_000;

/** The statement, for the test of its plan. A key that is gone is skipped. */
export const updateLastUse = 'update api_keys set last_used_at = ? where workspace_id = ? and id = ?';

export type KeyUses = ReturnType<typeof createKeyUses>;

/**
 * When each key was last used, to the minute, stored a moment later.
 * @param file path of the catalog
 */
export function createKeyUses(file: string, log: Pick<FastifyBaseLogger, 'error'>) {
  const connection = openLateConnection(file);
  const update = connection.sqlite.prepare<[string, string, string]>(updateLastUse);
  /** Uses that are not stored yet, by key. */
  const pending = new Map<string, { workspaceId: string; usedAt: string }>();

  function flush(): void {
    if (pending.size === 0) return;
    connection.write(() => {
      for (const [id, { workspaceId, usedAt }] of pending) update.run(usedAt, workspaceId, id);
    });
    pending.clear();
  }
  const flushing = createFlushing(flush, 'last uses of keys', log);

  return {
    /** Notes that a key was used now, unless a use within the last minute is known. */
    note({ id, workspace_id, last_used_at }: Pick<ApiKeyRow, 'id' | 'workspace_id' | 'last_used_at'>): void {
      const known = pending.get(id)?.usedAt ?? last_used_at;
      if (known !== null && Date.now() - Date.parse(known) <= resolutionMs) return;
      pending.set(id, { workspaceId: workspace_id, usedAt: new Date().toISOString() });
      flushing.schedule();
    },

    /** Stores the uses for the last time. */
    async stop(): Promise<void> {
      await flushing.stop();
      connection.sqlite.close();
    },
  };
}
