import type { FastifyBaseLogger } from 'fastify';
import type { Client } from 'pg';
import { keepSession } from '../../catalog/postgres/keep-session.ts';
import { createDuties } from './duties.ts';
import type { Leader } from './leader.ts';

/** The advisory lock of the leader, in the space of two 32-bit keys; the locks of workspaces are in that of one 64-bit key. */
const leaderLock = '18, 1';

/**
 * Leads while it holds an advisory lock of the database, on a connection of its own. The lock is free as soon as the holder's connection
 * ends, and the others ask for it every two seconds. Who loses the connection stops its duties before it asks again.
 * @param url of the database
 * Rejects when the database cannot be reached at first.
 */
export async function createPostgresLeader(
  url: string,
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>,
): Promise<Leader> {
  const { whileLeading, isLeading, begin, end } = createDuties(log);
  const tryToLead = async (client: Client) => {
    const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${leaderLock}) as held`);
    if (rows[0]?.held) begin();
  };
  const session = await keepSession({
    url,
    name: 'leader',
    log,
    open: tryToLead,
    beat: async (client) => void (await (isLeading() ? client.query('select 1') : tryToLead(client))),
    close: end,
  });
  return { whileLeading, isLeading, stop: () => session.stop() };
}
