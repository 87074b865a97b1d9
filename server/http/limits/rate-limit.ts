import type { FastifyReply, FastifyRequest } from 'fastify';
import { quotaExceededError } from '../../catalog/accounts/quota.ts';
import type { Counter, Counters } from '../../catalog/counters/rate-counters.ts';
import type { SearchCounter } from '../../catalog/counters/search-counter.ts';
import { ApiError } from '../../errors/api-error.ts';

const windowSeconds = 60;

/** Counts a request of an API key. Throws `throttled`. */
export type RateLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Limits how many requests a minute each API key may make, and reports it in each response in the header fields of
 * draft-ietf-httpapi-ratelimit-headers-10. Add it to scopes after authentication is in place; they count together.
 * @param usual for workspaces whose plan says nothing else; 0: no limit
 */
export function createRateLimit(counters: Counters, usual: number): RateLimit {
  const byLimit = new Map<number, Counter>();
  /** The counter of a limit. There are as few as the plans have. */
  const counterOf = (limit: number) => {
    // A database that is away must not refuse requests that need none.
    const counter = byLimit.get(limit) ?? counters({ name: 'requests', limit, windowSeconds, whenAway: 'count here' });
    byLimit.set(limit, counter);
    return counter;
  };
  return async (request, reply) => {
    const limit = request.traffic?.requests_per_minute ?? usual;
    if (limit === 0) return;
    const { exceeded, remaining, msBeforeNext } = await counterOf(limit).consume(request.apiKeyId);
    const seconds = Math.ceil(msBeforeNext / 1000);
    void reply
      .header('RateLimit-Policy', `"default";q=${limit};w=${windowSeconds}`)
      .header('RateLimit', `"default";r=${remaining};t=${seconds}`);
    if (exceeded) throw throttledError(seconds);
  };
}

/** The refusal, with the seconds until the next allowed request. */
export const throttledError = (seconds: number): ApiError =>
  new ApiError('throttled', `Too many requests: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    headers: { 'Retry-After': String(seconds) },
  });

/** Counts a search of the request's workspace. Throws `quota_exceeded` when the searches of the month are used up. */
export async function consumeSearchQuota(counter: SearchCounter, { workspaceId }: FastifyRequest): Promise<void> {
  const violation = await counter.countIfAllowed(workspaceId);
  if (violation) throw quotaExceededError(violation);
}
