import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import { keepSession } from '../../catalog/postgres/keep-session.ts';
import { noticeChannel } from '../../catalog/postgres/notifier.ts';
import { joinServices } from '../../catalog/postgres/presence.ts';
import { createSubscribers, type NoticeChannel, type PubSub } from './pubsub.ts';

/**
 * Notices by `LISTEN`, on a connection of its own, and by what the connections of the catalog send (`server/catalog/postgres/notifier.ts`). PostgreSQL keeps nothing for a listener that is away: after a new connection
 * the gap is reported. It needs a direct connection, or a pool that keeps one for a session: PgBouncer in transaction mode passes none on.
 * @param url of the database
 * Rejects when the database cannot be reached at first.
 */
export async function createPostgresPubSub(
  url: string,
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>,
): Promise<PubSub> {
  const { deliver, reportGap, subscribe, onGap } = createSubscribers(log);
  let heardBefore = false;
  const session = await keepSession({
    url,
    name: 'notices',
    log,
    async open(client) {
      await joinServices(client);
      client.on('notification', ({ payload = '' }) => {
        const [channel = '', id = ''] = payload.split(' ', 2);
        deliver(channel as NoticeChannel, id);
      });
      await client.query(`listen ${noticeChannel}`);
      if (heardBefore) reportGap();
      heardBefore = true;
    },
    beat: async (client) => void (await client.query('select 1')),
    close: () => Promise.resolve(),
  });
  return {
    async publish(transaction, channel, id) {
      await sql`select tell_processes(${`${channel} ${id}`})`.execute(transaction);
    },
    subscribe,
    onGap,
    stop: () => session.stop(),
  };
}
