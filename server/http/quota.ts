import type { FastifyRequest } from 'fastify';
import { describeExcess, type Excess } from '../catalog/quota.ts';
import type { SearchCounter } from '../catalog/search-counter.ts';
import { ApiError } from './api-error.ts';

/** A refusal that names the limit of the plan and how far it is used. */
export function overQuota(excess: Excess): ApiError {
  const { message, details } = describeExcess(excess);
  return new ApiError('quota_exceeded', message, { details });
}

/** Counts a search of the request's workspace. Throws `quota_exceeded` when the month's are used up. */
export async function admitSearch(counter: SearchCounter, { workspaceId }: FastifyRequest): Promise<void> {
  const excess = await counter.take(workspaceId);
  if (excess) throw overQuota(excess);
}
