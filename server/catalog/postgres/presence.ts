import { Client, type ClientBase } from 'pg';
import { StartupError } from '../../errors/startup-error.ts';
import { toUnreachable } from './unreachable.ts';

/** The advisory lock of those that use a catalog, in the space of two 32-bit keys, as that of the leader: services share it. */
const presenceLock = '18, 2';

/**
 * Says that a service uses the catalog, until the connection ends.
 * @param client of a session that lasts as long as the process
 * Throws `StartupError` while somebody has it alone.
 */
export async function joinServices(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock_shared(${presenceLock}) as held`);
  if (rows[0]?.held) return;
  throw new StartupError('The catalog is being moved, restored or distributed; start the service when that has ended.');
}

/**
 * Keeps services away from a catalog, until it is disposed of. The server releases it however the process ends.
 * @param url of the database
 * Throws `StartupError` while any process of a service uses it, and where the database cannot be used.
 */
export async function excludeServices(url: string): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: url, application_name: 'media-search admin', keepAlive: true });
  // Whoever opens the catalog then leaves a trace that is looked for at the end.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw toUnreachable(error);
  });
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${presenceLock}) as held`);
  if (!rows[0]?.held) {
    await client.end();
    throw new StartupError('Media Search is running on the database; stop all its processes first.');
  }
  return { [Symbol.asyncDispose]: () => client.end() };
}
