import type { FastifyBaseLogger } from 'fastify';
import type { Catalog } from '../../catalog/schema.ts';

/**
 * What processes of one service tell each other. `jobs`: a job can be claimed; `workspace`: a workspace, its plan, embedder or keys changed;
 * `models`: what items are to be embedded or heard with changed; `exports`: an export advanced; `shares`: a link was changed or revoked;
 * `events`: the log of events of a workspace has more; `uploads`: a request wants to write to an upload, or no longer writes.
 */
export type NoticeChannel = 'jobs' | 'workspace' | 'models' | 'exports' | 'shares' | 'events' | 'uploads';

/**
 * Tells every process of the service that something changed. A notice says where to look, never what changed: it may come twice, or for a
 * change that was made long ago, and whoever gets one reads the catalog.
 */
export type PubSub = {
  /**
   * Tells all processes, this one included, once the transaction is committed; without a transaction at once.
   * @param id of what changed, or '' where the channel needs none; at most 200 characters
   */
  publish(transaction: Catalog, channel: NoticeChannel, id: string): Promise<void>;
  /** Calls a handler for each notice of a channel. @returns what ends that */
  subscribe(channel: NoticeChannel, handler: (id: string) => void): () => void;
  /**
   * Calls a handler when notices may have been missed, because the connection to the database was lost and is there again. It does whatever
   * notices of everything would make it do. @returns what ends that
   */
  onGap(handler: () => void): () => void;
  stop(): Promise<void>;
};

/** Who gets notices in this process. A handler that throws keeps no other from its notice. */
export function createSubscribers(log: Pick<FastifyBaseLogger, 'error'>) {
  const handlers = new Map<NoticeChannel, Set<(id: string) => void>>();
  const gapHandlers = new Set<() => void>();

  function call<Arguments extends unknown[]>(
    called: Iterable<(...values: Arguments) => void>,
    ...values: Arguments
  ): void {
    for (const handler of called) {
      try {
        handler(...values);
      } catch (error) {
        log.error({ err: error }, 'a notice was not handled');
      }
    }
  }

  const subscribe: PubSub['subscribe'] = (channel, handler) => {
    const ofChannel = handlers.get(channel) ?? new Set();
    handlers.set(channel, ofChannel.add(handler));
    return () => void ofChannel.delete(handler);
  };

  const onGap: PubSub['onGap'] = (handler) => {
    gapHandlers.add(handler);
    return () => void gapHandlers.delete(handler);
  };

  return {
    subscribe,
    onGap,
    deliver: (channel: NoticeChannel, id: string) => call(handlers.get(channel) ?? [], id),
    reportGap: () => call(gapHandlers),
  };
}

/**
 * Notices where this process is the whole service. SQLite has one connection in a process, so that whoever reads the catalog because of a
 * notice waits until the transaction that gave it has ended.
 */
export function createMemoryPubSub(log: Pick<FastifyBaseLogger, 'error'>): PubSub {
  const { deliver, subscribe, onGap } = createSubscribers(log);
  return {
    publish(_transaction, channel, id) {
      // Never in the middle of the caller's work.
      setImmediate(() => deliver(channel, id));
      return Promise.resolve();
    },
    subscribe,
    onGap,
    stop: () => Promise.resolve(),
  };
}
