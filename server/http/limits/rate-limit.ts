import type { FastifyInstance } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../../api-error.ts';

const windowSeconds = 60;

/**
 * Limits how many requests a minute each API key may make, and says so in each response by the header fields of
 * draft-ietf-httpapi-ratelimit-headers-10. Call it after authentication is in place.
 * @param perMinute 0: no limit
 */
export function limitRate(app: FastifyInstance, perMinute: number): void {
  if (perMinute === 0) return;
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
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

/** A refusal for now. */
export const throttledError = (seconds: number): ApiError =>
  new ApiError('throttled', `Too many requests: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, {
    headers: { 'Retry-After': String(seconds) },
  });
