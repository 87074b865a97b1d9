import type { FastifyBaseLogger } from 'fastify';
import type { Leader } from '../messaging/leader/leader.ts';
import { createOnlyLeader } from '../messaging/leader/only-leader.ts';
import type { GaugeSource } from '../platform/metrics/metrics.ts';

/** Takes part in the choice of a leader; without a database that others share this process leads. @param stack stops it */
export async function openLeader(
  databaseUrl: string | null,
  log: FastifyBaseLogger,
  stack: AsyncDisposableStack,
): Promise<Leader> {
  const leader =
    databaseUrl === null
      ? createOnlyLeader(log)
      : await (await import('../messaging/leader/postgres-leader.ts')).createPostgresLeader(databaseUrl, log);
  stack.defer(() => leader.stop());
  return leader;
}

/** Whether this process is the leader: of all processes together 1, but for the seconds in which another takes over. */
export const createLeaderGauge = (leader: Leader): GaugeSource => ({
  name: 'media_search_leader',
  help: 'Whether this process does what one of all does.',
  labelNames: [],
  read: () => Promise.resolve([{ labels: {}, value: leader.isLeading() ? 1 : 0 }]),
});
