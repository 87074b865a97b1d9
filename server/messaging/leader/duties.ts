import type { FastifyBaseLogger } from 'fastify';
import type { Leader, Stoppable } from './leader.ts';

/** The duties of a leader. Starting and stopping follow each other: one that was stopped has ended before it starts again. */
export function createDuties(log: Pick<FastifyBaseLogger, 'error'>) {
  const duties: { what: string; start: () => Stoppable | Promise<Stoppable> }[] = [];
  let running: { what: string; duty: Stoppable }[] = [];
  let leading = false;
  let order: Promise<void> = Promise.resolve();

  async function start({ what, start: startDuty }: (typeof duties)[number]): Promise<void> {
    if (!leading) return;
    try {
      running.push({ what, duty: await startDuty() });
    } catch (error) {
      log.error({ err: error }, `${what} could not be started`);
    }
  }

  async function stopAll(): Promise<void> {
    const stopped = running.toReversed();
    running = [];
    for (const { what, duty } of stopped) {
      await duty.stop().catch((error: unknown) => log.error({ err: error }, `${what} could not be stopped`));
    }
  }

  const whileLeading: Leader['whileLeading'] = (what, startDuty) => {
    const duty = { what, start: startDuty };
    duties.push(duty);
    if (leading) order = order.then(() => start(duty));
  };

  return {
    whileLeading,
    isLeading: () => leading,

    /** Starts all duties. */
    begin: (): void => {
      if (leading) return;
      leading = true;
      const known = [...duties];
      const startAll = async () => {
        for (const duty of known) await start(duty);
      };
      order = order.then(startAll);
    },

    /** Stops all duties. Resolves when they have ended. */
    end: (): Promise<void> => {
      leading = false;
      order = order.then(stopAll);
      return order;
    },
  };
}
