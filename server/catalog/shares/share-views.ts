import type { FastifyBaseLogger } from 'fastify';
import type { ShareViews } from '../counters/buffered-counters.ts';
import { createFlushing, openLateConnection } from '../counters/late-writes.ts';

/** @param file path of the catalog */
export function createShareViews(file: string, log: Pick<FastifyBaseLogger, 'error'>): ShareViews {
  const connection = openLateConnection(file);
  const update = connection.sqlite.prepare<[number, string, string]>(
    'update shares set views = views + ? where workspace_id = ? and id = ?',
  );
  /** Views that are not stored yet, by link. */
  const pending = new Map<string, { workspaceId: string; views: number }>();

  function flush(): void {
    if (pending.size === 0) return;
    connection.write(() => {
      for (const [id, { workspaceId, views }] of pending) update.run(views, workspaceId, id);
    });
    pending.clear();
  }
  const flushing = createFlushing(flush, 'views of shared links', log);

  return {
    note({ id, workspace_id }) {
      pending.set(id, { workspaceId: workspace_id, views: (pending.get(id)?.views ?? 0) + 1 });
      flushing.schedule();
    },

    async stop() {
      await flushing.stop();
      connection.sqlite.close();
    },
  };
}
