import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.ts';
import type { Counters } from '../../catalog/counters.ts';

const windowSeconds = 60;

/** Counts a request of an API key. Throws `throttled`. */
export type RateLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Limits how many requests a minute each API key may make, and reports it in each response in the header fields of
 * draft-ietf-httpapi-ratelimit-headers-10. Add it to scopes after authentication is in place; they count together.
 * @param perMinute 0: no limit
 */
export function createRateLimit(counters: Counters, perMinute: number): RateLimit {
  if (perMinute === 0) return async () => undefined;
  // A database that is away must not refuse requests that need none.
  const counter = counters({ name: 'requests', limit: perMinute, windowSeconds, whenAway: 'count here' });
  return async (request, reply) => {
    const { exceeded, remaining, msBeforeNext } = await counter.consume(request.apiKeyId);
    const seconds = Math.ceil(msBeforeNext / 1000);
    void reply
      .header('RateLimit-Policy', `"default";q=${perMinute};w=${windowSeconds}`)
      .header('RateLimit', `"default";r=${remaining};t=${seconds}`);
    if (exceeded) throw throttledError(seconds);
  };
}

/** The refusal, with the seconds until the next allowed request. */
export const throttledError = (seconds: number): ApiError =>
  new ApiError('throttled', `Too many requests: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    headers: { 'Retry-After': String(seconds) },
  });
