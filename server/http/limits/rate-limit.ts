import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../api-error.ts';
import type { Counters } from '../../catalog/counters.ts';

const windowSeconds = 60;

/**
 * Limits how many requests a minute each API key may make, and reports it in each response in the header fields of
 * draft-ietf-httpapi-ratelimit-headers-10. Call it after authentication is in place.
 * @param perMinute 0: no limit
 */
export function limitRate(app: FastifyInstance, counters: Counters, perMinute: number): void {
  if (perMinute === 0) return;
  // A database that is away must not refuse requests that need none.
  const counter = counters({ name: 'requests', limit: perMinute, windowSeconds, whenAway: 'count here' });
  app.addHook('onRequest', async (request, reply) => {
    const { exceeded, remaining, msBeforeNext } = await counter.consume(request.apiKeyId);
    const seconds = Math.ceil(msBeforeNext / 1000);
    void reply
      .header('RateLimit-Policy', `"default";q=${perMinute};w=${windowSeconds}`)
      .header('RateLimit', `"default";r=${remaining};t=${seconds}`);
    if (exceeded) throw throttledError(seconds);
  });
}

/** The refusal, with the seconds until the next allowed request. */
export const throttledError = (seconds: number): ApiError =>
  new ApiError('throttled', `Too many requests: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    headers: { 'Retry-After': String(seconds) },
  });
