import type { FastifyRequest } from 'fastify';
import { quotaExceededError } from '../../api-error.ts';
import type { SearchCounter } from '../../catalog/search-counter.ts';

/** Counts a search of the request's workspace. Throws `quota_exceeded` when the searches of the month are used up. */
export function consumeSearchQuota(counter: SearchCounter, { workspaceId }: FastifyRequest): void {
  const violation = counter.countIfAllowed(workspaceId);
  if (violation) throw quotaExceededError(violation);
}
