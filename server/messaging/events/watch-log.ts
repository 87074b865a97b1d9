import type { FastifyBaseLogger } from 'fastify';
import { listWorkspacesAfter, readLastOfAll } from '../../catalog/events/events.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { runEvery } from '../../platform/periodic.ts';
import type { Stoppable } from '../leader/leader.ts';
import type { PubSub } from '../pubsub/pubsub.ts';

/** How late an event may be noticed, milliseconds. To look takes about 20 µs. */
const intervalMs = 250;

/**
 * Gives the notices of events where the catalog is a file: its workers write to it in processes of their own, and SQLite gives no notices. In PostgreSQL a
 * trigger gives them.
 */
export async function watchLog(
  db: Catalog,
  pubsub: Pick<PubSub, 'publish'>,
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<Stoppable> {
  let seen = await readLastOfAll(db);
  async function look(): Promise<void> {
    const last = await readLastOfAll(db);
    if (last === seen) return;
    const workspaces = await listWorkspacesAfter(db, seen);
    seen = last;
    for (const id of workspaces) await pubsub.publish(db, 'events', id);
  }
  return runEvery(intervalMs, look, 'looking for events', log);
}
