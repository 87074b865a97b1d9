import type { FastifyBaseLogger } from 'fastify';
import type { Leader } from '../leader/leader.ts';
import { createOnlyLeader } from '../leader/only-leader.ts';

/** Takes part in the choice of a leader; without a database that others share this process leads. @param stack stops it */
export async function openLeader(
  databaseUrl: string | null,
  log: FastifyBaseLogger,
  stack: AsyncDisposableStack,
): Promise<Leader> {
  const leader =
    databaseUrl === null
      ? createOnlyLeader(log)
      : await (await import('../leader/postgres-leader.ts')).createPostgresLeader(databaseUrl, log);
  stack.defer(() => leader.stop());
  return leader;
}
