import type { FastifyBaseLogger } from 'fastify';
import type { NoticeChannel, Notices } from './pubsub.ts';

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

  const subscribe: Notices['subscribe'] = (channel, handler) => {
    const ofChannel = handlers.get(channel) ?? new Set();
    handlers.set(channel, ofChannel.add(handler));
    return () => void ofChannel.delete(handler);
  };

  const onGap: Notices['onGap'] = (handler) => {
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
