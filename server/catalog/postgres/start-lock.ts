import { toUnreachable } from './unreachable.ts';

/** The advisory lock of starts, in the space of two 32-bit keys, as that of the leader. */
const startLock = '18, 3';

/**
 * Does what a start does once for all processes, such as bringing the schema up to date: one process at a time, the others wait. The lock ends
 * with its connection, however the process does.
 * @param url of the database
 * Throws `StartupError` where it cannot be used.
 */
export async function withStartLock<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, application_name: 'media-search start', keepAlive: true });
  // What it means shows at the next statement.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw toUnreachable(error);
  });
  try {
    await client.query(`select pg_advisory_lock(${startLock})`);
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}
