import type { FastifyInstance } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../../api-error.ts';

const windowSeconds = 60;

/**
 * Limits how many requests a minute each API key may make, and reports it in each response in the header fields of
 * draft-ietf-httpapi-ratelimit-headers-10. Call it after authentication is in place.
 * @param perMinute 0: no limit
 */
export function limitRate(app: FastifyInstance, perMinute: number): void {
  if (perMinute === 0) return;
  const limiter = createRequestCounter(perMinute);
  app.addHook('onRequest', async (request, reply) => {
    const result = await limiter.consume(request.apiKeyId).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    const seconds = Math.ceil(result.msBeforeNext / 1000);
    void reply
      .header('RateLimit-Policy', `"default";q=${perMinute};w=${windowSeconds}`)
      .header('RateLimit', `"default";r=${result.remainingPoints};t=${seconds}`);
    if (result.consumedPoints > perMinute) throw throttledError(seconds);
  });
}

/**
 * Counts the requests of each key within a minute.
 * Single process: in memory. With a second process each would allow a key the full number. Then the counters have to be in a store that all
 * processes share; rate-limiter-flexible has such limiters with the same methods.
 */
const createRequestCounter = (perMinute: number): RateLimiterMemory =>
  new RateLimiterMemory({ points: perMinute, duration: windowSeconds });

/** The refusal, with the seconds until the next allowed request. */
export const throttledError = (seconds: number): ApiError =>
  new ApiError('throttled', `Too many requests: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    headers: { 'Retry-After': String(seconds) },
  });
