import type { FastifyBaseLogger } from 'fastify';
import type { KeyUses } from '../counters/buffered-counters.ts';
import { createFlushing, openLateConnection } from '../counters/late-writes.ts';

/** Resolution at which the last use of a key is stored. */
export const resolutionMs = 60_000;

/** The statement, for the test of its plan. A key that is gone is skipped. */
export const updateLastUse = 'update api_keys set last_used_at = ? where workspace_id = ? and id = ?';

/** @param file path of the catalog */
export function createKeyUses(file: string, log: Pick<FastifyBaseLogger, 'error'>): KeyUses {
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
    note({ id, workspace_id, last_used_at }) {
      const known = pending.get(id)?.usedAt ?? last_used_at;
      if (known !== null && Date.now() - Date.parse(known) <= resolutionMs) return;
      pending.set(id, { workspaceId: workspace_id, usedAt: new Date().toISOString() });
      flushing.schedule();
    },

    async stop() {
      await flushing.stop();
      connection.sqlite.close();
    },
  };
}
