import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Count, Counters } from './counters.ts';

/** Counters in memory, where this process is the only one that serves requests. A restart forgets them. */
export const memoryCounters: Counters = ({ limit, windowSeconds }) =>
  toCounter(new RateLimiterMemory({ points: limit, duration: windowSeconds }), limit);

/** @param limiter one of rate-limiter-flexible, which throws what it counts beyond the limit */
export function toCounter(
  limiter: Pick<RateLimiterMemory, 'consume' | 'reward' | 'delete'>,
  limit: number,
): ReturnType<Counters> {
  return {
    async consume(key) {
      try {
        return toCount(await limiter.consume(key), limit);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return toCount(refusal, limit);
        throw refusal;
      }
    },
    reward: async (key) => void (await limiter.reward(key)),
    forget: async (key) => void (await limiter.delete(key)),
  };
}

const toCount = ({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes, limit: number): Count => ({
  exceeded: consumedPoints > limit,
  remaining: remainingPoints,
  msBeforeNext,
});
