import type { FastifyRequest } from 'fastify';
import type { SearchCounter } from '../../catalog/counters/buffered-counters.ts';
import { quotaExceededError } from '../../errors/api-error.ts';

/** Counts a search of the request's workspace. Throws `quota_exceeded` when the searches of the month are used up. */
export async function consumeSearchQuota(counter: SearchCounter, { workspaceId }: FastifyRequest): Promise<void> {
  const violation = await counter.countIfAllowed(workspaceId);
  if (violation) throw quotaExceededError(violation);
}
