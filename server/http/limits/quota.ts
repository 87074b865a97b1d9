import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.ts';
import { describeQuotaViolation, type QuotaViolation } from '../../catalog/quota.ts';
import type { SearchCounter } from '../../catalog/search-counter.ts';

/** A refusal that names the limit of the plan and how far it is used. */
export function quotaExceededError(excess: QuotaViolation): ApiError {
  const { message, details } = describeQuotaViolation(excess);
  return new ApiError('quota_exceeded', message, { details });
}

/** Counts a search of the request's workspace. Throws `quota_exceeded` when the month's are used up. */
export async function consumeSearchQuota(counter: SearchCounter, { workspaceId }: FastifyRequest): Promise<void> {
  const excess = await counter.countIfAllowed(workspaceId);
  if (excess) throw quotaExceededError(excess);
}
