import type { FastifyBaseLogger } from 'fastify';
import type { Notices } from './pubsub.ts';
import { createSubscribers } from './subscribers.ts';

/**
 * Notices where this process is the whole service. SQLite has one connection in a process, so that whoever reads the catalog because of a
 * notice waits until the transaction that gave it has ended.
 */
export function createMemoryNotices(log: Pick<FastifyBaseLogger, 'error'>): Notices {
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
