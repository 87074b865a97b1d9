import type { FastifyBaseLogger } from 'fastify';
import { createDuties } from './duties.ts';
import type { Leader } from './leader.ts';

/** The leader where this process is the whole service: it leads until it stops. */
export function createOnlyLeader(log: Pick<FastifyBaseLogger, 'error'>): Leader {
  const { whileLeading, isLeading, begin, end } = createDuties(log);
  begin();
  return { whileLeading, isLeading, stop: end };
}
