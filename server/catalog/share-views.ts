import type { FastifyBaseLogger } from 'fastify';
import { createFlushing, openLateConnection } from './late-writes.ts';
import type { ShareRow } from './shares.ts';

export type ShareViews = ReturnType<typeof createShareViews>;

/**
 * How often each public link was opened, stored a moment later.
 * @param file path of the catalog
 */
export function createShareViews(file: string, log: Pick<FastifyBaseLogger, 'error'>) {
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
    note({ id, workspace_id }: Pick<ShareRow, 'id' | 'workspace_id'>): void {
      pending.set(id, { workspaceId: workspace_id, views: (pending.get(id)?.views ?? 0) + 1 });
      flushing.schedule();
    },

    /** Stores the views for the last time. */
    async stop(): Promise<void> {
      await flushing.stop();
      connection.sqlite.close();
    },
  };
}
